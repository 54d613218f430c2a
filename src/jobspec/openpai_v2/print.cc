#include "jobspec/openpai_v2/print.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "jobspec/impl/cover.h"
#include "jobspec/impl/document.h"
#include "jobspec/impl/names.h"
#include "jobspec/impl/quantity.h"
#include "jobspec/impl/shell_text.h"
#include "jobspec/messages.h"
#include "jobspec/openpai_v2/reader.h"

namespace ty::jobspec::openpai_v2 {
namespace {

using model::JobSpec;
using model::Mount;
using model::MountKind;
using model::MountMode;
using model::RoleSpec;

std::int64_t rounded_up(std::int64_t value, std::int64_t unit) {
  return value / unit + (value % unit != 0);
}

std::string path(const RoleSpec& role, std::string_view field) {
  return "roles." + role.name + "." + std::string(field);
}

class V2Printer {
 public:
  V2Printer(const JobSpec& spec, Notes& notes) : spec_(spec), notes_(notes) {}

  std::string run(const std::string& carried) {
    const std::string name = nearest_job_name(model::Dialect::OpenPaiV2, spec_.name);
    if (name != spec_.name) notes_.changed("name", say::written_as({.text = name}));
    out_.set("protocolVersion", Doc::number(2));
    out_.set("name", Doc::text(name));
    out_.set("type", Doc::text("job"));
    for (const char* key : {"version", "contributor"}) {
      if (const auto link = spec_.links.find(key); link != spec_.links.end())
        out_.set(key, Doc::text(link->second));
    }
    if (!spec_.description.empty()) out_.set("description", Doc::text(spec_.description));
    prerequisites();
    out_.set_if("parameters", Doc::of_json(spec_.params));
    secrets();
    if (spec_.retry.budget != 0) {
      out_.set("jobRetryCount", Doc::number(spec_.retry.budget));
      if (spec_.retry.budget < 0) notes_.changed("retry.budget", say::negative_retries());
    }
    Doc& roles = out_.set("taskRoles", Doc::map());
    for (const RoleSpec& one : spec_.roles) roles.set(role_name(one), role(one));
    deployments();
    if (spec_.workspace != "default")
      map("defaults").set("virtualCluster", Doc::text(spec_.workspace));
    extras(carried);
    if (spec_.dialect == model::Dialect::OpenPaiV2) out_.put_unknown(spec_);
    return out_.to_yaml();
  }

 private:
  /// An entry of the top level, made where it is missing.
  Doc& map(std::string_view key) {
    Doc* found = out_.find(key);
    return found != nullptr ? *found : out_.set(key, Doc::map());
  }

  /// Hyphens are no part of a role's name here.
  std::string role_name(const RoleSpec& role) {
    if (!check_role_name(model::Dialect::OpenPaiV2, role.name)) return role.name;
    std::string name = role.name;
    for (char& c : name) {
      const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (!word) c = '_';
    }
    notes_.changed(path(role, "name"), say::written_as({.text = name}));
    return name;
  }

  /// Images by name: one for each that is used, and for each way to sign in.
  std::string image_name(const RoleSpec& role) const {
    std::size_t n = 0;
    for (std::size_t i = 0; i < spec_.roles.size(); ++i) {
      const RoleSpec& other = spec_.roles[i];
      const bool first = std::none_of(
          spec_.roles.begin(), spec_.roles.begin() + static_cast<std::ptrdiff_t>(i), [&](auto& r) {
            return r.image == other.image && r.image_auth == other.image_auth;
          });
      if (first) ++n;
      if (other.image == role.image && other.image_auth == role.image_auth)
        return n == 1 ? "image" : "image" + std::to_string(n);
    }
    return "image";
  }

