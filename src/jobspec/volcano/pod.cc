#include "base/text.h"
#include "jobspec/impl/defaults.h"
#include "jobspec/impl/limits.h"
#include "jobspec/messages.h"
#include "jobspec/volcano/reader.h"

/// The pod template of a task: where it runs, as whom, and what of it nobody here looks at.
namespace ty::jobspec::volcano {

using model::RoleSpec;

namespace {

/// What a pod may say that means nothing on one machine.
constexpr std::string_view kWithoutEffect[] = {"affinity",
                                               "tolerations",
                                               "serviceAccountName",
                                               "serviceAccount",
                                               "automountServiceAccountToken",
                                               "priority",
                                               "dnsConfig",
                                               "hostIPC",
                                               "hostPID",
                                               "hostname",
                                               "subdomain",
                                               "nodeName",
                                               "runtimeClassName",
                                               "preemptionPolicy",
                                               "topologySpreadConstraints",
                                               "readinessGates",
                                               "shareProcessNamespace",
                                               "setHostnameAsFQDN",
                                               "overhead"};
/// What it may say besides, be it read, refused or the same as here anyway.
constexpr std::string_view kWithMeaning[] = {"containers",
                                             "initContainers",
                                             "ephemeralContainers",
                                             "restartPolicy",
                                             "volumes",
                                             "imagePullSecrets",
                                             "nodeSelector",
                                             "activeDeadlineSeconds",
                                             "terminationGracePeriodSeconds",
                                             "hostNetwork",
                                             "securityContext",
                                             "schedulerName",
                                             "priorityClassName",
                                             "dnsPolicy",
                                             "hostAliases",
                                             "enableServiceLinks",
                                             "os"};

}  // namespace

void JobReader::read_pod(Ref task, int i, RoleSpec& role) {
  fill_defaults(role.resources, 0, options_.defaults);
  role.resources.shm = default_shm(role.resources.memory);
  const Ref pod_template = map_in(task, "template", "template: {spec: {containers: []}}");
  const Ref pod = pod_template ? map_in(pod_template, "spec", "spec: {containers: []}") : Ref{};
  if (pod_template) keep_unknown(pod_template, {"metadata", "spec"});
  if (!pod) {
    report_.missing(pod_template ? pod_template : task,
                    pod_template ? "spec" : "template",
                    "template: {spec: {containers: [{name: main, image: python:3.12}]}}");
    return;
  }
  read_cluster_fields(pod);
  if (spec_.priority == model::JobSpec{}.priority) read_priority(pod);
  read_restart_policy(pod, role);
  for (const Ref secret : maps_in(pod, "imagePullSecrets", "{name: registry}")) {
    std::string name;
    if (need_text(secret, "name", name, "name: registry") && !role.image_auth)
      role.image_auth = model::ImageAuth{.stored_name = name};
  }
  read_node_selector(pod, i, role);
  read_times(pod, role);
  bool host = false;
  read_bool(pod, "hostNetwork", host, "hostNetwork: false");
  if (host) role.network = model::Network::Host;
  if (const Ref context = map_in(pod, "securityContext", "securityContext: {runAsUser: 1000}"))
    read_pod_security(context, i, role);
  read_containers(pod, i, role);
}

/// What only a cluster can do: passed over where the job does the same without it, else refused.
void JobReader::read_cluster_fields(Ref pod) {
  std::vector<std::string_view> known(std::begin(kWithoutEffect), std::end(kWithoutEffect));
  known.insert(known.end(), std::begin(kWithMeaning), std::end(kWithMeaning));
  keep_unknown(pod, known);
  for (const std::string_view key : kWithoutEffect) ignore(pod, key, say::needs_kubernetes_ignored);
  if (const Ref at = present(pod, "hostAliases")) unsupported(at, say::needs_kubernetes());
  for (const std::string_view key : {"initContainers", "ephemeralContainers"}) {
    if (const Ref at = present(pod, key)) {
      unsupported(at, say::containers_need_kubernetes());
    }
  }
}

void JobReader::read_restart_policy(Ref pod, RoleSpec& role) {
  std::string restart;
  if (!read_text(pod, "restartPolicy", restart, "restartPolicy: Never")) return;
  if (restart == "OnFailure" || restart == "Always") {
    role.restart.on = restart == "Always" ? model::RestartOn::Any : model::RestartOn::Failure;
    return;
  }
  role.restart.budget = 0;
  if (restart.empty()) {
    report_.warn(pod, "changed", say::no_restart_policy());
  } else if (restart != "Never") {
    report_.error(pod.find("restartPolicy"),
                  "enum",
                  say::not_one_of({.value = in_quotes(restart),
                                   .what = say::noun_restart_policy(),
                                   .choices = Words{"Never", "OnFailure", "Always"}}));
  }
}

void JobReader::read_node_selector(Ref pod, int i, RoleSpec& role) {
  const Ref labels = map_in(pod, "nodeSelector", "nodeSelector: {gpu: a100}");
  if (!labels) return;
  place(Part::NodeLabels, i, labels);
  for (const Ref label : labels) {
    if (label.is_scalar())
      role.node_labels[std::string(label->key)] = label->text;
    else
      wrong_type(label, say::some_text(), std::string(label->key) + ": a100");
  }
}

void JobReader::read_times(Ref pod, RoleSpec& role) {
  std::int64_t seconds = 0;
  if (present(pod, "activeDeadlineSeconds") && read_whole(pod,
                                                          "activeDeadlineSeconds",
                                                          seconds,
                                                          1,
                                                          limits::kYear.count(),
                                                          "activeDeadlineSeconds: 3600")) {
    role.task_limit = Seconds{seconds};
  }
  if (present(pod, "terminationGracePeriodSeconds") &&
      read_whole(pod,
                 "terminationGracePeriodSeconds",
                 seconds,
                 0,
                 limits::kLongestGrace.count(),
                 "terminationGracePeriodSeconds: 30")) {
    grace_ = std::max(grace_.value_or(Seconds{0}), Seconds{seconds});
  }
}

void JobReader::read_containers(Ref pod, int i, RoleSpec& role) {
  const std::vector<Ref> containers =
      maps_in(pod, "containers", "{name: main, image: python:3.12}");
  if (containers.empty() && (!pod.find("containers") || is_absent(pod.find("containers")))) {
    report_.missing(pod, "containers", "containers: [{name: main, image: python:3.12}]");
    return;
  }
  for (std::size_t k = 1; k < containers.size(); ++k) {
    report_.error(containers[k], "unsupported", say::needs_kubernetes());
  }
  if (!containers.empty()) read_container(containers.front(), pod, i, role);
}

void JobReader::read_user(Ref context) {
  std::int64_t id = 0;
  model::RunAs who = spec_.run_as.value_or(model::RunAs{});
  if (present(context, "runAsUser") &&
      read_whole(context, "runAsUser", id, 0, UINT32_MAX - 1, "runAsUser: 1000")) {
    if (who.uid && *who.uid != id) {
      report_.warn(context.find("runAsUser"), "changed", say::one_user_per_job({.uid = *who.uid}));
    } else {
      who.uid = id;
    }
  }
  if (present(context, "runAsGroup") &&
      read_whole(context, "runAsGroup", id, 0, UINT32_MAX - 1, "runAsGroup: 1000") && !who.gid) {
    who.gid = id;
  }
  if (who.uid || who.gid) spec_.run_as = who;
}

void JobReader::read_pod_security(Ref context, int, RoleSpec&) {
  keep_unknown(context,
               {"runAsUser",
                "runAsGroup",
                "runAsNonRoot",
                "fsGroup",
                "fsGroupChangePolicy",
                "supplementalGroups",
                "seccompProfile",
                "seLinuxOptions",
                "sysctls",
                "appArmorProfile"});
  ignore_all(context,
             {"fsGroup", "supplementalGroups", "seccompProfile", "seLinuxOptions", "sysctls"},
             say::needs_kubernetes_ignored);
  read_user(context);
}

}  // namespace ty::jobspec::volcano
