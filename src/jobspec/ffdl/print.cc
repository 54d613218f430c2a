#include "jobspec/ffdl/print.h"

#include <algorithm>
#include <boost/json.hpp>

#include "base/text.h"
#include "jobspec/ffdl/command.h"
#include "jobspec/impl/cover.h"
#include "jobspec/impl/document.h"
#include "jobspec/impl/quantity.h"
#include "jobspec/impl/shell_text.h"
#include "jobspec/messages.h"
#include "model/words.h"

namespace ty::jobspec::ffdl {
namespace {

namespace json = boost::json;
using model::JobSpec;
using model::Mount;
using model::MountKind;
using model::RoleSpec;

/// Whole MiB where possible: what all versions of FfDL read.
std::string size_text(std::int64_t bytes) {
  return bytes % kMiB == 0 ? std::to_string(bytes / kMiB) + "MiB" : format_memory(bytes);
}

json::value number_text(const std::string& text) {
  json::error_code ec;
  json::value value = json::parse(text, ec);
  return ec ? json::value(text) : value;
}

/// Last component of an image's name that can stand for a framework's version.
struct Image {
  std::string name;
  std::string version;
};

Image split_image(const std::string& image, bool by_mpi) {
  if (by_mpi && image.starts_with("uber/horovod:")) return {"horovod", image.substr(13)};
  if (by_mpi && image.starts_with("tomcli/pytorch:")) return {"pytorchmpi", image.substr(15)};
  const std::size_t colon = image.rfind(':');
  const std::size_t slash = image.rfind('/');
  const bool tagged = colon != std::string::npos && image.find('@') == std::string::npos &&
                      (slash == std::string::npos || colon > slash);
  if (!tagged) return {"custom", image};
  return {image.substr(0, colon), image.substr(colon + 1)};
}

class Printer {
 public:
  Printer(const JobSpec& spec, Notes& notes) : spec_(spec), notes_(notes) {}

  json::object run() {
    const RoleSpec& learner = spec_.roles.empty() ? empty_ : learner_of();
    prophecis_ =
        spec_.links.contains("code_selector") || spec_.workspace != "default" || server_ != nullptr;
    json::object out{{"name", spec_.name.empty() ? "job" : spec_.name}};
    if (!spec_.description.empty()) out["description"] = spec_.description;
    if (const auto version = spec_.links.find("version"); version != spec_.links.end())
      out["version"] = version->second;
    if (prophecis_) out["namespace"] = spec_.workspace;
    if (server_ != nullptr) out["job_type"] = "dist-tf";
    if (learner.count != 1) out["learners"] = learner.count;
    out["cpus"] = number_text(format_cpus(learner.resources.cpu_milli));
    out["gpus"] = learner.resources.gpus;
    out["memory"] = size_text(learner.resources.memory);
    gpu_type(out, learner);
    if (learner.resources.disk) out["storage"] = size_text(*learner.resources.disk);
    if (server_ != nullptr) servers(out, learner);
    links(out);
    stores(out, learner);
    framework(out, learner);
    metrics(out);
    alerts(out);
    completion(learner);
    return out;
  }

 private:
  const RoleSpec& learner_of() {
    const auto named = [&](std::string_view name) -> const RoleSpec* {
      const auto found = std::ranges::find(spec_.roles, name, &RoleSpec::name);
      return found == spec_.roles.end() ? nullptr : &*found;
    };
    const RoleSpec* worker = named("worker");
    const RoleSpec* ps = named("ps");
    if (spec_.roles.size() == 2 && worker != nullptr && ps != nullptr) {
      server_ = ps;
      return *worker;
    }
    if (spec_.roles.size() > 1) notes_.refused("roles", say::manifest_roles());
    const RoleSpec& first = spec_.roles.front();
    if (first.name != "learner" &&
        !(first.name == "worker" && spec_.dialect == model::Dialect::Ffdl))
      notes_.changed("roles." + first.name + ".name", say::written_as({.text = "learner"}));
    return first;
  }

  void gpu_type(json::object& out, const RoleSpec& role) {
    const auto& types = role.resources.gpu_types;
    if (types.empty()) return;
    out["gpu_type"] = types.front();
    if (types.size() > 1)
      notes_.changed("roles." + role.name + ".resources.gpu_types",
                     say::written_as({.text = types.front()}));
  }

  void servers(json::object& out, const RoleSpec& worker) {
    out["pss"] = std::to_string(server_->count);
    out["ps_cpu"] = format_cpus(server_->resources.cpu_milli);
    out["ps_memory"] = size_text(server_->resources.memory);
    if (server_->image == worker.image) return;
    const Image own = split_image(server_->image, false), other = split_image(worker.image, false);
    if (own.name == other.name)
      out["ps_image"] = own.version;
    else
      notes_.refused("roles.ps.image", say::servers_share_image());
  }

