#include <algorithm>
#include <utility>

#include "base/text.h"
#include "jobspec/impl/defaults.h"
#include "jobspec/impl/limits.h"
#include "jobspec/messages.h"
#include "jobspec/volcano/reader.h"
#include "jobspec/volcano/words.h"

/// The container of a task: its command, environment, resources and ports.
namespace ty::jobspec::volcano {

using model::RoleSpec;

namespace {

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
             say::needs_kubernetes_ignored);
  if (const Ref at = present(container, "envFrom")) unsupported(at, say::needs_kubernetes_env());
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
      report_.error(container.find("imagePullPolicy"),
                    "enum",
                    say::not_one_of({.value = in_quotes(pull),
                                     .what = say::noun_pull_policy(),
                                     .choices = Words{"Always", "IfNotPresent", "Never"}}));
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
  if (privileged) unsupported(context.find("privileged"), say::no_privileges());
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
                   say::capability_never_given(
                       {.name = shorten(name),
                        .names = Words{"SYS_PTRACE", "IPC_LOCK", "SYS_ADMIN", "NET_ADMIN"}}));
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
        report_.error_at_key(
            from, "two_of", say::only_one_of({.keys = Words{"value", "valueFrom"}}));
      } else {
        read_value_from(entry, name, i, role);
      }
    } else if (value && !value.is_scalar() && !value.is_null()) {
      wrong_type(value, say::some_text(), "value: \"32\"");
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
                    say::field_needs_kubernetes(
                        {.path = shorten(path),
                         .names = Words{"metadata.name", "metadata.namespace", "status.podIP"}}));
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
  unsupported(entry.find("valueFrom"), say::needs_kubernetes_value());
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
                    say::request_over_limit({.request = quoted(requests.find(key)),
                                             .limit = quoted(limits.find(key))}));
    } else {
      report_.warn(
          requests.find(key), "changed", say::limit_is_given({.limit = quoted(limits.find(key))}));
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
        report_.error(entry, "range", say::under_requests_only());
      }
      if (other && other.is_scalar() && list.index() != requests.index()) {
        const auto asked = parse_kube_whole(other->text, KubeKind::Count);
        if (asked && *asked != value)
          report_.error(other,
                        "range",
                        say::request_not_limit({.request = quoted(other), .limit = quoted(entry)}));
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
    ignore(item, "hostPort", say::no_host_port);
    model::Port port;
    if (!present(item, "containerPort")) {
      report_.missing(item, "containerPort", "containerPort: 2222");
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

}  // namespace ty::jobspec::volcano
