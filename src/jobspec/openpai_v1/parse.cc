#include "jobspec/openpai_v1/parse.h"

#include <algorithm>

#include "base/text.h"
#include "jobspec/impl/carry.h"
#include "jobspec/impl/defaults.h"
#include "jobspec/impl/foreign.h"
#include "jobspec/impl/limits.h"
#include "jobspec/impl/quantity.h"
#include "jobspec/messages.h"
#include "jobspec/openpai_v1/folders.h"
#include "model/environment.h"

namespace ty::jobspec::openpai_v1 {

std::vector<std::string_view> keys() {
  return {"jobName",
          "image",
          "authFile",
          "dataDir",
          "outputDir",
          "codeDir",
          "virtualCluster",
          "gpuType",
          "retryCount",
          "taskRoles",
          "killAllOnCompletedTaskNumber",
          "jobEnvs",
          "extras"};
}

namespace {

using model::MountMode;
using model::RoleSpec;

constexpr std::int64_t kMinMemoryMb = 100;
constexpr std::int64_t kUsualShmMb = 64;
constexpr std::int64_t kMaxMb = limits::kMaxMemory / kMiB;

class V1Reader final : public ForeignReader {
 public:
  V1Reader(Ref top, const ReadOptions& options, Report& report)
      : ForeignReader(top, model::Dialect::OpenPaiV1, options, report) {}

  model::JobSpec read() {
    keep_unknown(top_, keys());
    need_text(top_, "jobName", spec_.name, "jobName: mnist");
    read_text(top_, "virtualCluster", spec_.workspace, "virtualCluster: default");
    read_whole(top_, "retryCount", spec_.retry.budget, -2, 1'000'000, "retryCount: 3");
    spec_.completion.at_end = model::AtEnd::Succeed;
    if (const Ref extras = present(top_, "extras")) {
      if (extras.is_map())
        spec_.extras = extras_of(extras);
      else
        wrong_type(extras, say::a_map(), "extras: {}");
    }
    read_roles();
    read_environment();
    read_kill_all();
    if (const Ref extras = top_.find("extras"); extras && extras.find("trainyard"))
      apply_carried(spec_, extras.find("trainyard"), report_);
    validate(spec_, *this, report_);
    return std::move(spec_);
  }

  Ref locate(const Subject& subject) const override {
    if (subject.role < 0) {
      const Ref value = top_.find(job_key(subject.part));
      if (!value) return top_;
      const Ref inner = value.find(subject.key);
      return inner && !subject.key.empty() ? inner : value;
    }
    const Ref role = roles_[static_cast<std::size_t>(subject.role)];
    if (subject.part == Part::Image) return top_.find("image") ? top_.find("image") : top_;
    if (subject.part == Part::Mounts)
      return subject.index < mounts_.size() ? mounts_[subject.index] : top_;
    const Ref value = role.find(role_key(subject.part));
    if (!value) return role;
    if (subject.part == Part::Ports && subject.index != Subject::kWhole) {
      std::size_t i = 0;
      for (const Ref port : value) {
        if (i++ == subject.index) return port.find("label") ? port.find("label") : port;
      }
    }
    return value;
  }

 private:
  /// All but what Trainyard put there itself.
  static std::string extras_of(Ref extras) {
    std::string json = "{";
    for (const Ref entry : extras) {
      if (entry->key == "trainyard") continue;
      if (json.size() > 1) json += ',';
      append_json_string(json, entry->key);
      json += ":" + to_json(entry);
    }
    return json + "}";
  }

  static std::string_view job_key(Part part) {
    switch (part) {
      case Part::Name:
        return "jobName";
      case Part::Workspace:
        return "virtualCluster";
      case Part::Env:
        return "jobEnvs";
      case Part::Extras:
        return "extras";
      case Part::SucceedAfter:
        return "killAllOnCompletedTaskNumber";
      default:
        return "taskRoles";
    }
  }
  static std::string_view role_key(Part part) {
    switch (part) {
      case Part::Count:
        return "taskNumber";
      case Part::Cpus:
        return "cpuNumber";
      case Part::Memory:
        return "memoryMB";
      case Part::Shm:
        return "shmMB";
      case Part::Gpus:
        return "gpuNumber";
      case Part::Ports:
        return "portList";
      case Part::Command:
        return "command";
      case Part::FailWhen:
        return "minFailedTaskCount";
      case Part::DoneWhen:
        return "minSucceededTaskCount";
      default:
        return "name";
    }
  }

