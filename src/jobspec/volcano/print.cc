#include "jobspec/volcano/print.h"

#include <algorithm>
#include <boost/json.hpp>

#include "base/text.h"
#include "jobspec/impl/defaults.h"
#include "jobspec/impl/document.h"
#include "jobspec/impl/kube_quantity.h"
#include "jobspec/impl/names.h"
#include "jobspec/impl/shell_text.h"
#include "jobspec/messages.h"
#include "jobspec/volcano/words.h"
#include "model/names.h"

namespace ty::jobspec::volcano {
namespace {

namespace json = boost::json;
using model::Dialect;
using model::JobSpec;
using model::Mount;
using model::RoleSpec;

constexpr std::int64_t kEndless = 1000;

/// `$(NAME)` is replaced in this dialect; in most others it is just text.
std::string literal(const JobSpec& spec, std::string_view text) {
  if (spec.dialect == Dialect::Volcano || spec.dialect == Dialect::GpuManager)
    return std::string(text);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '$' && i + 1 < text.size() && text[i + 1] == '(') out += '$';
    out += text[i];
  }
  return out;
}

json::array policies_of(const std::vector<model::Policy>& policies) {
  json::array out;
  for (const model::Policy& policy : policies) {
    json::object one;
    if (policy.exit_code) {
      one["exitCode"] = *policy.exit_code;
    } else if (policy.events.size() == 1) {
      one["event"] = word_of(policy.events.front());
    } else {
      json::array events;
      for (const model::PolicyEvent event : policy.events) events.emplace_back(word_of(event));
      one["events"] = std::move(events);
    }
    one["action"] = word_of(policy.action);
    if (policy.delay) one["timeout"] = format_duration(*policy.delay);
    out.emplace_back(std::move(one));
  }
  return out;
}

class Printer {
 public:
  Printer(const JobSpec& spec, const std::string& carried, Notes& notes)
      : spec_(spec), carried_(carried), notes_(notes) {}

  json::object run() {
    return {{"apiVersion", "batch.volcano.sh/v1alpha1"},
            {"kind", "Job"},
            {"metadata", metadata()},
            {"spec", job()}};
  }

 private:
  json::object metadata() {
    std::string name = spec_.name.empty() ? "job" : spec_.name;
    const bool single = model::task_count(spec_) < 2;
    const bool letter = name.front() >= 'a' && name.front() <= 'z';
    if (check_job_name(Dialect::Volcano, name) ||
        (!single && (!letter || name.find('.') != std::string::npos))) {
      name = model::dns_name(name, "0");
    }
    if (name != spec_.name) notes_.changed("name", say::written_as({.text = name}));
    json::object out{{"name", name}};
    if (!spec_.labels.empty()) {
      json::object labels;
      for (const auto& [key, value] : spec_.labels) labels[key] = value;
      out["labels"] = std::move(labels);
    }
    if (!carried_.empty()) out["annotations"] = json::object{{"trainyard.dev/spec", carried_}};
    return out;
  }

  json::object job() {
    json::object out{{"schedulerName", "volcano"}};
    // Not written, it is what the tasks need together.
    std::int64_t least = 0;
    for (const RoleSpec& role : spec_.roles) least += role.min_available.value_or(role.count);
    const std::int64_t together = spec_.min_available.value_or(model::task_count(spec_));
    if (together != least) out["minAvailable"] = std::max<std::int64_t>(together, 1);
    if (spec_.completion.min_succeeded) out["minSuccess"] = *spec_.completion.min_succeeded;
    if (spec_.workspace != "default") out["queue"] = spec_.workspace;
    if (spec_.priority != JobSpec{}.priority) {
      const std::string_view name = priority_class(spec_.priority);
      out["priorityClassName"] = name;
      if (class_value(name) != spec_.priority)
        notes_.changed("priority", say::written_as_class({.name = name}));
    }
    const std::int64_t runs = spec_.retry.budget < 0 ? kEndless : spec_.retry.budget + 1;
    if (runs != kUsualRetries) out["maxRetry"] = runs;
    if (spec_.ttl) out["ttlSecondsAfterFinished"] = spec_.ttl->count();
    json::array policies = policies_of(spec_.policies);
    // Elsewhere a job with retries starts again by itself; here a policy says so.
    const bool retries = spec_.retry.budget != 0 && !spec_.retry.on.empty();
    if (retries && policies.empty())
      policies.push_back(json::object{{"event", "PodFailed"}, {"action", "RestartJob"}});
    if (!policies.empty()) out["policies"] = std::move(policies);
    out["plugins"] = plugins();
    json::array tasks;
    for (std::size_t i = 0; i < spec_.roles.size(); ++i)
      tasks.emplace_back(task(spec_.roles[i], i, retries));
    out["tasks"] = std::move(tasks);
    return out;
  }

