#include "jobspec/openpai_v1/print.h"

#include <algorithm>

#include "base/text.h"
#include "jobspec/impl/document.h"
#include "jobspec/impl/limits.h"
#include "jobspec/impl/names.h"
#include "jobspec/impl/quantity.h"
#include "jobspec/impl/shell_text.h"
#include "jobspec/messages.h"
#include "jobspec/openpai_v1/folders.h"

namespace ty::jobspec::openpai_v1 {
namespace {

using model::JobSpec;
using model::Mount;
using model::MountKind;
using model::RoleSpec;

std::int64_t rounded_up(std::int64_t value, std::int64_t unit) {
  return value / unit + (value % unit != 0);
}

class V1Printer {
 public:
  V1Printer(const JobSpec& spec, Notes& notes) : spec_(spec), notes_(notes) {}

  std::string run(const std::string& carried) {
    name();
    image();
    folders();
    if (spec_.workspace != "default") out_.set("virtualCluster", Doc::text(spec_.workspace));
    gpu_types();
    if (spec_.retry.budget != 0) out_.set("retryCount", Doc::number(spec_.retry.budget));
    kill_all();
    environment();
    Doc extras = Doc::of_json(spec_.extras);
    if (!extras.is_map()) extras = Doc::map();
    if (!carried.empty()) extras.set("trainyard", Doc::of_json(carried));
    out_.set_if("extras", std::move(extras));
    Doc& roles = out_.set("taskRoles", Doc::list());
    for (const RoleSpec& one : spec_.roles) roles.push(role(one));
    if (spec_.dialect == model::Dialect::OpenPaiV1) out_.put_unknown(spec_);
    return out_.to_json();
  }

 private:
  static std::string path(const RoleSpec& role, std::string_view field) {
    return "roles." + role.name + "." + std::string(field);
  }

  void name() {
    const std::string name = nearest_job_name(model::Dialect::OpenPaiV1, spec_.name);
    if (name != spec_.name) notes_.changed("name", say::written_as({.text = name}));
    out_.set("jobName", Doc::text(name));
  }

  void image() {
    const RoleSpec& first = spec_.roles.front();
    for (const RoleSpec& role : spec_.roles) {
      if (role.image != first.image) {
        notes_.refused(path(role, "image"),
                       say::one_image_for_all_roles({.image = role.image, .first = first.image}));
      }
      if (role.image.empty())
        notes_.refused(path(role, "image"),
                       say::image_needed({.dialect = say::dialect_openpai_v1()}));
      if (role.pull != model::PullPolicy::Always)
        notes_.changed(path(role, "pull"), say::image_pulled_at_every_start());
    }
    out_.set("image", Doc::text(first.image));
    if (!first.image_auth) return;
    if (first.image_auth->file)
      out_.set("authFile", Doc::text(*first.image_auth->file));
    else
      notes_.lost(path(first, "image_auth"), say::credentials_in_a_file());
  }

  void folders() {
    const auto& mounts = spec_.roles.front().mounts;
    for (const auto& [key, kind] : kFolders) {
      const auto found = std::ranges::find_if(mounts, [&](const Mount& mount) {
        return mount.kind == kind && folder_of(mount).has_value();
      });
      if (found != mounts.end()) out_.set(key, Doc::text(*folder_of(*found)));
    }
  }

  /// One list for the whole job: that of the roles that use GPUs.
  void gpu_types() {
    const RoleSpec* chosen = nullptr;
    for (const RoleSpec& role : spec_.roles) {
      if (role.resources.gpu_types.empty()) continue;
      if (chosen == nullptr || (chosen->resources.gpus == 0 && role.resources.gpus > 0))
        chosen = &role;
    }
    if (chosen == nullptr) return;
    const std::string types = join(chosen->resources.gpu_types, ",");
    out_.set("gpuType", Doc::text(types));
    for (const RoleSpec& role : spec_.roles) {
      if (role.resources.gpus > 0 && role.resources.gpu_types != chosen->resources.gpu_types)
        notes_.changed(path(role, "resources.gpu_types"),
                       say::one_list_of_gpu_types({.types = types}));
    }
  }

  bool states_counts() const {
    return std::ranges::any_of(spec_.roles, [](const RoleSpec& role) {
      return role.completion.min_failed != 1 || role.completion.min_succeeded;
    });
  }

  void kill_all() {
    if (spec_.completion.min_succeeded && !states_counts())
      out_.set("killAllOnCompletedTaskNumber", Doc::number(*spec_.completion.min_succeeded));
  }