  void links(json::object& out) {
    for (const char* key : {"exec_type",
                            "exp_run_id",
                            "dss_task_id",
                            "submit_id",
                            "user_id",
                            "fileName",
                            "algorithm",
                            "API_type",
                            "job_params",
                            "fit_params",
                            "exp_id",
                            "exp_name",
                            "group_name"}) {
      if (const auto link = spec_.links.find(key); link != spec_.links.end())
        out[key] = link->second;
    }
    if (spec_.run_as && !spec_.run_as->user.empty()) out["proxy_user"] = spec_.run_as->user;
    if (spec_.dialect != model::Dialect::Ffdl || spec_.extras == "{}") return;
    json::error_code ec;
    const json::value extras = json::parse(spec_.extras, ec);
    if (ec || !extras.is_object()) return;
    for (const char* key : {"data_set", "mf_model"}) {
      if (const json::value* value = extras.as_object().if_contains(key)) out[key] = *value;
    }
  }

  void stores(json::object& out, const RoleSpec& role) {
    json::object store;
    std::string root, code;
    bool object_store = false;
    for (const Mount& mount : role.mounts) {
      const bool data = mount.kind == MountKind::Data, results = mount.kind == MountKind::Output;
      std::string_view source = mount.source;
      if (mount.kind == MountKind::Code) {
        code = source;
        continue;
      }
      if (!data && !results) continue;
      const std::string_view key = data ? "training_data" : "training_results";
      const std::string_view base = data ? "/mnt/data/" : "/mnt/results/";
      std::string_view container =
          mount.target.starts_with(base) ? std::string_view(mount.target).substr(base.size()) : "";
      if (source.starts_with("s3://")) {
        object_store = true;
        store["type"] = mount.mode == model::MountMode::Mount ? "mount_cos" : "s3_datastore";
        store[key] = json::object{{"container", source.substr(5)}};
        continue;
      }
      if (!source.starts_with("host:")) {
        if (!(results && source == "scratch:"))
          notes_.lost("roles." + role.name + ".mounts",
                      say::no_place_in_manifest({.source = shorten(source)}));
        continue;
      }
      source.remove_prefix(5);
      if (container == "root") container = "";
      const bool fits = container.empty() || source.ends_with("/" + std::string(container));
      const std::string_view split = fits ? container : source.substr(source.rfind('/') + 1);
      const std::string_view parent =
          split.empty() ? source : source.substr(0, source.size() - split.size() - 1);
      if (root.empty()) root = parent;
      if (root != parent) {
        notes_.refused("roles." + role.name + ".mounts", say::folders_below_one_root());
        continue;
      }
      store["type"] = "mount_volume";
      store[key] = json::object{{"container", split}};
    }
    code_of(out, store, code, root);
    if (store.empty()) return;
    json::object named{{"id", "store"}};
    for (auto& [key, value] : store) named[key] = std::move(value);
    if (object_store) {
      json::object connection{{"auth_url", ""}};
      for (const char* key : {"auth_url", "user_name", "region"}) {
        const auto link = spec_.links.find(std::string("data_stores.") + key);
        if (link != spec_.links.end()) connection[key] = link->second;
      }
      const bool is_secret = std::ranges::any_of(
          role.mounts, [](const model::Mount& mount) { return mount.secret.has_value(); });
      if (is_secret) {
        connection["password"] = kCovered;
        notes_.changed("roles." + role.name + ".mounts", say::secret_never_written());
      }
      named["connection"] = std::move(connection);
    } else {
      named["connection"] = json::object{
          {"type", "host_mount"}, {"name", "host-mount"}, {"path", root.empty() ? "/" : root}};
    }
    out["data_stores"] = json::array{std::move(named)};
  }

  void code_of(json::object& out,
               json::object& store,
               const std::string& code,
               const std::string& root) {
    const auto selector = spec_.links.find("code_selector");
    const bool in_store = code.starts_with("host:");
    if (prophecis_) out["code_selector"] = in_store ? "storagePath" : "codeFile";
    if (in_store) {
      const std::string path = code.substr(5);
      if (!root.empty() && path.starts_with(root + "/"))
        store["training_workspace"] = json::object{{"container", path.substr(root.size() + 1)}};
    } else if (!code.empty() && !code.starts_with("local:") && !code.starts_with("upload:") &&
               (prophecis_ || selector != spec_.links.end())) {
      out["code_path"] = code;
    }
  }

  void framework(json::object& out, const RoleSpec& role) {
    const Image image = split_image(role.image, spec_.services.mpi);
    out["framework"] =
        json::object{{"name", image.name}, {"version", image.version}, {"command", command(role)}};
  }

