#include "jobspec/native/parse.h"

#include <algorithm>

#include "jobspec/impl/limits.h"
#include "jobspec/impl/names.h"
#include "jobspec/impl/regex_check.h"
#include "jobspec/messages.h"
#include "jobspec/native/reader.h"

namespace ty::jobspec::native {

using model::FailureClass;

model::JobSpec parse(Ref document, const ReadOptions& options, Params& params, Report& report) {
  return NativeReader(document, options, params, report).read();
}

model::JobSpec NativeReader::read() {
  check_keys(top_, fields(), false);
  std::int64_t version = 1;
  read_whole(job_slot("trainyard"), version, 1, 1);
  if (const Slot params = job_slot("params"); params && read_map(params))
    params_.read(params.ref, report_);
  read_job();
  read_roles();
  spec_.params = params_.to_json();
  validate(spec_, *this, report_);
  return std::move(spec_);
}

void NativeReader::read_job() {
  using namespace limits;
  if (!read_template(job_slot("name"), spec_.name))
    doubt(Part::Name, -1);
  else if (const Slot name = job_slot("name"); name && spec_.name.empty()) {
    report_.error(name.ref, "pattern", say::value_is_empty({.example = "name: mnist"}));
  }
  read_text(job_slot("description"), spec_.description);
  if (!read_text(job_slot("workspace"), spec_.workspace)) spec_.workspace = "default";
  read_priority();
  read_optional<bool>(
      job_slot("preemptible"), spec_.preemptible, [&](Slot s, bool& v) { return read_flag(s, v); });
  read_labels();
  read_secrets();
  read_gang();
  read_optional<std::int64_t>(job_slot("succeed_after"),
                              spec_.completion.min_succeeded,
                              [&](Slot s, std::int64_t& v) { return read_whole(s, v, 1, kTasks); });
  read_retry();
  read_limit(job_slot("time_limit"), spec_.time_limit, 1s, kYear);
  read_limit(job_slot("max_wait"), spec_.wait_limit, 1s, kYear);
  read_limit(job_slot("keep"), spec_.ttl, 0s, kTenYears);
  read_limit(job_slot("hold_on_failure"), spec_.debug_hold, 1s, kLongestHold);
  read_seconds(job_slot("stop_grace"), spec_.stop_grace, 0s, kLongestGrace);
  read_seconds(job_slot("linger"), spec_.completion.linger, 0s, kYear);
  read_alerts();
  read_metrics();
  read_policies(job_slot("policies"), spec_.policies);
  read_services();
  read_run_as();
  if (const Slot extras = job_slot("extras"); extras && read_map(extras))
    spec_.extras = to_json(extras.ref);
  read_env(job_slot("env"), spec_.env);
}

void NativeReader::read_priority() {
  const Slot slot = job_slot("priority");
  if (!slot || !has_value(slot)) return;
  if (!slot.ref.is_scalar()) {
    wrong_type(slot, say::a_priority());
    return;
  }
  struct Word {
    std::string_view word;
    std::int64_t value;
  };
  for (const Word& word :
       {Word{"low", -1}, Word{"normal", 10}, Word{"high", 100}, Word{"urgent", 120}}) {
    if (slot.ref->text == word.word) {
      spec_.priority = word.value;
      return;
    }
  }
  const auto value = parse_whole(slot.ref->text);
  if (value && slot.ref.is_plain())
    spec_.priority = *value;
  else if (!value && value.error().code == "overflow")
    refuse(slot, value.error());
  else {
    report_.error(slot.ref, "enum", say::invalid_priority({.value = quoted(slot.ref)}));
  }
}

void NativeReader::read_labels() {
  const Slot slot = job_slot("labels");
  if (!slot || !has_value(slot)) return;
  if (slot.ref.is_map()) {
    read_text_map(slot, spec_.labels);
    return;
  }
  if (!slot.ref.is_list()) {
    wrong_type(slot, say::a_map_or_a_list());
    return;
  }
  std::vector<std::string> tags;
  read_texts(slot, tags);
  for (std::string& tag : tags) spec_.labels.emplace(std::move(tag), "");
}

void NativeReader::read_secrets() {
  const Slot slot = job_slot("secrets");
  if (!slot || !has_value(slot)) return;
  const auto stored = [&](Ref at, std::string_view name) -> std::optional<model::SecretRef> {
    // What is no name may be a value that somebody pasted: say so without repeating it.
    if (at.is_scalar() && !check_workspace(name))
      return model::SecretRef{.stored_name = std::string(name)};
    report_.error(at, "secret", say::not_a_stored_secret());
    return std::nullopt;
  };
  if (slot.ref.is_list()) {
    for (const Ref item : slot.ref) {
      if (auto ref = stored(item, item->text))
        spec_.secrets.insert_or_assign(std::string(item->text), std::move(*ref));
    }
  } else if (slot.ref.is_map()) {
    for (const Ref entry : slot.ref) {
      if (auto ref = stored(entry, entry->text))
        spec_.secrets.insert_or_assign(std::string(entry->key), std::move(*ref));
    }
  } else {
    report_.error(slot.ref, "type", say::not_a_list_of_secrets({.example = slot.field->example}));
  }
}

void NativeReader::read_gang() {
  const Slot slot = job_slot("gang");
  if (!slot || !has_value(slot)) return;
  if (slot.ref.is_plain() && is_bool_word(slot.ref->text)) {
    if (!is_true_word(slot.ref->text)) spec_.min_available = 0;
    return;
  }
  std::int64_t n = 0;
  if (slot.ref.is_plain() && parse_whole(slot.ref->text)) {
    if (read_whole(slot, n, 1, limits::kTasks)) spec_.min_available = n;
    return;
  }
  wrong_type(slot, say::true_false_or_a_number());
}

void NativeReader::read_retry() {
  const Slot slot = job_slot("retry");
  if (!slot || !has_value(slot)) return;
  constexpr std::int64_t kMost = 1'000'000;
  model::Retry& retry = spec_.retry;
  if (!slot.ref.is_map()) {
    read_whole(slot, retry.budget, -2, kMost);
    return;
  }
  check_sub_keys(slot.ref, retry_fields());
  const auto sub = [&](std::string_view key) { return sub_slot(slot.ref, retry_fields(), key); };
  read_whole(sub("count"), retry.budget, -2, kMost);
  std::string on = "failure";
  if (read_text(sub("on"), on)) {
    if (on == "any") {
      retry.on = {FailureClass::User,
                  FailureClass::Platform,
                  FailureClass::Conflict,
                  FailureClass::Permanent};
      retry.counted = {FailureClass::User, FailureClass::Permanent};
    } else if (on == "policy") {
      retry.on = {};
      retry.counted = {FailureClass::User, FailureClass::Platform};
    } else if (on != "failure") {
      wrong_word(sub("on").ref, say::noun_retry_reason(), "failure, any, policy");
    }
  }
  if (const Slot codes = sub("exit_codes"); codes && read_list(codes)) {
    for (const Ref item : codes.ref) {
      std::int64_t code = 0;
      if (read_whole({item, codes.field}, code, 1, 255)) retry.exit_codes.push_back(code);
    }
  }
  const bool good = read_seconds(sub("backoff"), retry.backoff, 1s, limits::kYear);
  // A first wait longer than the usual longest one raises that, unless the file says otherwise.
  retry.max_backoff = std::max(retry.max_backoff, retry.backoff);
  if (read_seconds(sub("max_backoff"), retry.max_backoff, 1s, limits::kYear) && good &&
      retry.max_backoff < retry.backoff) {
    report_.error(sub("max_backoff").ref,
                  "range",
                  say::value_too_small({.value = format_duration(retry.max_backoff),
                                        .least = format_duration(retry.backoff)}));
  }
}

void NativeReader::read_alerts() {
  const Slot slot = job_slot("alerts");
  if (!slot || !read_list(slot)) return;
  for (const Ref item : slot.ref) {
    if (item.is_map())
      read_alert(item);
    else
      wrong_type({item, slot.field}, say::a_map());
  }
}

namespace {
bool is_moment(std::string_view text) {
  constexpr std::string_view kShape = "dddd-dd-dd dd:dd";
  if (text.size() != kShape.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kShape[i] == 'd' ? !digit : text[i] != kShape[i]) return false;
  }
  const std::string instant =
      std::string(text.substr(0, 10)) + "T" + std::string(text.substr(11)) + ":00Z";
  return parse_rfc3339(instant).has_value();
}
}  // namespace

