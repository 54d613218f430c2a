#include "jobspec/volcano/parse.h"

#include <algorithm>

#include "base/text.h"
#include "jobspec/impl/carry.h"
#include "jobspec/impl/defaults.h"
#include "jobspec/impl/limits.h"
#include "jobspec/impl/readers.h"
#include "jobspec/messages.h"
#include "jobspec/volcano/reader.h"
#include "jobspec/volcano/words.h"
#include "model/names.h"

namespace ty::jobspec::volcano {

using model::PolicyEvent;
using model::RoleSpec;

model::JobSpec JobReader::read() {
  keep_unknown(top_, {"apiVersion", "kind", "metadata", "spec", "status"});
  ignore(top_, "status", say::written_by_cluster);
  spec_.kube = to_json(top_);
  spec_.retry.on.clear();
  spec_.retry.counted = {model::FailureClass::User, model::FailureClass::Platform};
  spec_.retry.budget = kUsualRetries - 1;
  spec_.completion.at_end = model::AtEnd::CheckJob;
  read_metadata();
  if (const Ref spec = map_in(top_, "spec", "spec: {tasks: []}")) {
    read_spec(spec);
  } else if (!top_.find("spec") || is_absent(top_.find("spec"))) {
    report_.missing(top_, "spec", "spec: {tasks: []}");
  }
  read_carried();
  validate(spec_, *this, report_);
  return std::move(spec_);
}

/// What `convert` wrote for itself: a JSON object as the text of an annotation.
void JobReader::read_carried() {
  const Ref metadata = top_.find("metadata");
  const Ref annotations = metadata ? metadata.find("annotations") : Ref{};
  const Ref note = annotations ? annotations.find("trainyard.dev/spec") : Ref{};
  if (!note || !note.is_scalar() || !report_.errors.empty()) return;
  Tree tree(note->text);
  if (read_json(note->text, tree).fatal) {
    report_.error(note, "carried", say::carried_not_json());
    return;
  }
  Report inner;
  for (const Ref carried : tree.documents()) apply_carried(spec_, carried, inner);
  for (Issue& issue : inner.errors) report_.error(note, issue.code, std::move(issue.message));
}

void JobReader::read_metadata() {
  const Ref metadata = map_in(top_, "metadata", "metadata: {name: mnist}");
  if (!metadata) {
    report_.missing(top_, "metadata.name", "metadata: {name: mnist}");
    doubt(Part::Name, -1);
    return;
  }
  keep_unknown(metadata,
               {"name",
                "generateName",
                "namespace",
                "labels",
                "annotations",
                "uid",
                "resourceVersion",
                "generation",
                "creationTimestamp",
                "managedFields",
                "selfLink",
                "ownerReferences",
                "finalizers"});
  ignore_all(metadata, {"ownerReferences", "finalizers"}, say::for_the_cluster);
  const Ref generated = present(metadata, "generateName");
  if (!present(metadata, "name") && generated) {
    read_text(metadata, "generateName", spec_.name, "name: mnist");
    while (spec_.name.ends_with('-')) spec_.name.pop_back();
    report_.warn(
        generated, "changed", say::stored_without_random_end({.name = shorten(spec_.name)}));
    place(Part::Name, -1, generated);
  } else if (need_text(metadata, "name", spec_.name, "name: mnist")) {
    place(Part::Name, -1, metadata.find("name"));
  } else {
    doubt(Part::Name, -1);
  }
  std::string space;
  if (read_text(metadata, "namespace", space, "namespace: default") && !space.empty() &&
      space != "default") {
    report_.warn(metadata.find("namespace"), "ignored", say::no_namespaces());
  }
  if (const Ref labels = map_in(metadata, "labels", "labels: {team: vision}")) {
    place(Part::Labels, -1, labels);
    for (const Ref label : labels) {
      if (label.is_scalar())
        spec_.labels[std::string(label->key)] = label->text;
      else if (label.is_null())
        spec_.labels[std::string(label->key)] = "";
      else
        wrong_type(label, say::some_text(), std::string(label->key) + ": vision");
    }
  }
  map_in(metadata, "annotations", "annotations: {note: text}");
}

void JobReader::read_spec(Ref spec) {
  keep_unknown(spec,
               {"schedulerName",
                "minAvailable",
                "minSuccess",
                "queue",
                "maxRetry",
                "ttlSecondsAfterFinished",
                "priorityClassName",
                "runningEstimate",
                "policies",
                "plugins",
                "volumes",
                "networkTopology",
                "tasks"});
  std::string scheduler;
  if (read_text(spec, "schedulerName", scheduler, "schedulerName: volcano") && !scheduler.empty() &&
      scheduler != "volcano") {
    report_.warn(spec.find("schedulerName"), "ignored", say::own_scheduler());
  }
  ignore(spec, "networkTopology", say::needs_kubernetes_ignored);
  ignore(spec, "runningEstimate", say::only_informs);
  if (const Ref queue = present(spec, "queue")) place(Part::Workspace, -1, queue);
  read_text(spec, "queue", spec_.workspace, "queue: default");
  read_priority(spec);
  std::int64_t runs = kUsualRetries, keep = 0;
  if (read_whole(spec, "maxRetry", runs, 0, 1'000'000, "maxRetry: 3"))
    spec_.retry.budget = (runs == 0 ? kUsualRetries : runs) - 1;
  if (present(spec, "ttlSecondsAfterFinished") && read_whole(spec,
                                                             "ttlSecondsAfterFinished",
                                                             keep,
                                                             0,
                                                             limits::kTenYears.count(),
                                                             "ttlSecondsAfterFinished: 3600")) {
    spec_.ttl = Seconds{keep};
  }
  read_policies(spec, -1, spec_.policies);
  read_volumes(spec);
  read_tasks(spec);
  read_plugins(spec);
  finish_counts(spec);
  check_service_name();
  if (grace_) spec_.stop_grace = *grace_;
}

void JobReader::read_priority(Ref map) {
  std::string name;
  if (!read_text(map, "priorityClassName", name, "priorityClassName: high") || name.empty()) return;
  const Ref at = map.find("priorityClassName");
  place(Part::Priority, -1, at);
  if (const auto priority = priority_of(name)) {
    spec_.priority = *priority;
  } else {
    report_.warn(at,
                 "changed",
                 say::priority_read_as_normal(
                     {.name = shorten(name), .choices = Words{"low", "normal", "high", "urgent"}}));
  }
}

void JobReader::read_volumes(Ref spec) {
  std::vector<std::string> targets;
  for (const Ref item : maps_in(spec, "volumes", "{mountPath: /data, volumeClaimName: data}")) {
    keep_unknown(item, {"mountPath", "volumeClaimName", "volumeClaim"});
    model::Mount mount;
    if (!need_text(item, "mountPath", mount.target, "mountPath: /data")) continue;
    const Ref claim = present(item, "volumeClaimName"), made = present(item, "volumeClaim");
    if (claim && made) {
      report_.error_at_key(
          made, "two_of", say::only_one_of({.keys = Words{"volumeClaimName", "volumeClaim"}}));
      continue;
    }
    if (mount.target.find(':') != std::string::npos) {
      report_.error(item.find("mountPath"),
                    "target",
                    say::path_with_colon({.path = in_quotes(mount.target)}));
      continue;
    }
    if (claim && claim.is_scalar()) {
      mount.source = "volume:" + std::string(claim->text);
      mount.name = claim->text;
    } else {
      // The cluster would make a volume for this job alone.
      mount.source = "scratch:";
      mount.kind = model::MountKind::Scratch;
    }
    volumes_.push_back({std::move(mount), item.find("mountPath")});
  }
}

void JobReader::read_tasks(Ref spec) {
  constexpr std::string_view kExample =
      "{name: worker, replicas: 1, template: {spec: {containers: []}}}";
  if (!present(spec, "tasks")) {
    report_.missing(spec, "tasks", "tasks: [" + std::string(kExample) + "]");
    return;
  }
  place(Part::Role, -1, spec.find("tasks"));
  for (const Ref task : maps_in(spec, "tasks", kExample)) {
    if (spec_.roles.size() > limits::kRoles) break;
    const int i = static_cast<int>(spec_.roles.size());
    spec_.roles.emplace_back();
    place(Part::Role, i, task);
    read_task(task, i);
  }
}

void JobReader::read_task(Ref task, int i) {
  RoleSpec& role = spec_.roles.back();
  keep_unknown(task,
               {"name",
                "replicas",
                "minAvailable",
                "template",
                "policies",
                "maxRetry",
                "dependsOn",
                "topologyPolicy",
                "partitionPolicy"});
  role.name = "default" + std::to_string(i);
  if (read_text(task, "name", role.name, "name: worker") && present(task, "name"))
    place(Part::Role, i, task.find("name"));
  role.system_name = model::dns_name(role.name, {});
  role.ranked = ranked_by_name(role.name);
  role.count = 0;
  if (const Ref count = present(task, "replicas")) {
    place(Part::Count, i, count);
    if (!read_whole(task, "replicas", role.count, 0, limits::kTasks, "replicas: 1"))
      doubt(Part::Count, i);
  } else {
    report_.warn(task, "missing", say::no_replicas());
  }
  std::int64_t least = 0;
  if (const Ref at = present(task, "minAvailable")) {
    place(Part::MinCount, i, at);
    if (read_whole(task, "minAvailable", least, 0, limits::kTasks, "minAvailable: 1")) {
      if (least != role.count) role.min_available = least;
    } else {
      doubt(Part::MinCount, i);
    }
  }
  ignore(task, "topologyPolicy", say::needs_kubernetes_ignored);
  ignore(task, "partitionPolicy", say::needs_kubernetes_ignored);
  read_policies(task, i, role.policies);
  read_depends_on(task, i, role);
  // The webhook's number of runs; what counts as one is the pod's restart policy.
  role.restart.budget = kUsualRetries;
  std::int64_t tries = kUsualRetries;
  if (read_whole(task, "maxRetry", tries, -1, 1'000'000, "maxRetry: 3"))
    role.restart.budget = tries == 0 ? kUsualRetries : tries;
  role.restart.lost = true;
  role.completion.min_failed.reset();
  read_pod(task, i, role);
}

void JobReader::read_depends_on(Ref task, int i, RoleSpec& role) {
  const Ref depends = map_in(task, "dependsOn", "dependsOn: {name: [master]}");
  if (!depends) return;
  keep_unknown(depends, {"name", "iteration"});
  place(Part::After, i, depends);
  std::string iteration = "all";
  read_text(depends, "iteration", iteration, "iteration: all");
  if (iteration != "all" && iteration != "any") {
    report_.error(depends.find("iteration"),
                  "enum",
                  say::not_one_of({.value = quoted(depends.find("iteration")),
                                   .what = say::noun_iteration(),
                                   .choices = Words{"all", "any"}}));
  }
  std::vector<std::string> names;
  read_texts(depends, "name", names, "name: [master]");
  const Ref list = depends.find("name");
  for (const std::string& name : names) {
    role.after.push_back(
        {.role = name, .when = model::AfterWhen::Started, .any = iteration == "any"});
    if (!list.is_list()) {
      place_key(Part::After, i, name, list);
      continue;
    }
    for (const Ref item : list) {
      if (item.is_scalar() && item->text == name) place_key(Part::After, i, name, item);
    }
  }
}

void JobReader::read_policies(Ref map, int role, std::vector<model::Policy>& out) {
  if (const Ref at = present(map, "policies")) place(Part::Policies, role, at);
  std::vector<PolicyEvent> seen;
  for (const Ref item : maps_in(map, "policies", "{event: PodFailed, action: RestartJob}")) {
    if (auto policy = read_policy(item, seen)) out.push_back(*std::move(policy));
  }
}

std::optional<model::Policy> JobReader::read_policy(Ref item, std::vector<PolicyEvent>& seen) {
  keep_unknown(item, {"event", "events", "exitCode", "action", "timeout"});
  const std::size_t before = report_.errors.size();
  model::Policy policy;
  std::int64_t code = 0;
  const bool has_code = static_cast<bool>(present(item, "exitCode"));
  if (has_code && read_whole(item, "exitCode", code, INT32_MIN, INT32_MAX, "exitCode: 137")) {
    policy.exit_code = code;
    if (code == 0) {
      report_.error(item.find("exitCode"), "range", say::zero_is_success({.most = 255}));
    }
  }
  const bool has_event = present(item, "event") || present(item, "events");
  if (has_code && has_event) {
    report_.error_at_key(
        item.find("exitCode"), "two_of", say::only_one_of({.keys = Words{"exitCode", "events"}}));
  } else if (!has_code && !has_event) {
    report_.missing(item, "event", "event: PodFailed");
  }
  read_events(item, policy, seen);
  std::string action;
  if (need_text(item, "action", action, "action: RestartJob")) {
    if (const auto known = action_of(action))
      policy.action = *known;
    else
      report_.error(item.find("action"),
                    "enum",
                    say::not_one_of({.value = quoted(item.find("action")),
                                     .what = say::noun_action(),
                                     .choices = Words{"RestartJob",
                                                      "RestartTask",
                                                      "RestartPod",
                                                      "AbortJob",
                                                      "TerminateJob",
                                                      "CompleteJob"}}));
  }
  policy.delay = read_duration(item, "timeout");
  const bool pending =
      std::ranges::find(policy.events, PolicyEvent::TaskPending) != policy.events.end();
  if (pending && !policy.delay && report_.errors.size() == before) {
    report_.warn(item, "ignored", say::pending_needs_timeout());
  }
  if (report_.errors.size() != before) return std::nullopt;
  return policy;
}

void JobReader::read_events(Ref item, model::Policy& policy, std::vector<PolicyEvent>& seen) {
  std::vector<Ref> words;
  for (const std::string_view key : {"event", "events"}) {
    const Ref at = present(item, key);
    if (!at) continue;
    if (at.is_scalar()) words.push_back(at);
    if (at.is_list()) {
      for (const Ref word : at) words.push_back(word);
    }
    if (at.is_map()) wrong_type(at, say::an_event(), "event: PodFailed");
  }
  for (const Ref word : words) {
    const auto event = event_of(word.is_scalar() ? word->text : "");
    if (!event) {
      const bool internal = word.is_scalar() && is_internal_event(word->text);
      report_.error(word,
                    "enum",
                    internal ? say::controllers_own_event(
                                   {.value = quoted(word),
                                    .choices = Words{"PodFailed", "PodEvicted", "TaskCompleted"}})
                             : say::not_one_of({.value = quoted(word),
                                                .what = say::noun_event(),
                                                .choices = Words{"PodFailed",
                                                                 "PodEvicted",
                                                                 "PodPending",
                                                                 "TaskCompleted",
                                                                 "TaskFailed",
                                                                 "Unknown",
                                                                 "*"}}));
      continue;
    }
    if (std::ranges::find(seen, *event) != seen.end()) {
      report_.error(word, "duplicate_name", say::event_has_action({.value = quoted(word)}));
      continue;
    }
    const bool any = *event == PolicyEvent::Any;
    if (!seen.empty() && (any || std::ranges::find(seen, PolicyEvent::Any) != seen.end())) {
      report_.error(word, "two_of", say::any_event_stands_alone());
    }
    seen.push_back(*event);
    policy.events.push_back(*event);
  }
}

std::optional<Seconds> JobReader::read_duration(Ref map, std::string_view key) {
  const Ref at = present(map, key);
  if (!at) return std::nullopt;
  if (!at.is_scalar()) {
    wrong_type(at, say::a_duration(), std::string(key) + ": 10m");
    return std::nullopt;
  }
  // Metav1 durations travel as text; a bare 0 is Go's too.
  std::string text(trim(at->text));
  if (text == "0") return Seconds{0};
  if (text.ends_with("ms")) {
    const auto millis = parse_whole(std::string_view(text).substr(0, text.size() - 2));
    if (millis && *millis >= 0) return Seconds{(*millis + 999) / 1000};
  }
  if (const std::size_t point = text.find(".0s"); point != std::string::npos) text.erase(point, 2);
  const auto value = parse_time(text);
  if (!value) {
    report_.error(at, value.error().code, value.error().message);
    return std::nullopt;
  }
  return *value;
}

/// What must be there to start, and what must have succeeded in the end, once all tasks are known.
void JobReader::finish_counts(Ref spec) {
  std::int64_t total = 0, least = 0;
  for (const RoleSpec& role : spec_.roles) {
    total += role.count;
    least += role.min_available.value_or(role.count);
  }
  std::int64_t available = 0;
  if (const Ref at = present(spec, "minAvailable")) {
    place(Part::Gang, -1, at);
    read_whole(spec, "minAvailable", available, 0, limits::kTasks, "minAvailable: 1");
  }
  if (available == 0) available = least;  // as the webhook fills it in
  if (available != total) spec_.min_available = available;
  std::int64_t enough = 0;
  if (const Ref at = present(spec, "minSuccess")) {
    place(Part::SucceedAfter, -1, at);
    if (read_whole(spec, "minSuccess", enough, 1, limits::kTasks, "minSuccess: 1"))
      spec_.completion.min_succeeded = enough;
  }
  spec_.completion.need = spec_.completion.min_succeeded.value_or(available);
  for (RoleSpec& role : spec_.roles) {
    role.completion.need = available >= least ? role.min_available.value_or(role.count) : 0;
  }
}

/// The job's name is also its tasks' domain; the cluster finds that out too late.
void JobReader::check_service_name() {
  if (spec_.name.empty() || model::task_count(spec_) < 2) return;
  const bool letter = spec_.name.front() >= 'a' && spec_.name.front() <= 'z';
  if (letter && spec_.name.find('.') == std::string::npos) return;
  report_.error(
      locate({Part::Name}),
      "pattern",
      say::name_is_domain({.name = in_quotes(spec_.name),
                           .example = "job-" + shorten(model::gpu_manager_name(spec_.name))}));
}

model::JobSpec parse(Ref document, const ReadOptions& options, Params&, Report& report) {
  return JobReader(document, options, report).read();
}

}  // namespace ty::jobspec::volcano
