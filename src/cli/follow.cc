#include "cli/follow.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <map>
#include <thread>

#include "cli/output.h"

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
Result<client::Job> wait_for_start(client::ApiClient& api, const Follow& follow) {
  std::string said;
  for (auto pause = std::chrono::milliseconds{20};;
       pause = std::min(pause * 2, std::chrono::milliseconds{1000})) {
    TY_TRY(client::Job job, api.show_job(follow.job));
    if (job.state != "queued" && job.state != "paused") return job;
    // A job that starts at once needs no words.
    if (follow.announce && pause >= std::chrono::milliseconds{320} && job.reason != said) {
      said = job.reason;
      std::fprintf(stderr,
                   "%s: %s\n",
                   job.state.c_str(),
                   said.empty() ? "waiting for the scheduler" : said.c_str());
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
void say_cause(client::ApiClient& api, const std::string& job) {
  const auto why = api.explain_job(job);
  if (why && why->clue) std::fprintf(stderr, "likely cause: %s\n", why->clue->text.c_str());
}

}  // namespace

int follow_job(Context& context, const Follow& follow) {
  client::ApiClient* api = context.api();
  if (api == nullptr) return context.exit;
  come_back = fmt::format(
      "\nthe job goes on without you; come back with\n  trainyard logs -f {0}\nor end it with\n  "
      "trainyard stop {0}\n",
      short_id(follow.job));
  std::signal(SIGINT, on_interrupt);

  std::unique_ptr<OncePrinter> printer;
  client::ReadJobLogsOptions query = follow.query;
  query.follow = true;
  bool away = false;
  for (auto pause = std::chrono::milliseconds{100};;) {
    Result<client::Job> job = wait_for_start(*api, follow);
    if (job && printer == nullptr) {
      printer = std::make_unique<OncePrinter>(!query.task && job->tasks > 1);
    }
    Result<void> streamed;
    if (job) {
      if (away) std::fprintf(stderr, "the server is back\n");
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
        std::fprintf(stderr,
                     "%s after %s%s\n",
                     job->state.c_str(),
                     span(job->started_at.value_or(""), job->ended_at.value_or("")).c_str(),
                     job->reason.empty() ? "" : (": " + job->reason).c_str());
        if (job->state == "failed") say_cause(*api, follow.job);
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
      std::fprintf(
          stderr,
          "the server is away; the job goes on, waiting for it to come back (Ctrl-C to leave)\n");
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds{2000});
  }
}

}  // namespace ty::cli
