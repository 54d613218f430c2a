#include <fmt/format.h>

#include <boost/json.hpp>
#include <cstdio>

#include "base/text.h"
#include "cli/context.h"
#include "cli/output.h"

namespace ty::cli {

namespace json = boost::json;

namespace {

bool is_known(const json::value& point, std::string_view key) {
  const json::value* found = child(point, key);
  return found != nullptr && found->is_number();
}

std::string bytes(const json::value& point, std::string_view key) {
  return is_known(point, key) ? human_bytes(number(point, key)) : "-";
}

std::string both(const json::value& point, std::string_view in, std::string_view out) {
  if (!is_known(point, in)) return "-";
  return fmt::format("{} / {}", bytes(point, in), bytes(point, out));
}

std::string of_limit(const std::string& used, const std::string& limit) {
  return used == "-" ? used : fmt::format("{} of {}", used, limit);
}

std::string gpus(const json::value& point) {
  std::string text;
  for (const json::value& gpu : items(point, "gpus")) {
    text +=
        fmt::format("{}{}: {} {}",
                    text.empty() ? "" : ", ",
                    number(gpu, "index"),
                    is_known(gpu, "load_percent") ? fmt::format("{} %", number(gpu, "load_percent"))
                                                  : std::string("-"),
                    human_bytes(number(gpu, "memory_used")));
  }
  return text.empty() ? "-" : text;
}

void print_metrics(const json::value& answer) {
  Table table(
      {"TASK", "AT", "CPUS", "MEMORY", "PEAK", "PROCESSES", "DISK R / W", "NETWORK R / S", "GPUS"});
  for (const json::value& task : items(answer, "tasks")) {
    const json::value* latest = child(task, "latest");
    if (latest == nullptr || !latest->is_object()) {
      table.add({text(task, "task"), "-", "-", "-", "-", "-", "-", "-", "-"});
      continue;
    }
    const json::value* cpus = child(*latest, "cpus");
    const json::value* limit = child(task, "cpus");
    table.add({text(task, "task"),
               short_time(text(*latest, "at")),
               of_limit(is_known(*latest, "cpus") ? fmt::format("{:.2f}", cpus->to_number<double>())
                                                  : "-",
                        fmt::format("{:g}", limit == nullptr ? 0.0 : limit->to_number<double>())),
               of_limit(bytes(*latest, "memory"), human_bytes(number(task, "memory"))),
               bytes(*latest, "memory_peak"),
               is_known(*latest, "processes") ? fmt::to_string(number(*latest, "processes")) : "-",
               both(*latest, "disk_read", "disk_written"),
               both(*latest, "network_received", "network_sent"),
               gpus(*latest)});
  }
  if (table.empty()) {
    std::printf("none of its tasks has begun\n");
  } else {
    table.print();
  }
}

}  // namespace

void add_metrics(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("metrics", "What a job's tasks use, or used last");
  auto job = std::make_shared<std::string>();
  auto task = std::make_shared<std::string>();
  auto points = std::make_shared<int>(0);
  command->add_option("JOB", *job, "Its name, its id or the first characters of it, or OWNER~NAME")
      ->required();
  command->add_option("--task", *task, "Only this one, as worker-1");
  command->add_option("--points", *points, "With -o json: most points of each task's curve")
      ->check(CLI::Range(0, 1000));
  add_output_flag(*command, context);
  command->callback([&context, job, task, points] {
    client::ApiClient* api = context.api();
    if (api == nullptr) return;
    client::Query query = {{"points", fmt::to_string(*points)}};
    if (!task->empty()) query.emplace_back("task", *task);
    const Result<json::value> answer = api->get("/api/v1/jobs/" + *job + "/metrics", query);
    if (!answer) return context.say(answer.error());
    if (!context.print_json(*answer)) print_metrics(*answer);
  });
}

}  // namespace ty::cli
