#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "cli/context.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "client/said.h"

namespace ty::cli {

namespace {

/// What its GPUs are and do; nothing for those that are only configured.
void print_gpus(const client::Node& node) {
  const bool are_real =
      std::ranges::any_of(node.gpus, [](const client::Gpu& gpu) { return !gpu.uuid.empty(); });
  if (!are_real) return;
  const auto measured = [](const std::optional<std::int64_t>& figure, std::string_view unit) {
    return figure ? fmt::format("{} {}", *figure, unit) : std::string("-");
  };
  std::printf("\n%s\n", node.name.c_str());
  Table table({"  GPU", "MODEL", "STATE", "MEMORY", "LOAD", "POWER", "HEAT", "LINKED"});
  for (const client::Gpu& gpu : node.gpus) {
    table.add({fmt::format("  {}", gpu.index),
               gpu.model,
               !gpu.problem.empty() ? gpu.problem
               : gpu.used           ? "in use"
                                    : "free",
               fmt::format("{} of {}", human_bytes(gpu.memory_used), human_bytes(gpu.memory)),
               measured(gpu.load_percent, "%"),
               measured(gpu.watts, "W"),
               measured(gpu.celsius, "°C"),
               fmt::format("group {}", gpu.link_group)});
  }
  table.print();
}

void print_warnings(const Context& context, const client::Node& node) {
  if (node.warnings.empty()) return;
  std::puts("");
  context.print(say::warnings_of_node({.node = node.name}));
  for (std::size_t i = 0; i < node.warnings.size(); ++i) {
    const Message warning =
        i < node.warnings_says.size()
            ? client::said(std::optional(node.warnings_says[i]), node.warnings[i])
            : plain(node.warnings[i]);
    std::printf("  %s\n", context.words(warning).c_str());
  }
}

}  // namespace

void add_nodes(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("nodes", "List nodes and what is in use on them");
  add_output_flag(*command, context);
  command->callback([&context] {
    client::ApiClient* api = context.api();
    if (api == nullptr) return;
    const auto answer = api->list_nodes();
    if (!answer) return context.say(answer.error());
    if (context.print_json(answer->json)) return;
    Table table({"NODE", "STATE", "RUNTIME", "CPUS", "MEMORY", "GPUS"});
    for (const client::Node& node : answer->nodes) {
      const auto used = std::ranges::count_if(node.gpus, &client::Gpu::used);
      table.add({node.name,
                 !node.problem.empty() ? node.problem
                 : node.draining       ? "draining"
                                       : "ready",
                 node.runtime,
                 fmt::format("{:g} of {:g}", node.cpus_used, node.cpus),
                 fmt::format("{} of {}", human_bytes(node.memory_used), human_bytes(node.memory)),
                 node.gpus.empty() ? "-" : fmt::format("{} of {}", used, node.gpus.size())});
    }
    table.print();
    for (const client::Node& node : answer->nodes) {
      print_gpus(node);
      print_warnings(context, node);
    }
  });
}

}  // namespace ty::cli
