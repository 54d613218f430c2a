#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "jobspec/impl/defaults.h"
#include "jobspec/impl/limits.h"
#include "jobspec/volcano/reader.h"
#include "jobspec/volcano/words.h"

/// The pod template of a task: what its containers run, with what, and on what.
namespace ty::jobspec::volcano {

using model::Mount;
using model::MountKind;
using model::RoleSpec;

namespace {

constexpr std::string_view kNeedsCluster =
    "needs the Kubernetes engine; without effect on this server";

/// What a pod says about itself, in variables that every task has here.
std::string_view field_variable(std::string_view path) {
  constexpr std::pair<std::string_view, std::string_view> kFields[] = {
      {"metadata.name", "HOSTNAME"},
      {"metadata.namespace", "TRAINYARD_WORKSPACE"},
      {"metadata.uid", "PAI_CONTAINER_ID"},
      {"status.podIP", "PAI_CONTAINER_HOST_IP"},
      {"status.podIPs", "PAI_CONTAINER_HOST_IP"},
      {"status.hostIP", "PAI_CONTAINER_HOST_IP"},
      {"spec.nodeName", "TRAINYARD_NODE"},
      {"metadata.labels['volcano.sh/job-name']", "TRAINYARD_JOB_NAME"},
      {"metadata.annotations['volcano.sh/task-index']", "VC_TASK_INDEX"},
      {"metadata.labels['volcano.sh/task-index']", "VC_TASK_INDEX"},
      {"metadata.annotations['volcano.sh/task-spec']", "TRAINYARD_ROLE"},
      {"metadata.labels['volcano.sh/task-spec']", "TRAINYARD_ROLE"}};
  for (const auto& [field, variable] : kFields) {
    if (field == path) return variable;
  }
  return "";
}

bool is_gpu_resource(std::string_view name) { return name.ends_with("/gpu"); }

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
                    "missing; write for example template: {spec: {containers: [{name: main, image: "
                    "python:3.12}]}}");
    return;
  }
  keep_unknown(pod,
               {"containers",
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
                "affinity",
                "tolerations",
                "serviceAccountName",
                "serviceAccount",
                "automountServiceAccountToken",
                "schedulerName",
                "priorityClassName",
                "priority",
                "dnsPolicy",
                "dnsConfig",
                "hostIPC",
                "hostPID",
                "hostAliases",
                "hostname",
                "subdomain",
                "nodeName",
                "enableServiceLinks",
                "runtimeClassName",
                "preemptionPolicy",
                "topologySpreadConstraints",
                "readinessGates",
                "shareProcessNamespace",
                "setHostnameAsFQDN",
                "overhead",
                "os"});
  ignore_all(pod,
             {"affinity",
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
              "overhead"},
             kNeedsCluster);
  if (const Ref at = present(pod, "hostAliases"))
    unsupported(at, "needs the Kubernetes engine; remove it or choose another workspace");
  for (const std::string_view key : {"initContainers", "ephemeralContainers"}) {
    if (const Ref at = present(pod, key)) {
      unsupported(at,
                  "needs the Kubernetes engine; put what they do at the start of the command, or "
                  "choose another workspace");
    }
  }
  if (spec_.priority == model::JobSpec{}.priority) read_priority(pod);

  std::string restart;
  if (read_text(pod, "restartPolicy", restart, "restartPolicy: Never")) {
    if (restart.empty()) {
      report_.warn(pod,
                   "changed",
                   "has no restartPolicy, read as Never: with Kubernetes' Always a task could not "
                   "end; write restartPolicy: OnFailure for restarts");
    }
    if (restart == "OnFailure" || restart == "Always") {
      role.restart.on = restart == "Always" ? model::RestartOn::Any : model::RestartOn::Failure;
    } else {
      if (!restart.empty() && restart != "Never") {
        report_.error(
            pod.find("restartPolicy"),
            "enum",
            "\"" + shorten(restart) + "\" is no restart policy; write Never, OnFailure or Always");
      }
      role.restart.budget = 0;
    }
  }
  for (const Ref secret : maps_in(pod, "imagePullSecrets", "{name: registry}")) {
    std::string name;
    if (need_text(secret, "name", name, "name: registry") && !role.image_auth)
      role.image_auth = model::ImageAuth{.stored_name = name};
  }
  if (const Ref labels = map_in(pod, "nodeSelector", "nodeSelector: {gpu: a100}")) {
    place(Part::NodeLabels, i, labels);
    for (const Ref label : labels) {
      if (label.is_scalar())
        role.node_labels[std::string(label->key)] = label->text;
      else
        wrong_type(label, "text", std::string(label->key) + ": a100");
    }
  }
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
  bool host = false;
  read_bool(pod, "hostNetwork", host, "hostNetwork: false");
  if (host) role.network = model::Network::Host;
  if (const Ref context = map_in(pod, "securityContext", "securityContext: {runAsUser: 1000}"))
    read_pod_security(context, i, role);

  const std::vector<Ref> containers =
      maps_in(pod, "containers", "{name: main, image: python:3.12}");
  if (containers.empty() && (!pod.find("containers") || is_absent(pod.find("containers")))) {
    report_.missing(pod,
                    "containers",
                    "missing; write for example containers: [{name: main, image: python:3.12}]");
    return;
  }
  for (std::size_t k = 1; k < containers.size(); ++k) {
    report_.error(containers[k],
                  "unsupported",
                  "containers[" + std::to_string(k) +
                      "] needs the Kubernetes engine; remove it or choose another workspace");
  }
  if (!containers.empty()) read_container(containers.front(), pod, i, role);
}

