#include <cstdio>

#include "cli/context.h"
#include "cli/follow.h"
#include "cli/output.h"

namespace ty::cli {

namespace {

struct LogsOptions {
  std::string job, task, lines, since, until, grep;
  int tail = -1;
  int attempt = -1;
  bool follow = false;
  bool merged = false;
  bool ignore_case = false;
};

void print_logs(Context& context, const LogsOptions& options) {
  client::ApiClient* api = context.api();
  if (api == nullptr) return;
  client::ReadJobLogsOptions query{.task = given(options.task),
                                   .merged = options.merged,
                                   .lines = given(options.lines),
                                   .since = given(options.since),
                                   .until = given(options.until),
                                   .grep = given(options.grep),
                                   .ignore_case = options.ignore_case};
  if (options.attempt >= 0) query.attempt = options.attempt;
  if (options.tail >= 0) query.tail = options.tail;
  if (options.follow) {
    const auto job = api->show_job(options.job);
    if (!job) return context.say(job.error());
    const int code =
        follow_job(context, {.job = job->id, .announce = false, .query = std::move(query)});
    // `logs` reports on reading, not on the job: a failed job's log is read well.
    if (context.exit == kOk && code == kInterrupted && job->state != "cancelled")
      context.exit = kOk;
    return;
  }
  const auto print = [](std::string_view piece) {
    return std::fwrite(piece.data(), 1, piece.size(), stdout) == piece.size();
  };
  if (auto read = api->read_job_logs(options.job, print, query); !read) context.say(read.error());
}

}  // namespace

void add_logs(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("logs", "Show the log of a job's tasks");
  auto options = std::make_shared<LogsOptions>();
  command->add_option("JOB", options->job, "Job name, id, id prefix or OWNER~NAME")->required();
  command->add_flag("-f,--follow", options->follow, "Follow the log until the job has ended");
  command->add_option(
      "-t,--task", options->task, "One task, such as worker-1; by default all tasks, merged");
  command->add_option("-n,--tail", options->tail, "Only the last N lines")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--lines", options->lines, "Lines A-B, counted from 1");
  command->add_option("--since",
                      options->since,
                      "Only lines after this time, or after a duration before now (10m)");
  command->add_option(
      "--until", options->until, "Only lines before this time, or before a duration before now");
  command->add_option("-g,--grep", options->grep, "Only lines that match this regular expression");
  command->add_flag("-i,--ignore-case", options->ignore_case, "Ignore case in --grep");
  command
      ->add_option("--attempt",
                   options->attempt,
                   "Attempt of the job, counted from 0; the latest by default")
      ->check(CLI::NonNegativeNumber);
  command->add_flag(
      "--merged", options->merged, "Prefix lines with the task name, even for a single task");
  command->callback([&context, options] { print_logs(context, *options); });
}

}  // namespace ty::cli
