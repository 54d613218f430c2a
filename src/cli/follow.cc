#include "cli/follow.h"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <map>
#include <thread>

#include "cli/messages.h"
#include "cli/output.h"
#include "client/said.h"

namespace ty::cli {

namespace {

std::string
    come_back;  // written before the handler is set; a signal handler has no other way to get at it

void on_interrupt(int) {
  // Only calls that are safe inside a signal handler.
  [[maybe_unused]] const ssize_t n = ::write(STDERR_FILENO, come_back.data(), come_back.size());
  ::_exit(kInterrupted);
}

bool is_final(const std::string& state) {
  return state == "succeeded" || state == "failed" || state == "cancelled";
}

void write_out(std::string_view piece) {
  std::fwrite(piece.data(), 1, piece.size(), stdout);
  std::fflush(stdout);
}

/// Lets through what has not been printed before, when the server sends the text from its beginning
/// again.
class OncePrinter {
 public:
  /// One task's log comes in the same order each time: count bytes. Merged lines keep their order
  /// only within a task: count lines per task.
  explicit OncePrinter(bool merged) : merged_(merged) {}

  void begin_again() {
    skip_bytes_ = printed_bytes_;
    skip_lines_ = printed_lines_;
    partial_.clear();
  }

  void take(std::string_view piece) {
    if (!merged_) {
      const std::size_t skipped = std::min<std::uint64_t>(skip_bytes_, piece.size());
      skip_bytes_ -= skipped;
      piece.remove_prefix(skipped);
      printed_bytes_ += piece.size();
      write_out(piece);
      return;
    }
    partial_ += piece;
    std::size_t from = 0;
    for (std::size_t at; (at = partial_.find('\n', from)) != std::string::npos; from = at + 1) {
      take_line(std::string_view(partial_).substr(from, at + 1 - from));
    }
    partial_.erase(0, from);
  }

 private:
  void take_line(std::string_view line) {
    const std::string task(line.substr(0, line.find(" | ")));
    if (std::uint64_t& left = skip_lines_[task]; left > 0) {
      --left;
      return;
    }
    ++printed_lines_[task];
    write_out(line);
  }

  bool merged_;
  std::uint64_t printed_bytes_ = 0;
  std::uint64_t skip_bytes_ = 0;
  std::map<std::string, std::uint64_t> printed_lines_;
  std::map<std::string, std::uint64_t> skip_lines_;
  std::string partial_;
};

/// Says what a job waits for whenever that changes, until it starts.
Result<client::Job> wait_for_start(const Context& context,
                                   client::ApiClient& api,
                                   const Follow& follow) {
  Message said;
  for (auto pause = std::chrono::milliseconds{20};;
       pause = std::min(pause * 2, std::chrono::milliseconds{1000})) {
    TY_TRY(client::Job job, api.show_job(follow.job));
    if (job.state != "queued" && job.state != "paused") return job;
    // A job that starts at once needs no words.
    const Message reason = client::said(job.reason_says, job.reason);
    if (follow.announce && pause >= std::chrono::milliseconds{320} && reason != said) {
      said = reason;
      context.note(
          within(state_in_words(job.state), said.empty() ? say::waiting_for_scheduler() : said));
    }
    std::this_thread::sleep_for(pause);
  }
}

int exit_code_of(const client::Job& job) {
  if (job.state == "succeeded") return kOk;
  if (job.state == "cancelled") return kInterrupted;
  const std::int64_t code = job.exit_code.value_or(0);
  return code > 0 && code < 256 ? static_cast<int>(code) : kFailed;
}

/// What the log says about the cause, in words that help.
void say_cause(const Context& context, client::ApiClient& api, const std::string& job) {
  const auto why = api.explain_job(job);
  if (why && why->clue) context.note(say::likely_cause({.cause = client::said(*why->clue)}));
}

/// How it ended, after how long if it had started, and why.
Message ending_of(const client::Job& job) {
  const auto ran = length_of(job.started_at.value_or(""), job.ended_at.value_or(""));
  Message ended = state_in_words(job.state);
  if (ran) ended = say::ended_after({.state = std::move(ended), .time = *ran});
  Message reason = client::said(job.reason_says, job.reason);
  return reason.empty() ? ended : within(std::move(ended), std::move(reason));
}

}  // namespace

int follow_job(Context& context, const Follow& follow) {
  client::ApiClient* api = context.api();
  if (api == nullptr) return context.exit;
  come_back = "\n" + context.words(say::follow_later({.job = short_id(follow.job)})) + "\n";
  std::signal(SIGINT, on_interrupt);

  std::unique_ptr<OncePrinter> printer;
  client::ReadJobLogsOptions query = follow.query;
  query.follow = true;
  bool away = false;
  for (auto pause = std::chrono::milliseconds{100};;) {
    Result<client::Job> job = wait_for_start(context, *api, follow);
    if (job && printer == nullptr) {
      printer = std::make_unique<OncePrinter>(!query.task && job->tasks > 1);
    }
    Result<void> streamed;
    if (job) {
      if (away) context.note(say::server_is_back());
      away = false;
      pause = std::chrono::milliseconds{100};
      printer->begin_again();
      const auto take = [&](std::string_view piece) {
        printer->take(piece);
        return true;
      };
      streamed = api->read_job_logs(follow.job, take, query);
      job = api->show_job(follow.job);
    }
    if (job && streamed && is_final(job->state)) {
      const int code = exit_code_of(*job);
      if (follow.announce) {
        context.note(ending_of(*job));
        if (job->state == "failed") say_cause(context, *api, follow.job);
      }
      return code;
    }
    const Error* problem = !job ? &job.error() : !streamed ? &streamed.error() : nullptr;
    const bool heals =
        problem == nullptr || problem->code == Errc::Unavailable || problem->code == Errc::Timeout;
    if (!heals) {
      context.say(*problem);
      return context.exit;
    }
    if (problem != nullptr && !away) {
      away = true;
      context.note(say::server_is_away());
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds{2000});
  }
}

}  // namespace ty::cli