void NativeReader::read_alert(Ref item) {
  check_sub_keys(item, alert_fields());
  const auto sub = [&](std::string_view key) { return sub_slot(item, alert_fields(), key); };
  model::Alert alert;
  std::vector<std::string> given;
  for (const std::string_view key : {"on", "after", "at"}) {
    if (sub(key)) given.emplace_back(key);
  }
  if (given.empty()) {
    report_.missing_with(item, "on", say::alert_without_when());
  } else if (given.size() > 1) {
    report_.error_at_key(sub(given[1]).ref, "two_of", say::only_one_of({.keys = given}));
  }
  if (const Slot on = sub("on")) {
    std::vector<std::string> words;
    read_texts(on, words);
    for (std::size_t i = 0; i < words.size(); ++i) {
      constexpr std::string_view kStates[] = {
          "started", "succeeded", "failed", "cancelled", "retried"};
      const auto add = [&](std::string_view state) {
        if (std::ranges::find(alert.states, state) == alert.states.end())
          alert.states.emplace_back(state);
      };
      if (words[i] == "finished") {
        for (const std::string_view end : {"succeeded", "failed", "cancelled"}) add(end);
      } else if (std::ranges::find(kStates, words[i]) != std::end(kStates)) {
        add(words[i]);
      } else {
        Ref at = on.ref;
        for (const Ref word : on.ref) {
          if (word->text == words[i]) at = word;
        }
        wrong_word(
            at, say::noun_state(), "started, succeeded, failed, cancelled, retried, finished");
      }
    }
    if (const Slot every = sub("every")) {
      report_.error_at_key(every.ref, "two_of", say::only_one_of({.keys = Words{"on", "every"}}));
    }
  }
  read_limit(sub("after"), alert.after, 1s, limits::kYear);
  read_optional<std::string>(
      sub("at"), alert.at, [&](Slot s, std::string& v) { return read_text(s, v); });
  if (alert.at && !is_moment(*alert.at)) {
    report_.error(sub("at").ref,
                  "type",
                  say::invalid_value({.value = quoted(sub("at").ref),
                                      .what = say::noun_moment(),
                                      .example = "at: \"2026-11-15 08:00\""}));
  }
  read_limit(sub("every"), alert.every, 60s, limits::kYear);
  read_texts(sub("to"), alert.to);
  for (const std::string& receiver : alert.to) {
    const bool blank = std::ranges::any_of(receiver, [](unsigned char c) { return c <= ' '; });
    if (receiver.empty() || blank || receiver.size() > 1024) {
      report_.error(
          sub("to").ref, "pattern", say::invalid_receiver({.value = in_quotes(receiver)}));
    }
  }
  read_word(sub("level"), alert.level, say::noun_level);
  spec_.alerts.push_back(std::move(alert));
}