  std::string command(const RoleSpec& role) {
    const model::Command& c = role.command;
    if (spec_.dialect == model::Dialect::Ffdl) {
      return spec_.services.mpi ? launched_by_mpi(c.script).value_or(c.script) : c.script;
    }
    const std::string path = "roles." + role.name + ".command";
    const std::string exports = export_lines(spec_.env, role.env);
    const std::string script = script_of(c, exports);
    if (!spec_.env.empty()) notes_.changed("env", say::as_export_lines());
    if (!role.env.empty()) notes_.changed("roles." + role.name + ".env", say::as_export_lines());
    if (script.empty()) {
      notes_.refused(path, say::own_command_not_expressible());
      return "true";
    }
    notes_.changed(path, say::run_by_bash_in_code());
    const bool bash = c.shell == model::Shell::Bash || c.shell == model::Shell::BashOrSh ||
                      c.shell == model::Shell::None;
    if (script.find('\n') == std::string::npos && bash) return script;
    // Line ends become blanks in this dialect, so they are spelled.
    std::string out = std::string(bash ? "bash" : "sh") + " -c $'";
    for (const char ch : script) {
      if (ch == '\n')
        out += "\\n";
      else if (ch == '\'' || ch == '\\')
        out += std::string("\\") + ch;
      else
        out += ch;
    }
    return out + "'";
  }

  void metrics(json::object& out) {
    if (spec_.metrics.empty()) return;
    const auto kind = spec_.metrics.front().kind;
    json::object metrics;
    if (kind == model::MetricKind::Tensorboard) {
      metrics = {{"type", "tensorboard"}, {"in", "$JOB_STATE_DIR/logs/tb"}};
    } else if (kind == model::MetricKind::File) {
      metrics = {{"type", "emetrics_file"}};
    } else {
      metrics = {{"type", "regex_extractor"}};
      if (spec_.metrics.front().window != 4)
        metrics["line_lookahead"] = spec_.metrics.front().window;
      json::object groups;
      for (const model::MetricRule& rule : spec_.metrics) {
        json::value& group = groups[rule.group.empty() ? rule.name : rule.group];
        if (!group.is_object()) {
          json::object fresh{{"regex", rule.pattern},
                             {"meta", json::object{{"time", "$timestamp"}}}};
          if (!rule.step.empty())
            fresh["etimes"] = json::object{
                {"iteration", json::object{{"type", "INT"}, {"value", "$" + rule.step}}}};
          fresh["scalars"] = json::object{};
          group = std::move(fresh);
        }
        json::object& scalars = group.as_object()["scalars"].as_object();
        scalars[rule.name] = json::object{{"type", "FLOAT"}, {"value", "$" + rule.value}};
      }
      metrics["groups"] = std::move(groups);
    }
    out["evaluation_metrics"] = std::move(metrics);
  }

  void alerts(json::object& out) {
    json::object kinds;
    for (const model::Alert& alert : spec_.alerts) {
      json::object one;
      std::string kind = "event";
      if (alert.at) {
        kind = "deadline";
        one["deadline_checker"] = *alert.at + ":00";
      } else if (alert.after) {
        kind = "overtime";
        one["overtime_checker"] = format_cpus((alert.after->count() * 10 + 35) / 36);
      } else if (alert.states.size() == 1 &&
                 (alert.states[0] == "failed" || alert.states[0] == "succeeded")) {
        one["event_checker"] = alert.states[0] == "failed" ? "FAILED" : "COMPLETED";
      } else {
        notes_.lost("alerts", say::only_failed_and_succeeded_alerts());
        continue;
      }
      if (alert.every)
        one["interval"] = std::to_string(std::max<std::int64_t>(1, alert.every->count() / 60));
      if (alert.level != model::AlertLevel::Warning)
        one["alert_level"] = model::to_word(alert.level);
      one["receiver"] = join(alert.to, ",");
      json::value& list = kinds[kind];
      if (!list.is_array()) list = json::array{};
      list.as_array().emplace_back(std::move(one));
    }
    if (!kinds.empty()) out["job_alert"] = std::move(kinds);
  }

  /// The first learner to end decides here; with one learner nothing else can.
  void completion(const RoleSpec& learner) {
    if (spec_.dialect == model::Dialect::Ffdl) return;
    const std::string path = "roles." + learner.name + ".completion";
    const model::RoleCompletion& c = learner.completion;
    const bool any = c.ends_job && c.min_succeeded == 1;
    if (c.min_failed != 1)
      notes_.refused(path + ".min_failed", say::first_failed_learner());
    else if (server_ == nullptr && learner.count > 1 && !any)
      notes_.refused(path, say::first_learner_ends_job());
    else if (server_ != nullptr && !(c.decider == 0))
      notes_.changed(path, say::worker_zero_decides());
    else if (server_ == nullptr)
      notes_.changed(path, say::first_learner_ends_job());
    if (spec_.completion.min_succeeded)
      notes_.refused("completion.min_succeeded", say::first_learner_decides());
  }

  const JobSpec& spec_;
  Notes& notes_;
  const RoleSpec empty_;
  const RoleSpec* server_ = nullptr;
  bool prophecis_ = false;
};

}  // namespace

std::string print(const JobSpec& spec, const std::string&, Notes& notes) {
  json::object manifest = Printer(spec, notes).run();
  Doc document = Doc::of(manifest);
  if (spec.dialect == model::Dialect::Ffdl) document.put_unknown(spec);
  return document.to_yaml();
}

}  // namespace ty::jobspec::ffdl