void JobReader::read_user(Ref context) {
  std::int64_t id = 0;
  model::RunAs who = spec_.run_as.value_or(model::RunAs{});
  if (present(context, "runAsUser") &&
      read_whole(context, "runAsUser", id, 0, UINT32_MAX - 1, "runAsUser: 1000")) {
    if (who.uid && *who.uid != id) {
      report_.warn(context.find("runAsUser"),
                   "changed",
                   "all tasks of a job run as one user here: " + std::to_string(*who.uid));
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
             kNeedsCluster);
  read_user(context);
}

void JobReader::read_container(Ref container, Ref pod, int i, RoleSpec& role) {
  keep_unknown(container,
               {"name",
                "image",
                "command",
                "args",
                "workingDir",
                "env",
                "envFrom",
                "ports",
                "resources",
                "volumeMounts",
                "imagePullPolicy",
                "securityContext",
                "lifecycle",
                "livenessProbe",
                "readinessProbe",
                "startupProbe",
                "stdin",
                "stdinOnce",
                "tty",
                "terminationMessagePath",
                "terminationMessagePolicy",
                "volumeDevices"});
  ignore_all(container,
             {"lifecycle", "livenessProbe", "readinessProbe", "startupProbe", "volumeDevices"},
             kNeedsCluster);
  if (const Ref at = present(container, "envFrom"))
    unsupported(at, "needs the Kubernetes engine; write the variables under env");
  if (need_text(container, "image", role.image, "image: python:3.12"))
    place(Part::Image, i, container.find("image"));
  role.pull = default_pull(role.image);
  std::string pull;
  if (read_text(container, "imagePullPolicy", pull, "imagePullPolicy: IfNotPresent") &&
      !pull.empty()) {
    if (pull == "Always")
      role.pull = model::PullPolicy::Always;
    else if (pull == "IfNotPresent")
      role.pull = model::PullPolicy::IfMissing;
    else if (pull == "Never")
      role.pull = model::PullPolicy::Never;
    else
      report_.error(
          container.find("imagePullPolicy"),
          "enum",
          "\"" + shorten(pull) + "\" is no pull policy; write Always, IfNotPresent or Never");
  }
  std::string folder;
  if (read_text(container, "workingDir", folder, "workingDir: /workspace") && !folder.empty()) {
    place(Part::Workdir, i, container.find("workingDir"));
    role.workdir = folder;
  }
  read_command(container, i, role);
  read_environment(container, i, role);
  states_shm_ = false;
  read_resources(container, i, role);
  read_ports(container, i, role);
  read_mounts(container, pod, i, role);
  if (!states_shm_) role.resources.shm = default_shm(role.resources.memory);

  const Ref context =
      map_in(container, "securityContext", "securityContext: {capabilities: {add: [SYS_PTRACE]}}");
  if (!context) return;
  keep_unknown(context,
               {"privileged",
                "capabilities",
                "runAsUser",
                "runAsGroup",
                "runAsNonRoot",
                "allowPrivilegeEscalation",
                "readOnlyRootFilesystem",
                "seccompProfile",
                "seLinuxOptions",
                "procMount",
                "appArmorProfile"});
  bool privileged = false;
  read_bool(context, "privileged", privileged, "privileged: false");
  if (privileged)
    unsupported(context.find("privileged"),
                "tasks get no privileges here; name the capabilities they need");
  read_user(context);
  const Ref caps = map_in(context, "capabilities", "capabilities: {add: [SYS_PTRACE]}");
  if (!caps) return;
  std::vector<std::string> add;
  read_texts(caps, "add", add, "add: [SYS_PTRACE]");
  for (const std::string& name : add) {
    if (const auto cap = cap_of(name)) {
      role.caps.emplace_back(*cap);
    } else {
      report_.warn(caps.find("add"),
                   "ignored",
                   "\"" + shorten(name) +
                       "\" is never given to a task; known are SYS_PTRACE, IPC_LOCK, SYS_ADMIN, "
                       "NET_ADMIN");
    }
  }
}

void JobReader::read_environment(Ref container, int i, RoleSpec& role) {
  if (const Ref at = present(container, "env")) place(Part::Env, i, at);
  for (const Ref entry : maps_in(container, "env", "{name: BATCH, value: \"32\"}")) {
    keep_unknown(entry, {"name", "value", "valueFrom"});
    std::string name;
    if (!need_text(entry, "name", name, "name: BATCH")) continue;
    place_key(Part::Env, i, name, entry.find("name"));
    const Ref value = entry.find("value");
    if (const Ref from = present(entry, "valueFrom")) {
      if (value && !is_absent(value)) {
        report_.error_at_key(from, "two_of", "give either value or valueFrom, not both");
      } else {
        read_value_from(entry, name, i, role);
      }
    } else if (value && !value.is_scalar() && !value.is_null()) {
      wrong_type(value, "text", "value: \"32\"");
    } else {
      role.env[name] = value ? std::string(value->text) : std::string();
    }
  }
}

void JobReader::read_value_from(Ref entry, const std::string& name, int, RoleSpec& role) {
  const Ref from = map_in(entry, "valueFrom", "valueFrom: {fieldRef: {fieldPath: metadata.name}}");
  if (!from) return;
  if (const Ref field = map_in(from, "fieldRef", "fieldRef: {fieldPath: metadata.name}")) {
    keep_unknown(field, {"apiVersion", "fieldPath"});
    std::string path;
    if (!need_text(field, "fieldPath", path, "fieldPath: metadata.name")) return;
    const std::string_view variable = field_variable(path);
    if (variable.empty()) {
      report_.error(field.find("fieldPath"),
                    "unsupported",
                    "\"" + shorten(path) +
                        "\" is known to the Kubernetes engine only; metadata.name, "
                        "metadata.namespace and status.podIP work here");
      return;
    }
    role.env[name] = "$(" + std::string(variable) + ")";
    return;
  }
  for (const std::string_view key : {"secretKeyRef", "configMapKeyRef"}) {
    const Ref ref = map_in(from, key, std::string(key) + ": {name: wandb, key: token}");
    if (!ref) continue;
    std::string object, field;
    if (need_text(ref, "name", object, "name: wandb") && need_text(ref, "key", field, "key: token"))
      spec_.secrets[name] = {.stored_name = object + "/" + field};
    return;
  }
  unsupported(entry.find("valueFrom"),
              "needs the Kubernetes engine; write value: with the text itself");
}

void JobReader::read_resources(Ref container, int i, RoleSpec& role) {
  const Ref resources = map_in(container, "resources", "resources: {limits: {cpu: 1}}");
  const Ref limits = resources ? map_in(resources, "limits", "limits: {cpu: 1}") : Ref{};
  const Ref requests = resources ? map_in(resources, "requests", "requests: {cpu: 1}") : Ref{};
  if (resources) keep_unknown(resources, {"limits", "requests", "claims"});
  model::Resources& out = role.resources;
  read_extended(limits, requests, i, role);
  fill_defaults(out, std::clamp<std::int64_t>(out.gpus, 0, limits::kGpus), options_.defaults);

  const auto amount = [&](std::string_view key, KubeKind kind, Part part, std::int64_t& value) {
    std::int64_t asked = -1, most = -1;
    if (requests) read_amount(requests, key, kind, part, i, asked);
    if (limits) read_amount(limits, key, kind, part, i, most);
    if (most >= 0)
      value = most;
    else if (asked >= 0)
      value = asked;
    if (most < 0 || asked < 0 || most == asked) return;
    if (asked > most) {
      report_.error(requests.find(key),
                    "range",
                    quoted(requests.find(key)) + " is more than the limit " +
                        quoted(limits.find(key)) + "; write at most the limit");
    } else {
      report_.warn(requests.find(key),
                   "changed",
                   "tasks get their limit for themselves here: " + quoted(limits.find(key)));
    }
  };
  amount("cpu", KubeKind::Cpu, Part::Cpus, out.cpu_milli);
  amount("memory", KubeKind::Memory, Part::Memory, out.memory);
  // Zero names nothing; the cluster would start the container without a limit.
  model::Resources usual;
  fill_defaults(usual, std::clamp<std::int64_t>(out.gpus, 0, limits::kGpus), options_.defaults);
  if (out.cpu_milli == 0) out.cpu_milli = usual.cpu_milli;
  if (out.memory == 0) out.memory = usual.memory;
  out.shm = default_shm(out.memory);
}

/// Everything but CPU and memory: whole numbers, the request as large as the limit.
void JobReader::read_extended(Ref limits, Ref requests, int i, RoleSpec& role) {
  model::Resources& out = role.resources;
  for (const Ref list : {requests, limits}) {
    if (!list) continue;
    for (const Ref entry : list) {
      const std::string_view name = entry->key;
      if (name == "cpu" || name == "memory") continue;
      std::int64_t value = 0;
      if (name == "ephemeral-storage") {
        if (read_amount(list, name, KubeKind::Memory, Part::Role, i, value)) out.disk = value;
        continue;
      }
      const Part part = is_gpu_resource(name) ? Part::Gpus : Part::Role;
      const Ref other = limits && requests
                            ? (list.index() == limits.index() ? requests : limits).find(name)
                            : Ref{};
      if (!read_amount(list, name, KubeKind::Count, part, i, value)) continue;
      if (list.index() == (requests ? requests.index() : 0) && limits && !other) {
        report_.error(entry, "range", "stands under requests only; write it under limits too");
      }
      if (other && other.is_scalar() && list.index() != requests.index()) {
        const auto asked = parse_kube_whole(other->text, KubeKind::Count);
        if (asked && *asked != value)
          report_.error(other,
                        "range",
                        quoted(other) + " is not the limit " + quoted(entry) + "; write the same");
      }
      if (is_gpu_resource(name))
        out.gpus = value;
      else if (value > 0)
        out.devices[std::string(name)] = value;
    }
  }
}

void JobReader::read_ports(Ref container, int i, RoleSpec& role) {
  for (const Ref item : maps_in(container, "ports", "{containerPort: 2222, name: tfjob-port}")) {
    keep_unknown(item, {"containerPort", "name", "protocol", "hostPort", "hostIP"});
    ignore(item, "hostPort", "no port of the machine is opened; reach it through the page");
    model::Port port;
    if (!present(item, "containerPort")) {
      report_.missing(item, "containerPort", "missing; write for example containerPort: 2222");
      continue;
    }
    if (!read_whole(item, "containerPort", port.first, 1, limits::kMaxPort, "containerPort: 2222"))
      continue;
    port.label = "p" + std::to_string(port.first);
    if (!read_text(item, "name", port.label, "name: web")) continue;
    const Ref at = present(item, "name") ? item.find("name") : item.find("containerPort");
    if (!check_port_name(at, port.label)) continue;
    place_item(Part::Ports, i, role.ports.size(), at);
    role.ports.push_back(std::move(port));
  }
}

void JobReader::read_mounts(Ref container, Ref pod, int i, RoleSpec& role) {
  const std::vector<Ref> volumes = maps_in(pod, "volumes", "{name: data, emptyDir: {}}");
  for (const JobVolume& volume : volumes_) add_mount(i, role, volume.mount, volume.at);
  for (const Ref item : maps_in(container, "volumeMounts", "{name: data, mountPath: /data}")) {
    keep_unknown(item,
                 {"name", "mountPath", "readOnly", "subPath", "subPathExpr", "mountPropagation"});
    std::string name, sub;
    Mount mount;
    if (!need_text(item, "name", name, "name: data") ||
        !need_text(item, "mountPath", mount.target, "mountPath: /data")) {
      continue;
    }
    read_bool(item, "readOnly", mount.read_only, "readOnly: true");
    read_text(item, "subPath", sub, "subPath: train");
    if (const Ref at = present(item, "subPathExpr"))
      unsupported(at, "needs the Kubernetes engine; write subPath with the path itself");
    const auto volume = std::ranges::find_if(volumes, [&](Ref one) {
      const Ref called = one.find("name");
      return called && called.is_scalar() && called->text == name;
    });
    if (volume == volumes.end()) {
      std::vector<std::string> known;
      for (const Ref one : volumes) {
        if (const Ref called = one.find("name"); called && called.is_scalar())
          known.emplace_back(called->text);
      }
      report_.error(item.find("name"),
                    "reference",
                    "no volume is called \"" + shorten(name) + "\"; " +
                        (known.empty() ? std::string("add it under volumes:")
                                       : "the volumes are " + shorten(join(known, ", "), 120)));
      continue;
    }
    mount.name = name;
    if (!read_volume(*volume, item, i, role, mount)) continue;
    if (!sub.empty()) mount.source += (mount.source.ends_with('/') ? "" : "/") + sub;
    add_mount(i, role, std::move(mount), item.find("mountPath"));
  }
}

void JobReader::add_mount(int i, RoleSpec& role, Mount mount, Ref at) {
  place_item(Part::Mounts, i, role.mounts.size(), at);
  role.mounts.push_back(std::move(mount));
}

/// False: nothing to mount, because it is shared memory, or was refused.
bool JobReader::read_volume(Ref volume, Ref, int i, RoleSpec& role, Mount& mount) {
  keep_unknown(volume,
               {"name",
                "emptyDir",
                "hostPath",
                "persistentVolumeClaim",
                "nfs",
                "configMap",
                "secret",
                "csi",
                "projected",
                "downwardAPI",
                "flexVolume"});
  if (const Ref empty = volume.find("emptyDir")) {
    std::string medium;
    std::int64_t size = 0;
    if (empty.is_map()) {
      keep_unknown(empty, {"medium", "sizeLimit"});
      read_text(empty, "medium", medium, "medium: Memory");
      read_amount(empty, "sizeLimit", KubeKind::Memory, Part::Shm, i, size);
    }
    if (medium == "Memory" && mount.target == "/dev/shm") {
      states_shm_ = true;
      role.resources.shm = size > 0 ? size : default_shm(role.resources.memory);
      return false;
    }
    mount.kind = MountKind::Scratch;
    mount.source = medium == "Memory" ? "memory:" : "scratch:";
    if (size > 0) mount.size_limit = size;
    return true;
  }
  if (const Ref host = map_in(volume, "hostPath", "hostPath: {path: /data}")) {
    keep_unknown(host, {"path", "type"});
    std::string path;
    if (!need_text(host, "path", path, "path: /data")) return false;
    mount.source = "host:" + path;
    return true;
  }
  if (const Ref claim =
          map_in(volume, "persistentVolumeClaim", "persistentVolumeClaim: {claimName: data}")) {
    keep_unknown(claim, {"claimName", "readOnly"});
    std::string name;
    if (!need_text(claim, "claimName", name, "claimName: data")) return false;
    read_bool(claim, "readOnly", mount.read_only, "readOnly: true");
    mount.source = "volume:" + name;
    return true;
  }
  if (const Ref nfs = map_in(volume, "nfs", "nfs: {server: nas, path: /data}")) {
    keep_unknown(nfs, {"server", "path", "readOnly"});
    std::string server, path;
    if (!need_text(nfs, "server", server, "server: nas") ||
        !need_text(nfs, "path", path, "path: /data")) {
      return false;
    }
    read_bool(nfs, "readOnly", mount.read_only, "readOnly: true");
    mount.source = "nfs://" + server + path;
    return true;
  }
  report_.error(volume,
                "unsupported",
                "only emptyDir, hostPath, nfs and persistentVolumeClaim can be mounted without the "
                "Kubernetes engine; use one of them or choose another workspace");
  return false;
}

}  // namespace ty::jobspec::volcano