  void prerequisites() {
    Doc& list = out_.set("prerequisites", Doc::list());
    std::vector<std::string> seen;
    const auto is_new = [&](const std::string& key) {
      if (std::ranges::find(seen, key) != seen.end()) return false;
      seen.push_back(key);
      return true;
    };
    for (const RoleSpec& role : spec_.roles) {
      if (role.image.empty())
        notes_.refused(path(role, "image"),
                       say::image_needed({.dialect = say::dialect_openpai_v2()}));
      if (role.pull != model::PullPolicy::Always)
        notes_.changed(path(role, "pull"), say::image_pulled_at_every_start());
      const std::string name = image_name(role);
      if (is_new("dockerimage " + name)) {
        Doc& item = list.push(Doc::map());
        item.set("type", Doc::text("dockerimage"));
        item.set("name", Doc::text(name));
        item.set("uri", Doc::text(role.image));
        auth(role, item);
      }
      for (const Mount& mount : role.mounts) {
        const std::string_view type = exported_type(mount);
        if (type.empty() || !is_new(std::string(type) + " " + mount.name)) continue;
        Doc& item = list.push(Doc::map());
        item.set("type", Doc::text(type));
        item.set("name", Doc::text(mount.name));
        item.set("uri", Doc::text(mount.source));
      }
    }
  }

  void auth(const RoleSpec& role, Doc& item) {
    if (!role.image_auth) return;
    const model::ImageAuth& auth = *role.image_auth;
    if (auth.stored_name || auth.file) {
      notes_.lost(path(role, "image_auth"), say::credentials_not_written());
      return;
    }
    Doc& out = item.set("auth", Doc::map());
    if (!auth.username.empty()) out.set("username", Doc::text(auth.username));
    out.set("password", Doc::text(kCovered));
    if (!auth.server.empty()) out.set("registryuri", Doc::text(auth.server));
    notes_.changed(path(role, "image_auth"), say::password_not_written());
  }

  /// Values are never written. The file says which ones there were.
  void secrets() {
    Doc secrets = Doc::map();
    for (const auto& [name, ref] : spec_.secrets) {
      Doc* at = &secrets;
      std::string_view rest = name;
      for (std::size_t dot; (dot = rest.find('.')) != std::string_view::npos;
           rest.remove_prefix(dot + 1)) {
        Doc* next = at->find(rest.substr(0, dot));
        at = next != nullptr && next->is_map() ? next : &at->set(rest.substr(0, dot), Doc::map());
      }
      at->set(rest, Doc::text(kCovered));
      notes_.changed("secrets." + name, say::secret_never_written());
    }
    out_.set_if("secrets", std::move(secrets));
  }

  static std::string_view exported_type(const Mount& mount) {
    if (mount.mode != MountMode::ExportOnly || mount.name.empty()) return "";
    switch (mount.kind) {
      case MountKind::Data:
        return "data";
      case MountKind::Output:
        return "output";
      case MountKind::Code:
        return "script";
      default:
        return "";
    }
  }

  Doc role(const RoleSpec& role) {
    Doc out = Doc::map();
    if (role.count != 1) out.set("instances", Doc::number(role.count));
    completion(role, out);
    if (spec_.min_available == 0 && role.restart.budget != 0)
      out.set("taskRetryCount", Doc::number(role.restart.budget));
    out.set("dockerImage", Doc::text(image_name(role)));
    for (const Mount& mount : role.mounts) {
      if (const std::string_view type = exported_type(mount); !type.empty())
        out.set(type, Doc::text(mount.name));
    }
    resources(role, out);
    commands(role, out);
    return out;
  }

  void completion(const RoleSpec& role, Doc& out) {
    const model::RoleCompletion& c = role.completion;
    Doc completion = Doc::map();
    if (c.min_failed != 1)
      completion.set("minFailedInstances", Doc::number(c.min_failed.value_or(-1)));
    const std::int64_t succeeded = c.ends_job ? c.min_succeeded.value_or(-1) : -1;
    if (succeeded != role.count) completion.set("minSucceededInstances", Doc::number(succeeded));
    out.set_if("completion", std::move(completion));
    if (c.need > 0 && spec_.completion.at_end != model::AtEnd::Succeed) {
      notes_.changed(path(role, "completion.need"), say::too_few_successes_succeed());
      notes_.changed("completion.at_end", say::ended_job_succeeds());
    }
  }

