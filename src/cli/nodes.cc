#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdio>

#include "base/text.h"
#include "cli/context.h"
#include "cli/output.h"

namespace ty::cli {

namespace json = boost::json;

namespace {

double real(const json::value& object, std::string_view key) {
  const json::value* found = child(object, key);
  return found == nullptr ? 0 : found->to_number<double>();
}

/// What its GPUs are and do; nothing for those that are only configured.
void print_gpus(const json::value& node) {
  const json::array& gpus = items(node, "gpus");
  const bool are_real =
      std::ranges::any_of(gpus, [](const json::value& gpu) { return !text(gpu, "uuid").empty(); });
  if (!are_real) return;
  const auto measured = [](const json::value& gpu, std::string_view key, std::string_view unit) {
    const json::value* found = child(gpu, key);
    return found == nullptr || !found->is_int64() ? std::string("-")
                                                  : fmt::format("{} {}", found->get_int64(), unit);
  };
  std::printf("\n%s\n", text(node, "name").c_str());
  Table table({"  GPU", "MODEL", "STATE", "MEMORY", "LOAD", "POWER", "HEAT", "LINKED"});
  for (const json::value& gpu : gpus) {
    const json::value* used = child(gpu, "used");
    const bool is_used = used != nullptr && used->is_bool() && used->get_bool();
    const std::string problem = text(gpu, "problem");
    table.add({fmt::format("  {}", number(gpu, "index")),
               text(gpu, "model"),
               !problem.empty() ? problem
               : is_used        ? "in use"
                                : "free",
               fmt::format("{} of {}",
                           human_bytes(number(gpu, "memory_used")),
                           human_bytes(number(gpu, "memory"))),
               measured(gpu, "load_percent", "%"),
               measured(gpu, "watts", "W"),
               measured(gpu, "celsius", "°C"),
               fmt::format("group {}", number(gpu, "link_group"))});
  }
  table.print();
}

void print_warnings(const json::value& node) {
  const json::array& warnings = items(node, "warnings");
  if (!warnings.empty()) std::printf("\non %s:\n", text(node, "name").c_str());
  for (const json::value& warning : warnings) {
    if (warning.is_string()) std::printf("  %s\n", warning.as_string().c_str());
  }
}

}  // namespace

void add_nodes(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("nodes", "Machines and how much of them is in use");
  add_output_flag(*command, context);
  command->callback([&context] {
    client::ApiClient* api = context.api();
    if (api == nullptr) return;
    const Result<json::value> answer = api->get("/api/v1/nodes");
    if (!answer) return context.say(answer.error());
    if (context.print_json(*answer)) return;
    Table table({"NODE", "STATE", "RUNTIME", "CPUS", "MEMORY", "GPUS"});
    for (const json::value& node : items(*answer, "nodes")) {
      const json::array& gpus = items(node, "gpus");
      const auto used = std::ranges::count_if(gpus, [](const json::value& gpu) {
        const json::value* flag = child(gpu, "used");
        return flag != nullptr && flag->is_bool() && flag->get_bool();
      });
      const std::string problem = text(node, "problem");
      const json::value* draining = child(node, "draining");
      const bool is_draining = draining != nullptr && draining->is_bool() && draining->get_bool();
      table.add({text(node, "name"),
                 !problem.empty() ? problem
                 : is_draining    ? "draining"
                                  : "ready",
                 text(node, "runtime"),
                 fmt::format("{:g} of {:g}", real(node, "cpus_used"), real(node, "cpus")),
                 fmt::format("{} of {}",
                             human_bytes(number(node, "memory_used")),
                             human_bytes(number(node, "memory"))),
                 gpus.empty() ? "-" : fmt::format("{} of {}", used, gpus.size())});
    }
    table.print();
    for (const json::value& node : items(*answer, "nodes")) {
      print_gpus(node);
      print_warnings(node);
    }
  });
}

}  // namespace ty::cli
