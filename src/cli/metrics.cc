#include <fmt/format.h>

#include <cstdio>

#include "base/text.h"
#include "cli/context.h"
#include "cli/messages.h"
#include "cli/output.h"

namespace ty::cli {

namespace {

std::string bytes(const std::optional<std::int64_t>& amount) {
  return amount ? human_bytes(*amount) : "-";
}

std::string both(const std::optional<std::int64_t>& in, const std::optional<std::int64_t>& out) {
  return in ? fmt::format("{} / {}", bytes(in), bytes(out)) : "-";
}

std::string of_limit(const std::string& used, const std::string& limit) {
  return used == "-" ? used : fmt::format("{} of {}", used, limit);
}

std::string gpus(const client::UsagePoint& point) {
  std::string text;
  for (const client::UsagePointGpu& gpu : point.gpus) {
    text += fmt::format("{}{}: {} {}",
                        text.empty() ? "" : ", ",
                        gpu.index,
                        gpu.load_percent ? fmt::format("{} %", *gpu.load_percent) : "-",
                        human_bytes(gpu.memory_used));
  }
  return text.empty() ? "-" : text;
}

void print_metrics(const Context& context, const client::JobMetrics& answer) {
  Table table(
      {"TASK", "AT", "CPUS", "MEMORY", "PEAK", "PROCESSES", "DISK R / W", "NETWORK R / S", "GPUS"});
  for (const client::TaskMetrics& task : answer.tasks) {
    if (!task.latest) {
      table.add({task.task, "-", "-", "-", "-", "-", "-", "-", "-"});
      continue;
    }
    const client::UsagePoint& now = *task.latest;
    table.add({task.task,
               short_time(now.at),
               of_limit(now.cpus ? fmt::format("{:.2f}", *now.cpus) : "-",
                        fmt::format("{:g}", task.cpus)),
               of_limit(bytes(now.memory), human_bytes(task.memory)),
               bytes(now.memory_peak),
               now.processes ? fmt::to_string(*now.processes) : "-",
               both(now.disk_read, now.disk_written),
               both(now.network_received, now.network_sent),
               gpus(now)});
  }
  if (table.empty()) {
    context.print(say::no_task_has_begun());
  } else {
    table.print();
  }
}

}  // namespace

void add_metrics(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("metrics", "Show what a job's tasks use, or used last");
  auto job = std::make_shared<std::string>();
  auto task = std::make_shared<std::string>();
  auto points = std::make_shared<int>(0);
  command->add_option("JOB", *job, "Job name, id, id prefix or OWNER~NAME")->required();
  command->add_option("--task", *task, "Only this task, such as worker-1");
  command->add_option("--points", *points, "With -o json: at most this many points per task")
      ->check(CLI::Range(0, 1000));
  add_output_flag(*command, context);
  command->callback([&context, job, task, points] {
    client::ApiClient* api = context.api();
    if (api == nullptr) return;
    const auto answer = api->show_job_metrics(*job, {.task = given(*task), .points = *points});
    if (!answer) return context.say(answer.error());
    if (!context.print_json(answer->json)) print_metrics(context, *answer);
  });
}

}  // namespace ty::cli
