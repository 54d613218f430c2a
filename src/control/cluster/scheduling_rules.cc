#include "control/cluster/scheduling_rules.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <cmath>
#include <set>

#include "base/text.h"
#include "control/json_kind.h"
#include "control/messages.h"

namespace ty::control {

namespace json = boost::json;

namespace {

constexpr std::string_view kFair = "fair";
constexpr std::string_view kService = "service";

/// One level of the document: takes its fields out, and whatever is left over is a fault.
class Reader {
 public:
  Reader(const json::value& value, std::string pointer, std::vector<Fault>& faults)
      : pointer_(std::move(pointer)), faults_(faults) {
    if (value.is_object()) {
      fields_ = &value.get_object();
    } else {
      wrong_type("", value, say::an_object());
    }
  }

  const json::value* take(std::string_view key, bool required = false) {
    known_.emplace(key);
    if (fields_ == nullptr) return nullptr;
    const json::value* found = fields_->if_contains(json::string_view(key.data(), key.size()));
    if (found != nullptr && found->is_null()) found = nullptr;
    if (found == nullptr && required) wrong(key, say::field_missing(), "missing");
    return found;
  }

  std::string text(std::string_view key, bool required = false) {
    const json::value* found = take(key, required);
    if (found == nullptr) return {};
    if (!found->is_string()) {
      wrong_type(key, *found, say::json_text());
      return {};
    }
    std::string value(found->get_string().data(), found->get_string().size());
    if (required && value.empty()) wrong(key, say::may_not_be_empty(), "range");
    return value;
  }

  void flag(std::string_view key, bool& into) {
    const json::value* found = take(key);
    if (found == nullptr) return;
    if (found->is_bool()) {
      into = found->get_bool();
    } else {
      wrong_type(key, *found, say::json_true_or_false());
    }
  }

  std::optional<double> number(std::string_view key, double least, double most) {
    const json::value* found = take(key);
    if (found == nullptr) return std::nullopt;
    if (!found->is_number()) {
      wrong_type(key, *found, say::a_number());
      return std::nullopt;
    }
    const auto value = found->to_number<double>();
    if (!(value >= least && value <= most)) {
      wrong(key,
            say::expected_number_between(
                {.least = fmt::format("{:g}", least), .most = fmt::format("{:g}", most)}),
            "range");
      return std::nullopt;
    }
    return value;
  }

  std::vector<std::string> names(std::string_view key) {
    std::vector<std::string> all;
    each(key, [&](const json::value& item, const std::string& at) {
      if (item.is_string() && !item.get_string().empty()) {
        all.emplace_back(item.get_string().data(), item.get_string().size());
      } else {
        faults_.push_back({.pointer = at, .message = say::expected_name(), .code = "type"});
      }
    });
    return all;
  }

  Time time(std::string_view key) {
    const std::string written = text(key, true);
    if (written.empty()) return {};
    const auto read = parse_rfc3339(written);
    if (read) return *read;
    wrong(key, say::expected_time(), "type");
    return {};
  }

  template <class Item>
  void each(std::string_view key, const Item& item) {
    const json::value* found = take(key);
    if (found == nullptr) return;
    if (!found->is_array()) return wrong_type(key, *found, say::json_list());
    std::size_t i = 0;
    for (const json::value& one : found->get_array())
      item(one, fmt::format("{}/{}/{}", pointer_, key, i++));
  }

  void wrong_type(std::string_view key, const json::value& found, Message expected) {
    wrong(
        key, say::expected_got({.expected = std::move(expected), .got = json_kind(found)}), "type");
  }

  void wrong(std::string_view key, Message message, std::string code) {
    faults_.push_back({.pointer = key.empty() ? pointer_ : fmt::format("{}/{}", pointer_, key),
                       .message = std::move(message),
                       .code = std::move(code)});
  }

