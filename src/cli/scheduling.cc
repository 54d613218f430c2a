#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdio>
#include <functional>
#include <optional>

#include "base/text.h"
#include "base/time.h"
#include "cli/context.h"
#include "cli/job_file.h"
#include "cli/messages.h"
#include "cli/output.h"

/// How the site shares its machines: policy, quotas, reservations, drain.
namespace ty::cli {

namespace json = boost::json;

namespace {

std::string amounts(const std::optional<client::Amounts>& bound) {
  std::vector<std::string> parts;
  if (bound && bound->gpus) parts.push_back(fmt::format("{} GPUs", *bound->gpus));
  if (bound && bound->cpus) parts.push_back(fmt::format("{:g} CPUs", *bound->cpus));
  if (bound && bound->memory) parts.push_back(human_bytes(*bound->memory));
  return parts.empty() ? "-" : join(parts, ", ");
}

std::string names(const std::vector<std::string>& all) {
  return all.empty() ? "-" : join(all, ", ");
}

void print_rules(const Context& context, const client::Scheduling& rules) {
  const auto on = [](bool flag) { return flag ? say::switched_on() : say::switched_off(); };
  context.print(say::rules_policy({.policy = rules.policy,
                                   .backfill = on(rules.backfill),
                                   .preemption = on(rules.preemption),
                                   .moves = on(rules.moves)}));
  context.print(say::rules_half_life({.hours = fmt::format("{:g}", rules.half_life_hours)}));
  context.print(say::rules_starvation({.hours = fmt::format("{:g}", rules.starvation_hours)}));
  context.print(say::rules_draining({.nodes = names(rules.draining)}));
  if (!rules.quotas.empty()) {
    std::puts("");
    Table table({"WORKSPACE", "GUARANTEE", "LIMIT", "ONE USER", "WEIGHT"});
    for (const client::Quota& quota : rules.quotas) {
      table.add({quota.workspace,
                 amounts(quota.guarantee),
                 amounts(quota.limit),
                 amounts(quota.user_limit),
                 fmt::format("{:g}", quota.weight.value_or(1))});
    }
    table.print();
  }
  if (!rules.reservations.empty()) {
    std::puts("");
    Table table({"RESERVATION", "NODES", "WORKSPACES", "USERS", "FROM", "TO"});
    for (const client::Reservation& one : rules.reservations) {
      table.add({one.name,
                 names(one.nodes),
                 names(one.workspaces),
                 names(one.users),
                 short_time(one.from),
                 short_time(one.to)});
    }
    table.print();
  }
}

/// Reads the rules, lets `edit` change them and puts them back; what another administrator changed
/// in between is not overwritten.
void change(Context& context, const std::function<bool(json::object&)>& edit) {
  client::ApiClient* api = context.api();
  if (api == nullptr) return;
  auto rules = api->show_scheduling();
  if (!rules) return context.say(rules.error());
  // The JSON, not the fields we know of it: a newer server's rules go back whole.
  if (!edit(rules->json.as_object())) return;
  const auto answer = api->set_scheduling(rules->json);
  if (!answer) return context.say(answer.error());
  if (!context.print_json(answer->json)) print_rules(context, *answer);
}

json::array& list_in(json::object& rules, std::string_view key) {
  json::value& found = rules[json::string_view(key.data(), key.size())];
  if (!found.is_array()) found = json::array{};
  return found.get_array();
}

/// Takes the entry out of the list whose `field` is `value`, if there is one.
std::optional<json::object> take(json::array& all,
                                 std::string_view field,
                                 const std::string& value) {
  for (auto* at = all.begin(); at != all.end(); ++at) {
    if (text(*at, field) != value) continue;
    json::object taken = at->as_object();
    all.erase(at);
    return taken;
  }
  return std::nullopt;
}

struct QuotaFlags {
  std::string workspace;
  std::optional<std::int64_t> guarantee, limit, user_limit;
  std::optional<double> guarantee_cpus, limit_cpus, user_limit_cpus;
  std::optional<double> weight;
  bool remove = false;
};

void add_quota(CLI::App& group, Context& context) {
  auto f = std::make_shared<QuotaFlags>();
  CLI::App* quota = group.add_subcommand(
      "quota", "Set the guarantee and limits of a workspace; options not given stay unchanged");
  quota->add_option("WORKSPACE", f->workspace, "Workspace name")->required();
  quota->add_option("--guarantee-gpus",
                    f->guarantee,
                    "GPUs guaranteed to it; preemptible jobs of others may borrow them");
  quota->add_option("--limit-gpus", f->limit, "Most GPUs of the workspace at once");
  quota->add_option("--user-limit-gpus", f->user_limit, "Most GPUs of one of its users at once");
  quota->add_option("--guarantee-cpus", f->guarantee_cpus, "CPUs guaranteed to it");
  quota->add_option("--limit-cpus", f->limit_cpus, "Most CPUs of the workspace at once");
  quota->add_option(
      "--user-limit-cpus", f->user_limit_cpus, "Most CPUs of one of its users at once");
  quota->add_option(
      "--weight", f->weight, "Share of the remaining resources, relative to other workspaces");
  quota->add_flag("--remove", f->remove, "Remove the guarantee and the limits");
  add_output_flag(*quota, context);
  quota->callback([&context, f] {
    change(context, [f](json::object& rules) {
      json::array& all = list_in(rules, "quotas");
      json::object mine =
          take(all, "workspace", f->workspace).value_or(json::object{{"workspace", f->workspace}});
      if (f->remove) return true;
      const auto set = [&](const char* bound, const char* what, auto value) {
        if (!value) return;
        json::value& into = mine[bound];
        if (!into.is_object()) into = json::object{};
        into.get_object()[what] = *value;
      };
      set("guarantee", "gpus", f->guarantee);
      set("limit", "gpus", f->limit);
      set("user_limit", "gpus", f->user_limit);
      set("guarantee", "cpus", f->guarantee_cpus);
      set("limit", "cpus", f->limit_cpus);
      set("user_limit", "cpus", f->user_limit_cpus);
      if (f->weight) mine["weight"] = *f->weight;
      all.push_back(std::move(mine));
      return true;
    });
  });
}

struct ReserveFlags {
  std::string name, from, to;
  std::vector<std::string> nodes, workspaces, users;
  bool remove = false;
};

void add_reserve(CLI::App& group, Context& context) {
  auto f = std::make_shared<ReserveFlags>();
  CLI::App* reserve = group.add_subcommand("reserve", "Reserve nodes for some workspaces or users");
  reserve->add_option("NAME", f->name, "Name of the reservation")->required();
  reserve->add_option("--nodes", f->nodes, "Nodes to reserve")->delimiter(',');
  reserve->add_option("--workspaces", f->workspaces, "For these workspaces")->delimiter(',');
  reserve->add_option("--users", f->users, "For these users")->delimiter(',');
  reserve->add_option("--from", f->from, "Start, such as 2026-11-16T08:00:00Z; now by default");
  reserve->add_option("--to", f->to, "End, such as 2026-11-16T20:00:00Z, or a duration: 12h");
  reserve->add_flag("--remove", f->remove, "Remove the reservation");
  add_output_flag(*reserve, context);
  reserve->callback([&context, f] {
    change(context, [&context, f](json::object& rules) {
      json::array& all = list_in(rules, "reservations");
      const bool was_there = take(all, "name", f->name).has_value();
      if (f->remove && !was_there) {
        context.say({Errc::NotFound, say::no_such_reservation({.name = f->name}), {}});
        return false;
      }
      if (f->remove) return true;
      const Time now = SystemClock().now();
      if (f->from.empty()) f->from = to_rfc3339(now);
      if (const auto span = parse_duration(f->to)) {
        f->to = to_rfc3339(parse_rfc3339(f->from).value_or(now) + *span);
      }
      const auto array = [](const std::vector<std::string>& from) {
        return json::array(from.begin(), from.end());
      };
      all.push_back(json::object{{"name", f->name},
                                 {"nodes", array(f->nodes)},
                                 {"workspaces", array(f->workspaces)},
                                 {"users", array(f->users)},
                                 {"from", f->from},
                                 {"to", f->to}});
      return true;
    });
  });
}

void add_drain(CLI::App& app, Context& context) {
  for (const bool draining : {true, false}) {
    auto node = std::make_shared<std::string>();
    CLI::App* command =
        app.add_subcommand(draining ? "drain" : "undrain",
                           draining ? "Start no new tasks on a node; running tasks continue"
                                    : "Let a drained node start tasks again");
    command->add_option("NODE", *node, "Node name, see `trainyard nodes`")->required();
    command->callback([&context, node, draining] {
      client::ApiClient* api = context.api();
      if (api == nullptr) return;
      const auto answer = api->set_node_draining(*node, {.draining = draining});
      if (!answer) return context.say(answer.error());
      context.print(draining ? say::node_takes_nothing({.node = *node})
                             : say::node_takes_jobs({.node = *node}));
    });
  }
}

}  // namespace

void add_scheduling(CLI::App& app, Context& context) {
  CLI::App* group = app.add_subcommand("scheduling", "Scheduling rules of this site");
  group->require_subcommand(1);
  CLI::App* show =
      group->add_subcommand("show", "Show policy, quotas, reservations and drained nodes");
  add_output_flag(*show, context);
  show->callback([&context] {
    client::ApiClient* api = context.api();
    if (api == nullptr) return;
    const auto answer = api->show_scheduling();
    if (!answer) return context.say(answer.error());
    if (!context.print_json(answer->json)) print_rules(context, *answer);
  });

  auto word = std::make_shared<std::string>();
  CLI::App* policy = group->add_subcommand("policy", "Set the scheduling policy");
  policy
      ->add_option("POLICY",
                   *word,
                   "fair: fair share among workspaces; service: least served jobs first, "
                   "preempting preemptible ones")
      ->required()
      ->check(CLI::IsMember({"fair", "service"}));
  add_output_flag(*policy, context);
  policy->callback([&context, word] {
    change(context, [word](json::object& rules) {
      rules["policy"] = *word;
      return true;
    });
  });

  add_quota(*group, context);
  add_reserve(*group, context);

  auto file = std::make_shared<std::string>();
  CLI::App* set = group->add_subcommand("set", "Replace all rules with those in a JSON file");
  set->add_option("FILE",
                  *file,
                  "JSON as printed by `trainyard scheduling show -o json`; - reads standard "
                  "input")
      ->required();
  add_output_flag(*set, context);
  set->callback([&context, file] {
    const Result<std::string> written = read_job_file(*file);
    if (!written) return context.say(written.error());
    boost::system::error_code broken;
    const json::value rules = json::parse(*written, broken);
    if (broken)
      return context.say(
          {Errc::Invalid, say::rules_not_json({.path = *file, .why = broken.message()}), {}});
    client::ApiClient* api = context.api();
    if (api == nullptr) return;
    const auto answer = api->set_scheduling(rules);
    if (!answer) return context.say(answer.error());
    if (!context.print_json(answer->json)) print_rules(context, *answer);
  });
  add_drain(app, context);
}

}  // namespace ty::cli
