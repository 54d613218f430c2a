#include "jobspec/gpu_manager/print.h"

#include <boost/json.hpp>

#include "jobspec/impl/defaults.h"
#include "jobspec/impl/document.h"
#include "jobspec/impl/kube_quantity.h"
#include "jobspec/impl/shell_text.h"
#include "jobspec/messages.h"
#include "model/names.h"

namespace ty::jobspec::gpu_manager {
namespace {

namespace json = boost::json;
using model::JobSpec;
using model::RoleSpec;
using model::Shell;

json::array texts(const std::vector<std::string>& words) {
  return json::array(words.begin(), words.end());
}

/// A text that the reader takes for a script, not for the name of a program.
bool reads_as_script(const std::string& text) {
  return text.find_first_of(" \n") != std::string::npos;
}

void put_command(json::object& task, const JobSpec& spec, const RoleSpec& role, Notes& notes) {
  const std::string path = "roles." + role.name;
  const model::Command& command = role.command;
  const std::string exports = export_lines(spec.env, role.env);
  if (!exports.empty()) {
    if (!spec.env.empty()) notes.changed("env", say::as_export_lines());
    if (!role.env.empty()) notes.changed(path + ".env", say::as_export_lines());
  }
  if (command.shell == Shell::None && exports.empty()) {
    if (!command.argv.empty()) task["command"] = texts(command.argv);
    if (!command.args.empty()) task["args"] = texts(command.args);
    return;
  }
  const std::string script = script_of(command, exports);
  if (script.empty()) {
    notes.refused(path + ".env", say::own_command_without_variables());
    if (!command.args.empty()) task["args"] = texts(command.args);
    return;
  }
  const bool bash = command.shell == Shell::Bash || command.shell == Shell::BashOrSh;
  const bool says_bash = script.starts_with("#!") &&
                         script.substr(0, script.find('\n')).find("bash") != std::string::npos;
  const bool same = exports.empty() && is_plain_script(command) && reads_as_script(script) &&
                    bash == says_bash && command.shell != Shell::BashOrSh;
  if (same) {
    task["command"] = script;
    return;
  }
  notes.changed(path + ".command", say::as_script_for({.shell = bash ? "bash" : "sh"}));
  std::string text = script;
  if (bash && !says_bash) text = "#!/usr/bin/env bash\n" + text;
  if (!reads_as_script(text)) text += "\n";
  task["command"] = text;
}

void put_resources(json::object& task, const RoleSpec& role) {
  const model::Resources& r = role.resources;
  model::Resources usual;
  fill_defaults(usual, r.gpus, SiteDefaults{});
  json::object out;
  if (r.cpu_milli != usual.cpu_milli) out["cpu"] = format_kube_cpu(r.cpu_milli);
  if (r.memory != usual.memory) out["memory"] = format_kube_bytes(r.memory);
  if (r.gpus != 0) out["gpu"] = std::to_string(r.gpus);
  if (!out.empty()) task["resources"] = std::move(out);
}

void put_ports(json::object& task, const RoleSpec& role) {
  json::array ports;
  for (const model::Port& port : role.ports) {
    if (port.first == 0 || port.count != 1) continue;  // there is no word for a drawn port
    json::object one{{"number", port.first}};
    if (port.label != "p" + std::to_string(port.first)) one["name"] = port.label;
    ports.emplace_back(std::move(one));
  }
  if (ports.size() == 1)
    task["ports"] = std::move(ports.front());
  else if (!ports.empty())
    task["ports"] = std::move(ports);
}

/// How a job ends cannot be said here: one failure fails it, and all must succeed.
void check_completion(const JobSpec& spec, Notes& notes) {
  for (const RoleSpec& role : spec.roles) {
    const model::RoleCompletion& c = role.completion;
    const std::string path = "roles." + role.name + ".completion";
    if (c.min_failed != 1) notes.refused(path + ".min_failed", say::first_failure_fails_job());
    if (c.min_succeeded || c.decider || c.ends_job)
      notes.refused(path, say::every_task_must_succeed_no_main());
  }
  if (spec.completion.min_succeeded)
    notes.refused("completion.min_succeeded", say::every_task_must_succeed());
}

}  // namespace

std::string print(const JobSpec& spec, const std::string&, Notes& notes) {
  json::object job;
  std::string name = model::gpu_manager_name(spec.name.empty() ? "job" : spec.name);
  if (spec.dialect != model::Dialect::GpuManager) name = model::dns_name(name, "0");
  if (name != spec.name) notes.changed("name", say::written_as({.text = name}));
  job["jobname"] = name;
  check_completion(spec, notes);
  json::array tasks;
  for (std::size_t i = 0; i < spec.roles.size(); ++i) {
    const RoleSpec& role = spec.roles[i];
    json::object task;
    if (role.name != "task-" + std::to_string(i)) task["name"] = role.name;
    if (role.count != 1) task["amount"] = role.count;
    task["image"] = role.image;
    if (role.workdir) task["workingDir"] = *role.workdir;
    put_command(task, spec, role, notes);
    put_resources(task, role);
    put_ports(task, role);
    tasks.emplace_back(std::move(task));
  }
  job["tasks"] = std::move(tasks);
  Doc document = Doc::of(job);
  if (spec.dialect == model::Dialect::GpuManager) document.put_unknown(spec);
  return document.to_yaml();
}

}  // namespace ty::jobspec::gpu_manager
