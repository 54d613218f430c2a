#include <fmt/format.h>

#include <boost/json.hpp>
#include <cstdio>

#include "base/text.h"
#include "base/time.h"
#include "cli/context.h"
#include "cli/output.h"

namespace ty::cli {

namespace json = boost::json;

namespace {

void line(const char* label, const std::string& value) {
  if (!value.empty() && value != "-") std::printf("%-12s %s\n", label, value.c_str());
}

std::string task_word(const json::value& task) {
  const std::string message = text(task, "message");
  return message.empty() ? coloured_state(text(task, "state"))
                         : coloured_state(text(task, "state")) + " (" + message + ")";
}

void print_job(const json::value& job) {
  line("job", fmt::format("{}  {}", text(job, "handle"), text(job, "id")));
  line("state", coloured_state(text(job, "state")));
  line("reason", text(job, "reason"));
  line("owner", fmt::format("{} in {}", text(job, "owner"), text(job, "workspace")));
  line("about", text(job, "description"));
  line("created", short_time(text(job, "created_at")));
  line("started", short_time(text(job, "started_at")));
  line("ended", short_time(text(job, "ended_at")));
  line("ran", span(text(job, "started_at"), text(job, "ended_at")));
  if (child(job, "time_limit") != nullptr)
    line("time limit", format_duration(Seconds{number(job, "time_limit")}));
  if (number(job, "attempt") > 0)
    line("attempt", fmt::format("{} (from 0)", number(job, "attempt")));
  line("tried again",
       text(job, "not_before").empty() ? "" : "not before " + short_time(text(job, "not_before")));
  if (const json::value* labels = child(job, "labels"); labels != nullptr && labels->is_object()) {
    std::vector<std::string> all;
    for (const auto& entry : labels->get_object()) {
      const std::string value(
          entry.value().is_string() ? std::string_view(entry.value().get_string()) : "");
      all.push_back(std::string(entry.key()) + (value.empty() ? "" : "=" + value));
    }
    line("labels", join(all, ", "));
  }
  for (const json::value& role : items(job, "roles")) {
    const std::int64_t gpus = number(role, "gpus");
    const double cpus =
        child(role, "cpus") != nullptr ? child(role, "cpus")->to_number<double>() : 0;
    std::printf("\n%s × %lld   %g CPUs, %s%s each\n",
                text(role, "name").c_str(),
                static_cast<long long>(number(role, "count")),
                cpus,
                human_bytes(number(role, "memory")).c_str(),
                gpus > 0 ? fmt::format(", {}", count_of(gpus, "GPU")).c_str() : "");
    Table table({"  TASK", "STATE", "NODE", "STARTED", "RAN", "TRIES"});
    for (const json::value& task : items(role, "tasks")) {
      table.add({"  " + text(task, "name"),
                 task_word(task),
                 text(task, "node"),
                 short_time(text(task, "started_at")),
                 span(text(task, "started_at"), text(task, "ended_at")),
                 std::to_string(number(task, "tries") + 1)});
    }
    table.print();
  }
}

}  // namespace

void add_show(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("show", "One job: state, tasks, why it ended");
  auto job = std::make_shared<std::string>();
  auto spec = std::make_shared<std::string>();
  command->add_option("JOB", *job, "Its name, its id or the first characters of it, or OWNER~NAME")
      ->required();
  command->add_option("--spec", *spec, "Print the job file instead: original, native or json")
      ->check(CLI::IsMember({"original", "native", "json"}));
  add_output_flag(*command, context);
  command->callback([&context, job, spec] {
    client::ApiClient* api = context.api();
    if (api == nullptr) return;
    if (!spec->empty()) {
      const Result<std::string> file =
          api->text("/api/v1/jobs/" + *job + "/spec", {{"format", *spec}});
      if (!file) return context.say(file.error());
      std::fputs(file->c_str(), stdout);
      return;
    }
    const Result<json::value> found = api->get("/api/v1/jobs/" + *job);
    if (!found) return context.say(found.error());
    if (!context.print_json(*found)) print_job(*found);
  });
}

}  // namespace ty::cli