void NativeReader::read_metrics() {
  const Slot slot = job_slot("metrics");
  if (!slot || !has_value(slot)) return;
  const auto word_or_map = [&](Ref ref) {
    if (ref.is_map()) {
      read_metric_map(ref);
    } else if (ref.is_scalar() && (ref->text == "tensorboard" || ref->text == "file")) {
      model::MetricRule rule;
      rule.kind = ref->text == "file" ? model::MetricKind::File : model::MetricKind::Tensorboard;
      spec_.metrics.push_back(std::move(rule));
    } else {
      wrong_type({ref, slot.field}, say::a_map_or_metric_kind());
    }
  };
  if (slot.ref.is_list()) {
    for (const Ref item : slot.ref) word_or_map(item);
  } else {
    word_or_map(slot.ref);
  }
}

void NativeReader::read_metric_map(Ref map) {
  for (const Ref entry : map) {
    if (spec_.metrics.size() > limits::kMetrics) return;
    read_metric(entry);
  }
}

void NativeReader::read_metric(Ref entry) {
  model::MetricRule rule;
  rule.name = entry->key;
  if (rule.name.empty() || rule.name.size() > limits::kLabelKey) {
    report_.error_at_key(entry, "pattern", say::metric_without_name());
  }
  Slot regex{entry, &metric_fields().front()};
  if (entry.is_map()) {
    check_sub_keys(entry, metric_fields());
    regex = sub_slot(entry, metric_fields(), "regex");
    if (!regex) {
      report_.missing(entry, "regex", "regex: 'loss=([0-9.]+)'");
      return;
    }
    read_text(sub_slot(entry, metric_fields(), "group"), rule.group);
    read_whole(sub_slot(entry, metric_fields(), "window"), rule.window, 1, 100);
  }
  if (!read_text(regex, rule.pattern)) return;
  auto groups = check_metric_regex(rule.pattern);
  if (!groups) {
    refuse(regex, groups.error());
    return;
  }
  rule.value = std::move(groups->value);
  rule.step = std::move(groups->step);
  spec_.metrics.push_back(std::move(rule));
}

