#include "jobspec/pumpkin/print.h"

#include <algorithm>
#include <boost/json.hpp>

#include "base/text.h"
#include "jobspec/impl/document.h"
#include "jobspec/impl/names.h"
#include "jobspec/impl/shell_text.h"
#include "jobspec/messages.h"

namespace ty::jobspec::pumpkin {
namespace {

namespace json = boost::json;
using model::Dialect;
using model::JobSpec;
using model::Mount;
using model::MountKind;
using model::RoleSpec;

/// What the dialect allows of a name: the rest becomes `_`.
std::string nearest(std::string_view name, std::size_t most) {
  std::string out;
  for (const char c : name.substr(0, most)) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    out += word ? c : '_';
  }
  return out.empty() ? "job" : out;
}

class Printer {
 public:
  Printer(const JobSpec& spec, Notes& notes) : spec_(spec), notes_(notes) {}

  json::object run() {
    json::object out;
    std::string name = spec_.name;
    if (name.empty() || check_job_name(Dialect::Pumpkin, name)) {
      name = nearest(name, 30);
      notes_.changed("name", say::written_as({.text = name}));
    }
    out["name"] = name;
    out["desc"] = spec_.description;
    image(out);
    if (!spec_.roles.empty()) mounts(out, spec_.roles.front());
    for (const RoleSpec& role : spec_.roles) {
      if (!(role.mounts == spec_.roles.front().mounts))
        notes_.refused("roles." + role.name + ".mounts", say::subtasks_share_folders());
    }
    if (const auto pool = spec_.links.find("resourcePool"); pool != spec_.links.end())
      out["resourcePool"] = pool->second;
    distributed_ = spec_.roles.size() > 1 ||
                   (spec_.roles.size() == 1 &&
                    (spec_.roles[0].count > 1 || spec_.roles[0].completion.ends_job));
    out["isDistributed"] = distributed_;
    json::array config;
    for (const RoleSpec& role : spec_.roles) config.emplace_back(task(role, config.size()));
    out["config"] = std::move(config);
    return out;
  }

 private:
  void image(json::object& out) {
    const std::string first = spec_.roles.empty() ? "" : spec_.roles.front().image;
    for (const RoleSpec& role : spec_.roles) {
      if (role.image != first)
        notes_.refused("roles." + role.name + ".image", say::subtasks_share_image());
    }
    if (const auto id = spec_.links.find("imageId"); id != spec_.links.end() && first.empty())
      out["imageId"] = id->second;
    else
      out["imageUrl"] = first;
  }

  void mounts(json::object& out, const RoleSpec& role) {
    json::array others;
    bool output = false;
    for (const Mount& mount : role.mounts) {
      const auto asset =
          [&](std::string_view prefix, std::string_view key, std::string_view version) {
            std::string_view source = mount.source;
            if (!source.starts_with(prefix)) return false;
            source.remove_prefix(prefix.size());
            const std::size_t at = source.rfind('@');
            out[key] = source.substr(0, at);
            if (at != std::string_view::npos) out[version] = source.substr(at + 1);
            return true;
          };
      if (mount.kind == MountKind::Output && mount.target == "/model") {
        output = true;
        continue;
      }
      if (asset("algorithm:", "algorithmId", "algorithmVersion") ||
          asset("dataset:", "dataSetId", "dataSetVersion") ||
          asset("model:", "preTrainModelId", "preTrainModelVersion")) {
        continue;
      }
      json::object one{{"containerPath", mount.target}};
      if (mount.read_only) one["readOnly"] = true;
      std::string_view source = mount.source;
      if (source.starts_with("nfs://")) {
        source.remove_prefix(6);
        const std::size_t slash = std::min(source.find('/'), source.size());
        one["nfs"] =
            json::object{{"server", source.substr(0, slash)}, {"path", source.substr(slash)}};
      } else if (source.starts_with("storage:")) {
        source.remove_prefix(8);
        const std::size_t slash = source.find('/');
        json::object bucket{{"bucket", source.substr(0, slash)}};
        if (slash != std::string_view::npos) bucket["object"] = source.substr(slash + 1);
        one["octopus"] = std::move(bucket);
      } else {
        notes_.lost("roles." + role.name + ".mounts",
                    say::must_be_an_asset({.source = shorten(mount.source)}));
        continue;
      }
      if (spec_.services.tensorboard == mount.target) one["isTensorboardLogDir"] = true;
      others.emplace_back(std::move(one));
    }
    if (!others.empty()) out["mounts"] = std::move(others);
    if (spec_.links.contains("disableMountUserHome")) out["disableMountUserHome"] = true;
    if (!output && spec_.dialect == Dialect::Pumpkin) out["disableMountModel"] = true;
  }

  json::object task(const RoleSpec& role, std::size_t index) {
    const std::string path = "roles." + role.name;
    std::string name = role.name;
    if (check_role_name(Dialect::Pumpkin, name)) {
      name = nearest(name, 30);
      notes_.changed(path + ".name", say::written_as({.text = name}));
    }
    json::object out;
    if (name != "task" + std::to_string(index) || distributed_) out["name"] = name;
    command(out, role, path);
    if (role.resources.spec_id) {
      out["resourceSpecId"] = *role.resources.spec_id;
    } else {
      out["resourceSpecId"] = "";
      notes_.refused(path + ".resources", say::only_resource_specs());
    }
    const model::RoleCompletion& c = role.completion;
    const std::int64_t succeeded = c.min_succeeded.value_or(role.count);
    const std::int64_t failed = c.min_failed.value_or(role.count);
    if (!c.min_succeeded || !c.min_failed || c.decider || c.need != succeeded) {
      notes_.changed(
          path + ".completion",
          say::written_as_counts({.succeeded = succeeded, .count = role.count, .failed = failed}));
    }
    out["taskNumber"] = role.count;
    out["minSucceededTaskCount"] = succeeded;
    out["minFailedTaskCount"] = failed;
    if (c.ends_job) out["isMainRole"] = true;
    environment(out, role, path);
    return out;
  }

  void command(json::object& out, const RoleSpec& role, const std::string& path) {
    const model::Command& c = role.command;
    out["command"] = script_of(c, "");
    if (c.shell == model::Shell::None && c.argv.empty())
      notes_.refused(path + ".command", say::own_command_not_expressible());
    else if (c.shell != model::Shell::Sh || !is_plain_script(c))
      notes_.changed(path + ".command", say::as_script_for({.shell = "sh"}));
  }

  void environment(json::object& out, const RoleSpec& role, const std::string& path) {
    if (!spec_.env.empty()) {
      notes_.changed("env", say::into_every_subtask());
      notes_.changed(path + ".env", say::holds_job_variables());
    }
    model::EnvMap all = spec_.env;
    for (const auto& [name, value] : role.env) all[name] = value;
    json::object envs;
    for (const auto& [name, value] : all) {
      if (value) envs[name] = *value;
    }
    if (!envs.empty()) out["envs"] = std::move(envs);
  }

  const JobSpec& spec_;
  Notes& notes_;
  bool distributed_ = false;
};

}  // namespace

std::string print(const JobSpec& spec, const std::string&, Notes& notes) {
  json::object job = Printer(spec, notes).run();
  Doc document = Doc::of(job);
  if (spec.dialect == Dialect::Pumpkin) document.put_unknown(spec);
  return document.to_json();
}

}  // namespace ty::jobspec::pumpkin