  void resources(const RoleSpec& role, Doc& out) {
    const model::Resources& r = role.resources;
    const std::int64_t cpus = rounded_up(r.cpu_milli, 1000);
    const std::int64_t memory = rounded_up(r.memory, kMiB);
    const std::int64_t shm = rounded_up(r.shm, kMiB);
    if (cpus * 1000 != r.cpu_milli)
      notes_.changed(path(role, "resources.cpu_milli"),
                     say::written_as_whole_cpus({.count = cpus}));
    if (memory * kMiB != r.memory)
      notes_.changed(path(role, "resources.memory"), say::written_as_megabytes({.count = memory}));
    if (shm * kMiB != r.shm)
      notes_.changed(path(role, "resources.shm"), say::written_as_megabytes({.count = shm}));
    Doc options = Doc::map();
    if (shm != std::min(kUsualShmMb, memory)) options.set("shmMB", Doc::number(shm));
    if (r.devices.contains("rdma")) options.set("infiniband", Doc::flag(true));
    out.set_if("extraContainerOptions", std::move(options));
    Doc& per = out.set("resourcePerInstance", Doc::map());
    per.set("cpu", Doc::number(cpus));
    per.set("memoryMB", Doc::number(memory));
    per.set("gpu", Doc::number(r.gpus));
    Doc ports = Doc::map();
    for (const model::Port& port : role.ports) ports.set(port.label, Doc::number(port.count));
    per.set_if("ports", std::move(ports));
  }

  void commands(const RoleSpec& role, Doc& out) {
    model::Command plain;
    plain.shell = model::Shell::Bash;
    plain.errexit = plain.nounset = plain.pipefail = true;
    plain.pre = role.command.pre;
    plain.post = role.command.post;
    const std::string script = script_of(role.command, export_lines(spec_.env, role.env), plain);
    if (!spec_.env.empty()) notes_.changed("env", say::as_lines_before_command());
    if (trim(script).empty())
      notes_.refused(path(role, "command"), say::own_command_not_expressible());
    if (!role.env.empty()) notes_.changed(path(role, "env"), say::as_lines_before_command());
    if (role.command.shell == model::Shell::None || script != role.command.script) {
      notes_.changed(path(role, "command"), say::as_bash_commands());
    } else if (role.command.shell != model::Shell::Bash) {
      notes_.changed(path(role, "command.shell"), say::run_by_bash());
    }
    if (!role.command.nounset && role.command.shell != model::Shell::None)
      notes_.changed(path(role, "command"), say::unset_variables_allowed());
    // One entry for a script of several lines: a command of its own for each would be trimmed.
    out.set("commands", Doc::list()).push(Doc::text(script));
  }

  void deployments() {
    Doc roles = Doc::map();
    for (const RoleSpec& role : spec_.roles) {
      Doc steps = Doc::map();
      if (!role.command.pre.empty()) steps.set("preCommands", Doc::texts({role.command.pre}));
      if (!role.command.post.empty()) steps.set("postCommands", Doc::texts({role.command.post}));
      roles.set_if(role_name(role), std::move(steps));
    }
    if (roles.empty()) return;
    Doc& list = out_.set("deployments", Doc::list());
    Doc& one = list.push(Doc::map());
    one.set("name", Doc::text("default"));
    one.set("taskRoles", std::move(roles));
    map("defaults").set("deployment", Doc::text("default"));
  }

  void extras(const std::string& carried) {
    Doc extras = Doc::of_json(spec_.extras);
    if (!extras.is_map()) extras = Doc::map();
    if (spec_.min_available == 0) extras.set("gangAllocation", Doc::flag(false));
    hived(extras);
    plugins(extras);
    storages(extras);
    notifications(extras);
    if (!carried.empty()) extras.set("trainyard", Doc::of_json(carried));
    out_.set_if("extras", std::move(extras));
  }