  void read_roles() {
    RoleSpec common;
    common.pull = model::PullPolicy::Always;
    need_text(top_, "image", common.image, "image: tensorflow/tensorflow:2.16.1");
    std::string auth;
    if (read_text(top_, "authFile", auth, "authFile: /auth/registry.txt") && !auth.empty()) {
      common.image_auth = model::ImageAuth{.file = auth};
    }
    read_gpu_types(common);
    read_folders(common);
    const Ref roles = top_.find("taskRoles");
    if (!roles) {
      report_.missing(top_, "taskRoles", "taskRoles: [{name: worker, command: python train.py}]");
      return;
    }
    if (!roles.is_list()) {
      wrong_type(roles, say::a_list(), "taskRoles: [{name: worker, command: python train.py}]");
      return;
    }
    if (roles->count == 0) {
      report_.error(roles,
                    "range",
                    say::value_is_empty(
                        {.example = "taskRoles: [{name: worker, command: python train.py}]"}));
    }
    for (const Ref role : roles) {
      if (!role.is_map()) {
        wrong_type(role, say::a_role(), "{name: worker, command: python train.py}");
        continue;
      }
      if (spec_.roles.size() > limits::kRoles) break;
      roles_.push_back(role);
      spec_.roles.push_back(common);
      read_role(role, spec_.roles.back(), static_cast<int>(spec_.roles.size()) - 1);
    }
  }

  void read_gpu_types(RoleSpec& common) {
    std::string types;
    if (!read_text(top_, "gpuType", types, "gpuType: V100") || types.empty()) return;
    const bool blank = std::ranges::any_of(types, [](unsigned char c) { return c <= ' '; });
    if (blank || types.size() > 256) {
      report_.error(
          top_.find("gpuType"), "pattern", say::invalid_gpu_types({.value = in_quotes(types)}));
      return;
    }
    for (std::string& type : split(types, ',')) {
      if (!type.empty()) common.resources.gpu_types.push_back(std::move(type));
    }
  }

  void read_folders(RoleSpec& common) {
    for (const auto& [key, kind] : kFolders) {
      std::string text;
      if (!read_text(top_, key, text, std::string(key) + ": /data/mnist") || text.empty()) continue;
      common.mounts.push_back(folder_mount(kind, text));
      mounts_.push_back(top_.find(key));
      if (common.mounts.back().mode != MountMode::ExportOnly) continue;
      report_.warn(top_.find(key), "ignored", say::only_named_in_environment());
    }
  }

  void read_role(Ref from, RoleSpec& role, int i) {
    keep_unknown(from,
                 {"name",
                  "taskNumber",
                  "cpuNumber",
                  "memoryMB",
                  "shmMB",
                  "gpuNumber",
                  "portList",
                  "command",
                  "minFailedTaskCount",
                  "minSucceededTaskCount"});
    if (!need_text(from, "name", role.name, "name: worker")) role.name = "role" + std::to_string(i);
    role.system_name = model::dns_name(role.name, {});
    role.ranked = ranked_by_name(role.name);
    if (!read_whole(from, "taskNumber", role.count, 1, limits::kTasks, "taskNumber: 1"))
      doubt(Part::Count, i);

    std::int64_t cpus = 1, memory = kMinMemoryMb, shm = kUsualShmMb;
    if (!read_whole(from, "cpuNumber", cpus, 1, limits::kCpuMilli / 1000, "cpuNumber: 4"))
      doubt(Part::Cpus, i);
    if (!read_whole(from, "memoryMB", memory, kMinMemoryMb, kMaxMb, "memoryMB: 8192"))
      doubt(Part::Memory, i);
    if (!read_whole(from, "shmMB", shm, 0, kMaxMb, "shmMB: 64")) doubt(Part::Shm, i);
    if (!read_whole(from, "gpuNumber", role.resources.gpus, 0, limits::kGpus, "gpuNumber: 1"))
      doubt(Part::Gpus, i);
    role.resources.cpu_milli = cpus * 1000;
    role.resources.memory = memory * kMiB;
    role.resources.shm = shm * kMiB;
    if (shm < kUsualShmMb && !doubtful(Part::Shm, i)) {
      report_.warn(from.find("shmMB"), "range", say::little_shared_memory({.value = shm}));
    }
    read_ports(from, role);
    read_command(from, role);
    role.completion.ends_job = true;
    if (!read_count(
            from, "minFailedTaskCount", role.completion.min_failed, "minFailedTaskCount: 1")) {
      doubt(Part::FailWhen, i);
    }
    if (!read_count(from,
                    "minSucceededTaskCount",
                    role.completion.min_succeeded,
                    "minSucceededTaskCount: 1")) {
      doubt(Part::DoneWhen, i);
    }
    states_counts_ =
        states_counts_ || from.find("minFailedTaskCount") || from.find("minSucceededTaskCount");
  }