  json::object plugins() {
    json::object out{{"env", json::array{}}, {"svc", json::array{}}};
    if (spec_.services.ssh) {
      json::array words;
      if (const auto& folder = spec_.services.ssh_folder)
        words.emplace_back("--ssh-key-file-path=" + *folder);
      if (const auto& port = spec_.services.ssh_port)
        words.emplace_back("--ssh-port=" + std::to_string(*port));
      out["ssh"] = std::move(words);
    }
    const auto flags = [&](std::optional<std::int64_t> port) {
      json::array list;
      for (const RoleSpec& role : spec_.roles) {
        if (!role.part.empty()) list.emplace_back("--" + role.part + "=" + role.name);
      }
      if (port) list.emplace_back("--port=" + std::to_string(*port));
      return list;
    };
    if (spec_.services.mpi) out["mpi"] = flags(std::nullopt);
    if (spec_.services.tensorflow_port) out["tensorflow"] = flags(spec_.services.tensorflow_port);
    if (spec_.services.master_port) out["pytorch"] = flags(spec_.services.master_port);
    return out;
  }

  std::string role_name(const RoleSpec& role) {
    if (!check_role_name(Dialect::Volcano, role.name)) return role.name;
    const std::string name = model::dns_name(role.name, "0");
    notes_.changed("roles." + role.name + ".name", say::written_as({.text = name}));
    return name;
  }

  json::object task(const RoleSpec& role, std::size_t i, bool retries) {
    const std::string name = role_name(role);
    json::object out;
    if (name != "default" + std::to_string(i)) out["name"] = name;
    out["replicas"] = role.count;
    if (role.min_available) out["minAvailable"] = *role.min_available;
    json::array policies = policies_of(role.policies);
    // One failure ends the job in most other dialects; here it would wait for the rest.
    if (role.completion.min_failed && policies.empty() && !retries && spec_.policies.empty())
      policies.push_back(json::object{{"event", "PodFailed"}, {"action", "TerminateJob"}});
    if (role.completion.ends_job && role.completion.min_succeeded == role.count)
      policies.push_back(json::object{{"event", "TaskCompleted"}, {"action", "CompleteJob"}});
    if (!policies.empty()) out["policies"] = std::move(policies);
    after(out, role);
    const model::Restart& restart = role.restart;
    if (restart.budget != 0 && restart.budget != kUsualRetries) out["maxRetry"] = restart.budget;
    out["template"] = json::object{{"spec", pod(role, name)}};
    return out;
  }

  static void after(json::object& out, const RoleSpec& role) {
    json::array names;
    bool any = false;
    for (const model::After& one : role.after) {
      if (one.when != model::AfterWhen::Started) continue;
      names.emplace_back(one.role);
      any = any || one.any;
    }
    if (names.empty()) return;
    json::object depends{{"name", std::move(names)}};
    if (any) depends["iteration"] = "any";
    out["dependsOn"] = std::move(depends);
  }

  json::object pod(const RoleSpec& role, const std::string& name) {
    json::object out;
    out["restartPolicy"] = role.restart.budget == 0                   ? "Never"
                           : role.restart.on == model::RestartOn::Any ? "Always"
                                                                      : "OnFailure";
    if (role.task_limit) out["activeDeadlineSeconds"] = role.task_limit->count();
    if (spec_.stop_grace != JobSpec{}.stop_grace)
      out["terminationGracePeriodSeconds"] = spec_.stop_grace.count();
    if (role.network == model::Network::Host) out["hostNetwork"] = true;
    if (!role.node_labels.empty()) {
      json::object labels;
      for (const auto& [key, value] : role.node_labels) labels[key] = value;
      out["nodeSelector"] = std::move(labels);
    }
    if (role.image_auth && role.image_auth->stored_name)
      out["imagePullSecrets"] = json::array{json::object{{"name", *role.image_auth->stored_name}}};
    if (spec_.run_as && (spec_.run_as->uid || spec_.run_as->gid)) {
      json::object user;
      if (spec_.run_as->uid) user["runAsUser"] = *spec_.run_as->uid;
      if (spec_.run_as->gid) user["runAsGroup"] = *spec_.run_as->gid;
      out["securityContext"] = std::move(user);
    }
    json::array volumes;
    json::object one = container(role, name, volumes);
    out["containers"] = json::array{std::move(one)};
    if (!volumes.empty()) out["volumes"] = std::move(volumes);
    return out;
  }

  json::object container(const RoleSpec& role, const std::string& name, json::array& volumes) {
    json::object out{{"name", name}, {"image", role.image}};
    if (role.pull != default_pull(role.image)) {
      out["imagePullPolicy"] = role.pull == model::PullPolicy::Always  ? "Always"
                               : role.pull == model::PullPolicy::Never ? "Never"
                                                                       : "IfNotPresent";
    }
    command(out, role);
    if (role.workdir) out["workingDir"] = *role.workdir;
    environment(out, role);
    json::array ports;
    for (const model::Port& port : role.ports) {
      if (port.first == 0 || port.count != 1) continue;  // drawn ports have no word here
      json::object one{{"containerPort", port.first}};
      if (port.label != "p" + std::to_string(port.first)) one["name"] = port.label;
      ports.emplace_back(std::move(one));
    }
    if (!ports.empty()) out["ports"] = std::move(ports);
    resources(out, role.resources);
    mounts(out, role, volumes);
    json::array caps;
    for (const std::string& cap : role.caps) caps.emplace_back(kube_cap(cap));
    if (!caps.empty())
      out["securityContext"] =
          json::object{{"capabilities", json::object{{"add", std::move(caps)}}}};
    return out;
  }