  void environment() {
    Doc envs = Doc::map();
    const auto is_switch = [](const std::string& name) {
      return name == "isDebug" || name == "paiAzRDMA";
    };
    for (const auto& [name, value] : spec_.env) {
      if (!value) continue;
      if (is_switch(name) && (*value == "true" || *value == "false"))
        envs.set(name, Doc::flag(*value == "true"));
      else
        envs.set(name, Doc::text(*value));
    }
    if (spec_.debug_hold && !spec_.env.contains("isDebug")) {
      envs.set("isDebug", Doc::flag(true));
      notes_.changed("env", say::is_debug_added());
      for (const RoleSpec& role : spec_.roles) {
        if (std::ranges::find(role.caps, "ptrace") == role.caps.end())
          notes_.changed(path(role, "caps"), say::is_debug_adds_ptrace());
      }
    }
    if (spec_.debug_hold && *spec_.debug_hold != limits::kLongestHold)
      notes_.changed("debug_hold", say::is_debug_holds());
    out_.set_if("jobEnvs", std::move(envs));
  }

  void command(const RoleSpec& role, Doc& out) {
    model::Command plain;
    plain.shell = model::Shell::Bash;
    const std::string script = script_of(role.command, export_lines({}, role.env), plain);
    if (trim(script).empty())
      notes_.refused(path(role, "command"), say::own_command_not_expressible());
    if (!role.env.empty()) notes_.changed(path(role, "env"), say::as_lines_before_command());
    if (role.command.shell == model::Shell::None || script != role.command.script) {
      notes_.changed(path(role, "command"), say::as_bash_commands());
    } else if (role.command.shell != model::Shell::Bash) {
      notes_.changed(path(role, "command.shell"), say::run_by_bash());
    }
    out.set("command", Doc::text(script));
  }

  Doc role(const RoleSpec& role) {
    Doc out = Doc::map();
    out.set("name", Doc::text(role.name));
    out.set("taskNumber", Doc::number(role.count));
    const model::Resources& r = role.resources;
    const std::int64_t cpus = rounded_up(r.cpu_milli, 1000);
    const std::int64_t memory = std::max<std::int64_t>(rounded_up(r.memory, kMiB), 100);
    const std::int64_t shm = rounded_up(r.shm, kMiB);
    if (cpus * 1000 != r.cpu_milli)
      notes_.changed(path(role, "resources.cpu_milli"),
                     say::written_as_whole_cpus({.count = cpus}));
    if (memory * kMiB != r.memory)
      notes_.changed(path(role, "resources.memory"), say::written_as_megabytes({.count = memory}));
    if (shm * kMiB != r.shm)
      notes_.changed(path(role, "resources.shm"), say::written_as_megabytes({.count = shm}));
    out.set("cpuNumber", Doc::number(cpus));
    out.set("memoryMB", Doc::number(memory));
    if (shm != 64) out.set("shmMB", Doc::number(shm));
    out.set("gpuNumber", Doc::number(r.gpus));
    Doc ports = Doc::list();
    for (const model::Port& port : role.ports) {
      Doc& one = ports.push(Doc::map());
      one.set("label", Doc::text(port.label));
      one.set("beginAt", Doc::number(port.first));
      one.set("portNumber", Doc::number(port.count));
    }
    out.set_if("portList", std::move(ports));
    command(role, out);
    completion(role, out);
    return out;
  }

  void completion(const RoleSpec& role, Doc& out) {
    const model::RoleCompletion& c = role.completion;
    if (c.min_failed != 1)
      out.set("minFailedTaskCount", c.min_failed ? Doc::number(*c.min_failed) : Doc::null());
    // Here every role's success ends the job; a role that must not is given no number.
    if (c.min_succeeded && c.ends_job)
      out.set("minSucceededTaskCount", Doc::number(*c.min_succeeded));
    if (c.need > 0 && spec_.completion.at_end != model::AtEnd::Succeed) {
      notes_.changed(path(role, "completion.need"), say::too_few_successes_succeed());
      notes_.changed("completion.at_end", say::ended_job_succeeds());
    }
  }

  const JobSpec& spec_;
  Notes& notes_;
  Doc out_ = Doc::map();
};

}  // namespace

std::string print(const JobSpec& spec, const std::string& carried, Notes& notes) {
  return V1Printer(spec, notes).run(carried);
}

}  // namespace ty::jobspec::openpai_v1