  void read_command(Ref from, RoleSpec& role) {
    role.command.shell = model::Shell::Bash;
    role.command.entrypoint = model::Entrypoint::Clear;
    need_text(from, "command", role.command.script, "command: python train.py");
  }

  void read_ports(Ref from, RoleSpec& role) {
    const Ref list = present(from, "portList");
    if (!list) return;
    if (!list.is_list()) {
      wrong_type(list, say::a_list(), "portList: [{label: web, beginAt: 0, portNumber: 1}]");
      return;
    }
    for (const Ref item : list) {
      if (!item.is_map()) {
        wrong_type(item, say::a_port(), "{label: web, beginAt: 0, portNumber: 1}");
        continue;
      }
      keep_unknown(item, {"label", "beginAt", "portNumber"});
      model::Port port;
      const bool good =
          need_text(item, "label", port.label, "label: web") &&
          read_whole(item, "beginAt", port.first, 0, limits::kMaxPort, "beginAt: 0") &&
          read_whole(item, "portNumber", port.count, 1, limits::kPorts, "portNumber: 1");
      if (good) role.ports.push_back(std::move(port));
    }
  }

  void read_environment() {
    const Ref envs = present(top_, "jobEnvs");
    if (!envs) return;
    if (!envs.is_map()) {
      wrong_type(envs, say::a_map(), "jobEnvs: {BATCH: 32}");
      return;
    }
    for (const Ref entry : envs) {
      if (entry.is_null()) continue;
      std::string value(entry->text);
      if (entry.is_plain() && is_bool_word(entry->text))
        value = is_true_word(entry->text) ? "true" : "false";
      if (!entry.is_scalar()) {
        value = to_json(entry);
        report_.warn(entry, "type", say::passed_on_as_json({.value = quoted(entry)}));
      }
      spec_.env[std::string(entry->key)] = std::move(value);
    }
    if (is_switched_on(envs, "isDebug")) {
      spec_.debug_hold = limits::kLongestHold;
      for (RoleSpec& role : spec_.roles) role.caps.emplace_back("ptrace");
    }
    if (is_switched_on(envs, "paiAzRDMA")) {
      for (RoleSpec& role : spec_.roles) {
        role.resources.devices["rdma"] = 1;
        role.caps.emplace_back("ipc_lock");
      }
    }
  }

  /// Only JSON's `true` counted upstream, and files rely on `"true"` doing nothing.
  bool is_switched_on(Ref envs, std::string_view key) {
    const Ref value = envs.find(key);
    if (!value || !value.is_scalar() || !is_true_word(value->text)) return false;
    if (value.is_plain()) return true;
    report_.warn(value, "type", say::true_in_quotes({.key = key}));
    return false;
  }

  void read_kill_all() {
    const Ref at = present(top_, "killAllOnCompletedTaskNumber");
    std::int64_t n = 0;
    if (!at ||
        !read_whole(top_,
                    "killAllOnCompletedTaskNumber",
                    n,
                    0,
                    limits::kTasks,
                    "minSucceededTaskCount: 1") ||
        n == 0) {
      return;
    }
    if (states_counts_) {
      report_.warn_at_key(
          at,
          "obsolete",
          say::obsolete_beside({.keys = Words{"minFailedTaskCount", "minSucceededTaskCount"}}));
      return;
    }
    spec_.completion.min_succeeded = n;
    report_.warn_at_key(at, "obsolete", say::obsolete_kill_all({.count = n}));
  }

  std::vector<Ref> roles_;
  std::vector<Ref> mounts_;  ///< of every role alike
  bool states_counts_ = false;
};

}  // namespace

model::JobSpec parse(Ref document, const ReadOptions& options, Params&, Report& report) {
  return V1Reader(document, options, report).read();
}

}  // namespace ty::jobspec::openpai_v1