  void done() {
    if (fields_ == nullptr) return;
    const std::vector<std::string_view> known(known_.begin(), known_.end());
    for (const auto& field : *fields_) {
      const std::string_view key(field.key().data(), field.key().size());
      if (known_.contains(std::string(key))) continue;
      const std::string meant = closest(key, known);
      wrong(key,
            meant.empty() ? say::field_unknown() : say::field_unknown_near({.near = meant}),
            "unknown_field");
    }
  }

  const std::string& pointer() const { return pointer_; }
  std::vector<Fault>& faults() { return faults_; }

 private:
  const json::object* fields_ = nullptr;
  std::string pointer_;
  std::vector<Fault>& faults_;
  std::set<std::string> known_;
};

sched::Bound read_bound(Reader& parent, std::string_view key) {
  constexpr double kMost = 9e15;
  sched::Bound bound;
  const json::value* found = parent.take(key);
  if (found == nullptr) return bound;
  Reader reader(*found, fmt::format("{}/{}", parent.pointer(), key), parent.faults());
  if (const auto gpus = reader.number("gpus", 0, 1e6)) bound.gpus = std::llround(*gpus);
  if (const auto cpus = reader.number("cpus", 0, 1e9)) bound.cpu_milli = std::llround(*cpus * 1000);
  if (const auto memory = reader.number("memory", 0, kMost)) bound.memory = std::llround(*memory);
  reader.done();
  return bound;
}

bool exceeds(std::optional<std::int64_t> promised, std::optional<std::int64_t> allowed) {
  return promised && allowed && *promised > *allowed;
}

Quota read_quota(const json::value& value, const std::string& at, std::vector<Fault>& faults) {
  Reader reader(value, at, faults);
  Quota quota;
  quota.workspace = reader.text("workspace", true);
  quota.guarantee = read_bound(reader, "guarantee");
  quota.limit = read_bound(reader, "limit");
  quota.user_limit = read_bound(reader, "user_limit");
  if (const auto weight = reader.number("weight", 0.001, 1000)) quota.weight = *weight;
  reader.done();
  if (exceeds(quota.guarantee.gpus, quota.limit.gpus) ||
      exceeds(quota.guarantee.cpu_milli, quota.limit.cpu_milli) ||
      exceeds(quota.guarantee.memory, quota.limit.memory)) {
    reader.wrong("guarantee", say::guarantee_over_limit(), "range");
  }
  return quota;
}

ReservationRule read_reservation(const json::value& value,
                                 const std::string& at,
                                 std::vector<Fault>& faults) {
  Reader reader(value, at, faults);
  ReservationRule rule;
  rule.name = reader.text("name", true);
  rule.nodes = reader.names("nodes");
  rule.workspaces = reader.names("workspaces");
  rule.users = reader.names("users");
  rule.from = reader.time("from");
  rule.to = reader.time("to");
  reader.done();
  if (rule.nodes.empty()) reader.wrong("nodes", say::name_a_node(), "range");
  if (rule.to <= rule.from) reader.wrong("to", say::ends_before_it_begins(), "range");
  return rule;
}

void read_policy(Reader& reader, sched::Policy& policy) {
  const std::string order = reader.text("policy");
  if (order == kService) {
    policy = sched::service_policy();
  } else if (!order.empty() && order != kFair) {
    reader.wrong("policy", say::expected_policy(), "range");
  }
  reader.flag("backfill", policy.backfill);
  reader.flag("preemption", policy.preemption);
  reader.flag("moves", policy.moves);
  const auto seconds = [&](std::string_view key, double unit, double least, Seconds& into) {
    if (const auto n = reader.number(key, least, 100'000)) into = Seconds(std::llround(*n * unit));
  };
  seconds("half_life_hours", 3600, 0.1, policy.half_life);
  seconds("starvation_hours", 3600, 0.1, policy.starvation_bound);
  seconds("quantum_minutes", 60, 0.1, policy.quantum);
}

json::object write_bound(const sched::Bound& bound) {
  json::object out;
  if (bound.gpus) out["gpus"] = *bound.gpus;
  if (bound.cpu_milli) out["cpus"] = static_cast<double>(*bound.cpu_milli) / 1000;
  if (bound.memory) out["memory"] = *bound.memory;
  return out;
}

json::array write_names(const std::vector<std::string>& names) {
  json::array out;
  for (const std::string& name : names) out.emplace_back(name);
  return out;
}

template <class Rules, class Name>
void refuse_twice(const Rules& rules,
                  Name name,
                  std::string_view list,
                  std::string_view field,
                  std::vector<Fault>& faults) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (!seen.insert(rules[i].*name).second) {
      faults.push_back({.pointer = fmt::format("/{}/{}/{}", list, i, field),
                        .message = say::listed_twice({.name = rules[i].*name}),
                        .code = "twice"});
    }
  }
}

}  // namespace

std::string rules_to_json(const SchedulingRules& rules) {
  const sched::Policy& p = rules.policy;
  const auto in = [](Seconds s, double unit) { return static_cast<double>(s.count()) / unit; };
  json::object out{{"version", rules.version},
                   {"policy", p.order == sched::Order::Service ? kService : kFair},
                   {"backfill", p.backfill},
                   {"preemption", p.preemption},
                   {"moves", p.moves},
                   {"half_life_hours", in(p.half_life, 3600)},
                   {"starvation_hours", in(p.starvation_bound, 3600)},
                   {"quantum_minutes", in(p.quantum, 60)}};
  json::array quotas;
  for (const Quota& quota : rules.quotas) {
    quotas.push_back(json::object{{"workspace", quota.workspace},
                                  {"guarantee", write_bound(quota.guarantee)},
                                  {"limit", write_bound(quota.limit)},
                                  {"user_limit", write_bound(quota.user_limit)},
                                  {"weight", quota.weight}});
  }
  json::array reservations;
  for (const ReservationRule& rule : rules.reservations) {
    reservations.push_back(json::object{{"name", rule.name},
                                        {"nodes", write_names(rule.nodes)},
                                        {"workspaces", write_names(rule.workspaces)},
                                        {"users", write_names(rule.users)},
                                        {"from", to_rfc3339(rule.from)},
                                        {"to", to_rfc3339(rule.to)}});
  }
  out["quotas"] = std::move(quotas);
  out["reservations"] = std::move(reservations);
  out["draining"] = write_names(rules.draining);
  return json::serialize(out);
}

Result<SchedulingRules> rules_from_json(std::string_view text) {
  boost::system::error_code broken;
  const json::value all = json::parse(json::string_view(text.data(), text.size()), broken);
  if (broken) return fail(Errc::Invalid, say::body_not_json({.why = broken.message()}));
  std::vector<Fault> faults;
  SchedulingRules rules;
  Reader reader(all, "", faults);
  rules.version = std::llround(reader.number("version", 0, 9e15).value_or(-1));
  read_policy(reader, rules.policy);
  reader.each("quotas", [&](const json::value& one, const std::string& at) {
    rules.quotas.push_back(read_quota(one, at, faults));
  });
  reader.each("reservations", [&](const json::value& one, const std::string& at) {
    rules.reservations.push_back(read_reservation(one, at, faults));
  });
  rules.draining = reader.names("draining");
  reader.done();
  refuse_twice(rules.quotas, &Quota::workspace, "quotas", "workspace", faults);
  refuse_twice(rules.reservations, &ReservationRule::name, "reservations", "name", faults);
  if (faults.empty()) return rules;
  return std::unexpected(refused_rules(std::move(faults)));
}

Error refused_rules(std::vector<Fault> faults) {
  Message all;
  for (const Fault& fault : faults) {
    all = joined(std::move(all),
                 within(plain(fault.pointer.empty() ? "/" : fault.pointer), fault.message));
  }
  return {Errc::Invalid, std::move(all), std::move(faults)};
}

}  // namespace ty::control
