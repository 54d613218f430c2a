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
    Table table({"NODE", "STATE", "CPUS", "MEMORY", "GPUS"});
    for (const json::value& node : items(*answer, "nodes")) {
      const json::array& gpus = items(node, "gpus");
      const auto used = std::ranges::count_if(gpus, [](const json::value& gpu) {
        const json::value* flag = child(gpu, "used");
        return flag != nullptr && flag->is_bool() && flag->get_bool();
      });
      const std::string problem = text(node, "problem");
      table.add({text(node, "name"),
                 problem.empty() ? "ready" : problem,
                 fmt::format("{:g} of {:g}", real(node, "cpus_used"), real(node, "cpus")),
                 fmt::format("{} of {}",
                             human_bytes(number(node, "memory_used")),
                             human_bytes(number(node, "memory"))),
                 gpus.empty() ? "-" : fmt::format("{} of {}", used, gpus.size())});
    }
    table.print();
  });
}

}  // namespace ty::cli