  json::array words(const std::vector<std::string>& list) {
    json::array out;
    for (const std::string& word : list) out.emplace_back(literal(spec_, word));
    return out;
  }

  void command(json::object& out, const RoleSpec& role) {
    const model::Command& c = role.command;
    if (c.shell == model::Shell::None) {
      if (!c.argv.empty()) out["command"] = words(c.argv);
      if (!c.args.empty()) out["args"] = words(c.args);
      return;
    }
    const bool bash = c.shell != model::Shell::Sh;
    const std::string_view shell = bash ? "/bin/bash" : "/bin/sh";
    notes_.changed("roles." + role.name + ".command",
                   say::written_as({.text = std::string(shell) + " -c"}));
    out["command"] = json::array{shell, "-c", literal(spec_, script_of(c, ""))};
  }

  void environment(json::object& out, const RoleSpec& role) {
    if (!spec_.env.empty()) {
      notes_.changed("env", say::into_every_container());
      notes_.changed("roles." + role.name + ".env", say::holds_job_variables());
    }
    model::EnvMap all = spec_.env;
    for (const auto& [name, value] : role.env) all[name] = value;
    json::array list;
    for (const auto& [name, value] : all) {
      if (value) list.push_back(json::object{{"name", name}, {"value", literal(spec_, *value)}});
    }
    if (!list.empty()) out["env"] = std::move(list);
  }

  static void resources(json::object& out, const model::Resources& r) {
    json::object limits{{"cpu", format_kube_cpu(r.cpu_milli)},
                        {"memory", format_kube_bytes(r.memory)}};
    if (r.gpus > 0) limits["nvidia.com/gpu"] = std::to_string(r.gpus);
    for (const auto& [name, count] : r.devices) {
      if (name.find('/') != std::string::npos) limits[name] = std::to_string(count);
    }
    if (r.disk) limits["ephemeral-storage"] = format_kube_bytes(*r.disk);
    out["resources"] = json::object{{"limits", std::move(limits)}};
  }

  /// How a volume of this dialect says the source; null: it cannot.
  static json::object volume_of(const Mount& mount) {
    const std::string_view source = mount.source;
    if (source.starts_with("host:"))
      return {{"hostPath", json::object{{"path", source.substr(5)}}}};
    if (source.starts_with("volume:"))
      return {{"persistentVolumeClaim", json::object{{"claimName", source.substr(7)}}}};
    if (source.starts_with("nfs://")) {
      const std::size_t slash = source.find('/', 6);
      if (slash == std::string_view::npos) return {};
      return {
          {"nfs",
           json::object{{"server", source.substr(6, slash - 6)}, {"path", source.substr(slash)}}}};
    }
    if (source == "scratch:" || source == "memory:") {
      json::object empty;
      if (source == "memory:") empty["medium"] = "Memory";
      if (mount.size_limit) empty["sizeLimit"] = format_kube_bytes(*mount.size_limit);
      return {{"emptyDir", std::move(empty)}};
    }
    return {};
  }

  void mounts(json::object& out, const RoleSpec& role, json::array& volumes) {
    json::array list;
    const auto add = [&](const std::string& name, json::object volume, json::object mount) {
      json::object named{{"name", name}};
      for (auto& [key, value] : volume) named[key] = std::move(value);
      volumes.emplace_back(std::move(named));
      list.emplace_back(std::move(mount));
    };
    for (const Mount& mount : role.mounts) {
      json::object volume = volume_of(mount);
      if (volume.empty() || mount.target.empty()) continue;
      const bool named = !mount.name.empty() && !check_role_name(Dialect::Volcano, mount.name);
      const std::string name = named ? mount.name : "volume-" + std::to_string(volumes.size());
      json::object at{{"name", name}, {"mountPath", mount.target}};
      if (mount.read_only) at["readOnly"] = true;
      add(name, std::move(volume), std::move(at));
    }
    if (role.resources.shm != default_shm(role.resources.memory)) {
      add("shm",
          {{"emptyDir",
            json::object{{"medium", "Memory"},
                         {"sizeLimit", format_kube_bytes(role.resources.shm)}}}},
          {{"name", "shm"}, {"mountPath", "/dev/shm"}});
    }
    if (!list.empty()) out["volumeMounts"] = std::move(list);
  }

  const JobSpec& spec_;
  const std::string& carried_;
  Notes& notes_;
};

}  // namespace

std::string print(const JobSpec& spec, const std::string& carried, Notes& notes) {
  if (spec.dialect == Dialect::Volcano && spec.kube) return Doc::of_json(*spec.kube).to_yaml();
  return Doc::of(Printer(spec, carried, notes).run()).to_yaml();
}

}  // namespace ty::jobspec::volcano
