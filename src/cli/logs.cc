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
  CLI::App* command = app.add_subcommand("logs", "What a job's tasks wrote, live or after the end");
  auto options = std::make_shared<LogsOptions>();
  command
      ->add_option(
          "JOB", options->job, "Its name, its id or the first characters of it, or OWNER~NAME")
      ->required();
  command->add_flag("-f,--follow", options->follow, "Go on until the job has ended");
  command->add_option(
      "-t,--task", options->task, "One task: worker-1; all of them merged otherwise");
  command->add_option("-n,--tail", options->tail, "The last so many lines")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--lines", options->lines, "A-B, counted from 1");
  command->add_option("--since", options->since, "A time, or a duration before now (10m)");
  command->add_option("--until", options->until, "Likewise");
  command->add_option("-g,--grep", options->grep, "Only lines that match this expression");
  command->add_flag("-i,--ignore-case", options->ignore_case, "Capitals do not count for --grep");
  command->add_option("--attempt", options->attempt, "Of an earlier try of the job, from 0")
      ->check(CLI::NonNegativeNumber);
  command->add_flag("--merged", options->merged, "Task names in front also for a single task");
  command->callback([&context, options] { print_logs(context, *options); });
}

}  // namespace ty::cli