void NativeReader::read_services() {
  read_optional<std::string>(job_slot("tensorboard"),
                             spec_.services.tensorboard,
                             [&](Slot s, std::string& v) { return read_text(s, v); });
  read_flag(job_slot("ssh"), spec_.services.ssh);
}

void NativeReader::read_run_as() {
  const Slot slot = job_slot("run_as");
  if (!slot || !has_value(slot)) return;
  model::RunAs run_as;
  if (slot.ref.is_scalar()) {
    run_as.user = slot.ref->text;
  } else if (read_map(slot)) {
    check_sub_keys(slot.ref, run_as_fields());
    const auto sub = [&](std::string_view key) { return sub_slot(slot.ref, run_as_fields(), key); };
    const auto id = [&](Slot s, std::int64_t& v) { return read_whole(s, v, 0, 4'294'967'294); };
    read_text(sub("user"), run_as.user);
    read_optional<std::int64_t>(sub("uid"), run_as.uid, id);
    read_optional<std::int64_t>(sub("gid"), run_as.gid, id);
  } else {
    return;
  }
  if (run_as.user.empty() && !run_as.uid) {
    report_.missing(slot.ref, "user", "user: alice");
  }
  spec_.run_as = std::move(run_as);
}

bool NativeReader::read_policies(Slot slot, std::vector<model::Policy>& out) {
  if (!slot || !read_list(slot)) return !slot;
  for (const Ref item : slot.ref) {
    if (!item.is_map()) {
      wrong_type({item, slot.field}, say::a_map());
      continue;
    }
    check_sub_keys(item, policy_fields());
    const auto sub = [&](std::string_view key) { return sub_slot(item, policy_fields(), key); };
    model::Policy policy;
    const Slot on = sub("on");
    const Slot code = sub("exit_code");
    if (!on && !code) report_.missing(item, "on", "on: task_failed");
    if (on && code)
      report_.error_at_key(
          code.ref, "two_of", say::only_one_of({.keys = Words{"on", "exit_code"}}));
    if (on && has_value(on)) {
      const auto event = [&](Ref word) {
        model::PolicyEvent value{};
        if (read_word({word, on.field}, value, say::noun_event)) policy.events.push_back(value);
      };
      if (on.ref.is_list()) {
        for (const Ref word : on.ref) event(word);
      } else {
        event(on.ref);
      }
    }
    read_optional<std::int64_t>(code, policy.exit_code, [&](Slot s, std::int64_t& v) {
      if (!read_whole(s, v, -255, 255)) return false;
      if (v != 0) return true;
      report_.error(s.ref, "range", say::zero_is_success({.most = 255}));
      return false;
    });
    if (const Slot action = sub("do"))
      read_word(action, policy.action, say::noun_action);
    else
      report_.missing(item, "do", "do: restart_job");
    read_limit(sub("delay"), policy.delay, 0s, limits::kYear);
    out.push_back(std::move(policy));
  }
  return true;
}

void NativeReader::read_roles() {
  const Slot slot = job_slot("roles");
  if (!slot) {
    places_.push_back({top_, {}, {}});
    spec_.roles.emplace_back().name = "main";
  } else if (read_map(slot)) {
    if (slot.ref->count == 0) {
      report_.error(slot.ref, "range", say::value_is_empty({.example = slot.field->example}));
    }
    for (const Ref role : slot.ref) {
      if (spec_.roles.size() > limits::kRoles)
        break;  // the count is complained about, the rest need not be read
      if (!role.is_map() && !role.is_null()) {
        report_.error(role,
                      "type",
                      say::wrong_kind({.expected = say::a_role(),
                                       .got = quoted(role),
                                       .example = std::string(role->key) + ": {count: 2}"}));
        continue;
      }
      if (role.is_map()) check_keys(role, fields(), true);
      places_.push_back({role, {}, {}});
      spec_.roles.emplace_back().name = role->key;
    }
  }
  doubts_.resize(spec_.roles.size() + 1);
  std::vector<std::size_t> mains;
  for (std::size_t i = 0; i < spec_.roles.size(); ++i) {
    read_role(i);
    if (spec_.roles[i].completion.ends_job) mains.push_back(i);
  }
  if (mains.size() < 2) return;
  Words names;
  for (const std::size_t main : mains) names.push_back(spec_.roles[main].name);
  report_.error(
      role_slot(mains[1], "main").ref, "main_twice", say::several_main({.names = some_of(names)}));
}

Ref NativeReader::locate(const Subject& subject) const {
  const auto key_of = [](Part part) -> std::string_view {
    switch (part) {
      case Part::Job:
        return {};
      case Part::Name:
        return "name";
      case Part::Description:
        return "description";
      case Part::Workspace:
        return "workspace";
      case Part::Priority:
        return "priority";
      case Part::Labels:
        return "labels";
      case Part::Gang:
        return "gang";
      case Part::SucceedAfter:
        return "succeed_after";
      case Part::Secrets:
        return "secrets";
      case Part::Params:
        return "params";
      case Part::Extras:
        return "extras";
      case Part::Alerts:
        return "alerts";
      case Part::Metrics:
        return "metrics";
      case Part::Policies:
        return "policies";
      case Part::Env:
        return "env";
      case Part::Role:
        return "roles";
      case Part::Count:
        return "count";
      case Part::MinCount:
        return "min_count";
      case Part::Image:
        return "image";
      case Part::Command:
        return "run";
      case Part::Workdir:
        return "workdir";
      case Part::Cpus:
        return "cpus";
      case Part::Memory:
        return "memory";
      case Part::Shm:
        return "shm";
      case Part::Gpus:
        return "gpus";
      case Part::Ports:
        return "ports";
      case Part::Mounts:
        return "mounts";
      case Part::After:
        return "after";
      case Part::FailWhen:
        return "fail_when";
      case Part::DoneWhen:
        return "done_when";
      case Part::NodeLabels:
        return "node_labels";
      case Part::Sku:
        return "sku";
    }
    return {};
  };
  const std::string_view key = key_of(subject.part);
  if (subject.role < 0) {
    const Ref value = top_.find(key);
    if (!value) return top_;
    if (const Ref inner = value.find(subject.key); inner && !subject.key.empty()) return inner;
    for (const Ref item : value) {
      if (value.is_list() && item->text == subject.key && !subject.key.empty()) return item;
    }
    return value;
  }
  const auto index = static_cast<std::size_t>(subject.role);
  const RolePlace& place = places_[index];
  if (subject.part == Part::Role) return place.node;
  if (subject.part == Part::Ports && subject.index < place.ports.size())
    return place.ports[subject.index];
  if (subject.part == Part::Mounts && subject.index < place.mounts.size())
    return place.mounts[subject.index];
  const Slot slot = role_slot(index, key);
  if (!slot) return place.node;
  if (subject.key.empty()) return slot.ref;
  if (const Ref inner = slot.ref.find(subject.key)) return inner;
  for (const Ref item : slot.ref) {
    if (slot.ref.is_list() && item->text == subject.key) return item;
  }
  return slot.ref;
}

bool NativeReader::doubtful(Part part, int role) const {
  const std::size_t index = static_cast<std::size_t>(role) + 1;
  return index < doubts_.size() && doubts_[index].test(static_cast<std::size_t>(part));
}

}  // namespace ty::jobspec::native
