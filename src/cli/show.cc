#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "base/text.h"
#include "base/time.h"
#include "cli/context.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "client/said.h"

namespace ty::cli {

namespace {

void line(const char* label, const std::string& value) {
  if (!value.empty() && value != "-") std::printf("%-12s %s\n", label, value.c_str());
}

std::string task_word(const Context& context, const client::Task& task) {
  const Message about = client::said(task.says, task.message);
  return about.empty() ? coloured_state(task.state)
                       : coloured_state(task.state) + " (" + context.words(about) + ")";
}

Message resources_of(const client::Role& role) {
  const auto milli_cpus = std::llround(role.cpus * 1000);
  if (role.gpus == 0)
    return say::role_resources(
        {.role = role.name, .count = role.count, .cpus = milli_cpus, .memory = role.memory});
  return say::role_resources_with_gpus({.role = role.name,
                                        .count = role.count,
                                        .cpus = milli_cpus,
                                        .memory = role.memory,
                                        .gpus = role.gpus});
}

void print_job(const Context& context, const client::Job& job) {
  const std::string started = job.started_at.value_or("");
  const std::string ended = job.ended_at.value_or("");
  line("job", fmt::format("{}  {}", job.handle, job.id));
  line("state", coloured_state(job.state));
  line("reason", context.words(client::said(job.reason_says, job.reason)));
  line("owner",
       context.words(say::owner_in_workspace({.owner = job.owner, .workspace = job.workspace})));
  line("about", job.description);
  line("created", short_time(job.created_at));
  line("started", short_time(started));
  line("ended", short_time(ended));
  line("ran", span(started, ended));
  if (job.time_limit) line("time limit", format_duration(Seconds{*job.time_limit}));
  if (job.attempt > 0) line("attempt", context.words(say::attempt_from_0({.number = job.attempt})));
  if (job.not_before)
    line("tried again", context.words(say::tried_again_at({.time = short_time(*job.not_before)})));
  std::vector<std::string> labels;
  for (const auto& [name, value] : job.labels)
    labels.push_back(name + (value.empty() ? "" : "=" + value));
  line("labels", join(labels, ", "));
  for (const client::Role& role : job.roles) {
    std::puts("");
    context.print(resources_of(role));
    Table table({"  TASK", "STATE", "NODE", "STARTED", "RAN", "TRIES"});
    for (const client::Task& task : role.tasks) {
      table.add({"  " + task.name,
                 task_word(context, task),
                 task.node.value_or(""),
                 short_time(task.started_at.value_or("")),
                 span(task.started_at.value_or(""), task.ended_at.value_or("")),
                 std::to_string(task.tries + 1)});
    }
    table.print();
  }
}

}  // namespace

void add_show(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("show", "Show a job: state, tasks, why it ended");
  auto job = std::make_shared<std::string>();
  auto spec = std::make_shared<std::string>();
  command->add_option("JOB", *job, "Job name, id, id prefix or OWNER~NAME")->required();
  command->add_option("--spec", *spec, "Print the job file instead: original, native or json")
      ->check(CLI::IsMember({"original", "native", "json"}));
  add_output_flag(*command, context);
  command->callback([&context, job, spec] {
    client::ApiClient* api = context.api();
    if (api == nullptr) return;
    if (!spec->empty()) {
      const Result<std::string> file = api->show_job_spec(*job, {.format = *spec});
      if (!file) return context.say(file.error());
      std::fputs(file->c_str(), stdout);
      return;
    }
    const auto found = api->show_job(*job);
    if (!found) return context.say(found.error());
    if (!context.print_json(found->json)) print_job(context, *found);
  });
}

}  // namespace ty::cli