  void hived(Doc& extras) {
    Doc* kept = extras.find("hivedScheduler");
    Doc hived = kept != nullptr && kept->is_map() ? *kept : Doc::map();
    if (spec_.priority != 10) {
      constexpr std::array<std::pair<std::int64_t, std::string_view>, 4> kClasses = {
          {{-1, "oppo"}, {10, "test"}, {100, "prod"}, {120, "crit"}}};
      const auto* const nearest = std::ranges::min_element(kClasses, {}, [&](const auto& c) {
        return c.first > spec_.priority ? c.first - spec_.priority : spec_.priority - c.first;
      });
      hived.set("jobPriorityClass", Doc::text(nearest->second));
      if (nearest->first != spec_.priority)
        notes_.changed("priority", say::written_as({.text = nearest->second}));
    }
    Doc roles = Doc::map();
    for (const RoleSpec& role : spec_.roles) {
      if (!role.sku) continue;
      Doc& sku = roles.set(role_name(role), Doc::map());
      if (!role.sku->type.empty()) sku.set("skuType", Doc::text(role.sku->type));
      if (role.sku->count != 0) sku.set("skuNum", Doc::number(role.sku->count));
      if (!role.sku->pinned_cell.empty()) sku.set("pinnedCellId", Doc::text(role.sku->pinned_cell));
      if (!role.sku->affinity_group.empty())
        sku.set("affinityGroupName", Doc::text(role.sku->affinity_group));
    }
    hived.set_if("taskRoles", std::move(roles));
    extras.set_if("hivedScheduler", std::move(hived));
  }

  /// A job that came as OpenPAI v2 has its plugins in `extras`, with all that they were told.
  void plugins(Doc& extras) {
    if (extras.find(kPluginKey) != nullptr) return;
    Doc list = Doc::list();
    if (spec_.services.ssh) {
      Doc& plugin = list.push(Doc::map());
      plugin.set("plugin", Doc::text("ssh"));
      plugin.set("parameters", Doc::map()).set("jobssh", Doc::flag(true));
    }
    if (spec_.services.tensorboard) {
      Doc& plugin = list.push(Doc::map());
      plugin.set("plugin", Doc::text("tensorboard"));
      Doc& parameters = plugin.set("parameters", Doc::map());
      parameters.set("logdir", Doc::map()).set("default", Doc::text(*spec_.services.tensorboard));
    }
    extras.set_if(kPluginKey, std::move(list));
  }

  /// Storages that every role mounts; one that only some do is left to what is carried.
  void storages(Doc& extras) {
    Doc list = Doc::list();
    for (const Mount& mount : spec_.roles.front().mounts) {
      const std::string usual = "/mnt/" + mount.name;
      const bool plain = mount.kind == MountKind::Storage && !mount.name.empty() &&
                         mount.source == "storage:" + mount.name && !mount.read_only &&
                         mount.mode == MountMode::Mount;
      const bool everywhere = std::ranges::all_of(spec_.roles, [&](const RoleSpec& role) {
        return std::ranges::find(role.mounts, mount) != role.mounts.end();
      });
      if (!plain || !everywhere) continue;
      Doc& item = list.push(Doc::map());
      item.set("name", Doc::text(mount.name));
      if (mount.target != usual) item.set("mountPath", Doc::text(mount.target));
    }
    extras.set_if("storages", std::move(list));
  }

  void notifications(Doc& extras) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kStates = {
        {{"started", "running"},
         {"succeeded", "succeeded"},
         {"failed", "failed"},
         {"cancelled", "stopped"},
         {"retried", "retried"}}};
    const bool plain =
        spec_.alerts.size() == 1 && spec_.alerts[0].to.empty() && !spec_.alerts[0].states.empty();
    if (!plain) return;
    Doc states = Doc::map();
    for (const auto& [state, key] : kStates) {
      if (std::ranges::find(spec_.alerts[0].states, state) != spec_.alerts[0].states.end())
        states.set(key, Doc::flag(true));
    }
    extras.set_if("jobStatusChangeNotification", std::move(states));
  }

  const JobSpec& spec_;
  Notes& notes_;
  Doc out_ = Doc::map();
};

}  // namespace

std::string print(const JobSpec& spec, const std::string& carried, Notes& notes) {
  return V2Printer(spec, notes).run(carried);
}

}  // namespace ty::jobspec::openpai_v2
