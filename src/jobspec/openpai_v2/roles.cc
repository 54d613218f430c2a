#include <algorithm>
#include <array>

#include "jobspec/impl/defaults.h"
#include "jobspec/impl/limits.h"
#include "jobspec/impl/quantity.h"
#include "jobspec/messages.h"
#include "jobspec/openpai_v2/reader.h"
#include "model/names.h"

/// `taskRoles`: what each task runs with, and what its end means for the job.
namespace ty::jobspec::openpai_v2 {

using model::MountKind;
using model::MountMode;
using model::RoleSpec;

namespace {

constexpr std::int64_t kMaxMb = limits::kMaxMemory / kMiB;

constexpr std::string_view kRoleExample =
    "taskRoles: {worker: {dockerImage: img, resourcePerInstance: {cpu: 1, memoryMB: 1024, gpu: 0}, "
    "commands: [python train.py]}}";

}  // namespace

void V2Reader::read_roles() {
  const Ref roles = top_.find("taskRoles");
  if (!roles) {
    report_.missing(top_, "taskRoles", kRoleExample);
    return;
  }
  if (!roles.is_map()) {
    wrong_type(roles, say::a_map(), kRoleExample);
    return;
  }
  if (roles->count == 0)
    report_.error(roles, "range", say::value_is_empty({.example = kRoleExample}));
  for (const Ref role : roles) {
    if (!role.is_map()) {
      wrong_type(role,
                 say::a_role(),
                 "{dockerImage: img, resourcePerInstance: {cpu: 1, memoryMB: 1024, gpu: 0}, "
                 "commands: [python train.py]}");
      continue;
    }
    if (spec_.roles.size() > limits::kRoles) break;
    roles_.push_back(role);
    mounts_.emplace_back();
    spec_.roles.emplace_back();
    read_role(role, spec_.roles.back(), static_cast<int>(spec_.roles.size()) - 1);
  }
}

void V2Reader::read_role(Ref from, RoleSpec& role, int i) {
  keep_unknown(from,
               {"instances",
                "completion",
                "taskRetryCount",
                "prerequisites",
                "dockerImage",
                "data",
                "output",
                "script",
                "extraContainerOptions",
                "resourcePerInstance",
                "commands"});
  role.name = from->key;
  role.system_name = model::dns_name(role.name, {});
  role.ranked = ranked_by_name(role.name);
  role.pull = model::PullPolicy::Always;
  if (!read_whole(from, "instances", role.count, 1, limits::kTasks, "instances: 1"))
    doubt(Part::Count, i);

  const Ref image = present(from, "dockerImage");
  if (!image) {
    report_.missing_with(from, "dockerImage", say::missing_docker_image());
  } else if (!image.is_scalar()) {
    wrong_type(image, say::some_text(), "dockerImage: img");
  } else if (const Ref found = prerequisite("dockerimage", image)) {
    read_text(found, "uri", role.image, "uri: \"python:3.12\"");
    read_auth(found, role);
  }

  const std::array<std::pair<std::string_view, MountKind>, 3> folders = {
      {{"data", MountKind::Data}, {"output", MountKind::Output}, {"script", MountKind::Code}}};
  for (const auto& [key, kind] : folders) {
    const Ref name = present(from, key);
    if (!name) continue;
    if (!name.is_scalar()) {
      wrong_type(name, say::some_text(), std::string(key) + ": default");
      continue;
    }
    const Ref found = prerequisite(key, name);
    if (!found) continue;
    // Named to the command, never mounted: what brings it here is a plugin or the command itself.
    role.mounts.push_back({.kind = kind,
                           .name = std::string(name->text),
                           .source = value_at(found, "uri").value_or(""),
                           .read_only = kind != MountKind::Output,
                           .mode = MountMode::ExportOnly});
    mounts_.back().push_back(name);
  }

  read_resources(from, role, i);
  read_completion(from, role, i);
  role.command.shell = model::Shell::Bash;
  role.command.errexit = role.command.nounset = role.command.pipefail = true;
  role.command.entrypoint = model::Entrypoint::Clear;
  const Ref commands = present(from, "commands");
  if (!commands)
    report_.missing(from, "commands", "commands: [python train.py]");
  else
    role.command.script =
        read_lines(commands, "commands: [python train.py]", static_cast<std::size_t>(i));
  read_role_plugins(from, static_cast<std::size_t>(i));
}

void V2Reader::read_resources(Ref from, RoleSpec& role, int i) {
  const Ref resources = present(from, "resourcePerInstance");
  constexpr std::string_view kExample = "resourcePerInstance: {cpu: 1, memoryMB: 1024, gpu: 0}";
  std::int64_t cpus = 1, memory = 1, shm = kUsualShmMb;
  if (!resources) {
    report_.missing(from, "resourcePerInstance", kExample);
    for (const Part part : {Part::Cpus, Part::Memory, Part::Gpus}) doubt(part, i);
  } else if (!resources.is_map()) {
    wrong_type(resources, say::a_map(), kExample);
    for (const Part part : {Part::Cpus, Part::Memory, Part::Gpus}) doubt(part, i);
  } else {
    keep_unknown(resources, {"cpu", "memoryMB", "gpu", "ports"});
    const auto amount = [&](std::string_view key,
                            std::int64_t& out,
                            std::int64_t least,
                            std::int64_t most,
                            Part part) {
      const std::string example = std::string(key) + (key == "memoryMB" ? ": 8192"
                                                      : key == "cpu"    ? ": 4"
                                                                        : ": 0");
      if (!present(resources, key)) {
        report_.missing(resources, key, example);
        doubt(part, i);
      } else if (!read_whole(resources, key, out, least, most, example)) {
        doubt(part, i);
      }
    };
    amount("cpu", cpus, 1, limits::kCpuMilli / 1000, Part::Cpus);
    amount("memoryMB", memory, 4, kMaxMb, Part::Memory);
    amount("gpu", role.resources.gpus, 0, limits::kGpus, Part::Gpus);
    read_ports(resources, role);
  }
  role.resources.cpu_milli = cpus * 1000;
  role.resources.memory = memory * kMiB;

  const Ref options = present(from, "extraContainerOptions");
  if (options && !options.is_map()) {
    wrong_type(options, say::a_map(), "extraContainerOptions: {shmMB: 1024}");
  } else if (options) {
    keep_unknown(options, {"shmMB", "infiniband"});
    if (!read_whole(options, "shmMB", shm, 0, kMaxMb, "shmMB: 1024")) doubt(Part::Shm, i);
    const Ref infiniband = present(options, "infiniband");
    if (infiniband && (!infiniband.is_plain() || !is_bool_word(infiniband->text)))
      wrong_type(infiniband, say::true_or_false(), "infiniband: true");
    else if (infiniband && is_true_word(infiniband->text)) {
      role.resources.devices["rdma"] = 1;
      role.caps.emplace_back("ipc_lock");
    }
  }
  // The usual 512 MB are the platform's word, not the person's: they make room for small tasks.
  const bool stated = options && options.is_map() && present(options, "shmMB");
  role.resources.shm = (stated ? shm : std::min(shm, memory)) * kMiB;
}

void V2Reader::read_ports(Ref from, RoleSpec& role) {
  const Ref ports = present(from, "ports");
  if (!ports) return;
  if (!ports.is_map()) {
    wrong_type(ports, say::a_map(), "ports: {web: 1}");
    return;
  }
  for (const Ref entry : ports) {
    model::Port port{.label = std::string(entry->key)};
    const std::string example = std::string(entry->key) + ": 1";
    if (is_absent(entry)) {
      wrong_type(entry, say::a_number_of_ports(), example);
      continue;
    }
    if (!read_whole(ports, entry->key, port.count, 0, limits::kPorts, example)) continue;
    if (port.count == 0)
      report_.warn(entry, "ignored", say::asks_for_no_port({.example = example}));
    else
      role.ports.push_back(std::move(port));
  }
}

void V2Reader::read_threshold(Ref from,
                              std::string_view key,
                              std::int64_t standard,
                              std::optional<std::int64_t>& out,
                              std::int64_t count,
                              Part part,
                              int i) {
  out = standard;
  const Ref at = from ? from.find(key) : Ref{};
  if (!at) return;
  std::int64_t value = 0;
  if (!is_absent(at) && !read_whole(from, key, value, -1, INT32_MAX, std::string(key) + ": 1")) {
    doubt(part, i);
    return;
  }
  if (value == -1) {
    out.reset();
  } else if (value == 0) {
    report_.warn(at, "changed", say::read_as_standard({.value = standard}));
  } else if (value > count) {
    // Upstream takes it and never gets there.
    report_.warn(at, "changed", say::never_happens({.value = value, .count = count}));
    out.reset();
  } else {
    out = value;
  }
}

void V2Reader::read_completion(Ref from, RoleSpec& role, int i) {
  role.completion.ends_job = true;
  Ref completion = present(from, "completion");
  if (completion && !completion.is_map()) {
    wrong_type(completion, say::a_map(), "completion: {minFailedInstances: 1}");
    completion = {};
  }
  std::string_view succeeded = "minSucceededInstances";
  if (completion) {
    keep_unknown(completion,
                 {"minFailedInstances", "minSucceededInstances", "minSucceededTaskCount"});
    const Ref old = completion.find("minSucceededTaskCount");
    if (old && !completion.find(succeeded)) {
      succeeded = "minSucceededTaskCount";
      report_.warn_at_key(old, "obsolete", say::obsolete_key({.key = "minSucceededInstances"}));
    } else if (old) {
      report_.warn_at_key(
          old, "ignored", say::without_effect_beside({.key = "minSucceededInstances"}));
    }
  }
  read_threshold(completion,
                 "minFailedInstances",
                 1,
                 role.completion.min_failed,
                 role.count,
                 Part::FailWhen,
                 i);
  read_threshold(completion,
                 succeeded,
                 role.count,
                 role.completion.min_succeeded,
                 role.count,
                 Part::DoneWhen,
                 i);
}

/// Upstream's code, and a surprise to many: without a word on it the first role to finish ends all.
void V2Reader::warn_first_role_ends() {
  if (spec_.roles.size() < 2) return;
  for (std::size_t i = 0; i < roles_.size(); ++i) {
    const Ref completion = roles_[i].find("completion");
    const bool said =
        completion && completion.is_map() &&
        (completion.find("minSucceededInstances") || completion.find("minSucceededTaskCount"));
    if (said) continue;
    report_.warn_at_key(roles_[i], "first_role_ends", say::first_role_ends_job());
  }
}

}  // namespace ty::jobspec::openpai_v2
