#include <algorithm>

#include "base/text.h"
#include "jobspec/impl/dialect.h"
#include "jobspec/messages.h"
#include "jobspec/openpai_v2/reader.h"

/// Runtime plugins: what OpenPAI ran around a command (openpai.md §3.3).
namespace ty::jobspec::openpai_v2 {

using model::MountKind;
using model::MountMode;

namespace {

/// `a`, then `b`, in one script.
void append(std::string& script, const std::string& more) {
  if (more.empty()) return;
  if (!script.empty()) script += "\n";
  script += more;
}

}  // namespace

/// `prerequisites: [a, b]` of a role: those that name a plugin run it, the others only have to
/// exist.
void V2Reader::read_role_plugins(Ref role, std::size_t i) {
  const Ref list = present(role, "prerequisites");
  if (!list) return;
  if (!list.is_list()) {
    wrong_type(list, say::a_list(), "prerequisites: [data]");
    return;
  }
  for (const Ref name : list) {
    if (!name.is_scalar()) {
      wrong_type(name, say::some_text(), "prerequisites: [data]");
      continue;
    }
    const Ref found = prerequisite("", name);
    if (!found) continue;
    const Ref plugin = present(found, "plugin");
    if (!plugin || !plugin.is_scalar()) continue;
    std::string_view kind = plugin->text;
    if (kind.starts_with(kPluginPrefix)) kind.remove_prefix(kPluginPrefix.size());
    run_plugin(kind, found, plugin, {i});
  }
}

void V2Reader::read_plugins(Ref list) {
  for (const Ref plugin : list) {
    if (!plugin.is_map())
      wrong_type(plugin, say::a_plugin(), "{plugin: ssh, parameters: {jobssh: true}}");
    else
      read_plugin(plugin);
  }
}

void V2Reader::read_plugin(Ref plugin) {
  keep_unknown(plugin, {"plugin", "parameters", "failurePolicy", "taskroles", "taskRoles"});
  std::string name;
  if (!need_text(plugin, "plugin", name, "plugin: ssh")) return;
  std::vector<std::size_t> on;
  const Ref only = present(plugin, plugin.find("taskroles") ? "taskroles" : "taskRoles");
  if (only && only.is_list()) {
    for (const Ref role : only) {
      const std::size_t i = role.is_scalar() ? role_index(role->text) : spec_.roles.size();
      if (i == spec_.roles.size())
        report_.warn(role, "ignored", say::no_role_called_ignored());
      else
        on.push_back(i);
    }
  } else {
    for (std::size_t i = 0; i < spec_.roles.size(); ++i) on.push_back(i);
  }
  run_plugin(name, present(plugin, "parameters"), plugin, on);
}

void V2Reader::run_plugin(std::string_view name,
                          Ref parameters,
                          Ref at,
                          const std::vector<std::size_t>& on) {
  const bool map = is_map(parameters);
  if (name == "ssh" || name == "sshd") {
    const Ref job = map ? parameters.find("jobssh") : Ref{};
    const Ref user = map ? present(parameters, "userssh") : Ref{};
    spec_.services.ssh =
        spec_.services.ssh || user || (job && job.is_plain() && is_true_word(job->text));
    if (at.is_map()) kept_plugins_.push_back(at);
  } else if (name == "tensorboard") {
    const Ref folders = map ? present(parameters, "logdir") : Ref{};
    spec_.services.tensorboard = "/mnt/tensorboard";
    if (folders && folders.is_scalar()) {
      spec_.services.tensorboard = std::string(folders->text);
    } else if (is_map(folders)) {
      for (const Ref folder : folders) {
        spec_.services.tensorboard = std::string(folder->text);
        break;
      }
    }
    if (at.is_map()) kept_plugins_.push_back(at);
  } else if (name == "cmd") {
    if (map) read_cmd(parameters, on);
  } else if (name == "git") {
    if (map) read_git(parameters, at, on);
  } else if (name == "teamwise_storage") {
    const Ref names = map ? present(parameters, "storageConfigNames") : Ref{};
    if (!is_list(names)) return;
    for (const Ref one : names) {
      if (!one.is_scalar()) continue;
      for (const std::size_t i : on) add_storage(std::string(one->text), "", one, i);
    }
  } else {
    const Ref policy = at.is_map() ? at.find("failurePolicy") : Ref{};
    const Message message =
        say::not_one_of({.value = in_quotes(name),
                         .what = say::noun_plugin(),
                         .choices = Words{"ssh", "tensorboard", "cmd", "git", "teamwise_storage"}});
    const Ref place = at.is_map() && at.find("plugin") ? at.find("plugin") : at;
    if (policy && policy.is_scalar() && policy->text == "ignore")
      report_.warn(place, "unsupported", joined(message, say::left_out_by_policy()));
    else
      report_.error(place, "unsupported", message);
    if (at.is_map()) kept_plugins_.push_back(at);
  }
}

void V2Reader::read_cmd(Ref parameters, const std::vector<std::size_t>& on) {
  for (const std::size_t i : on) {
    model::Command& command = spec_.roles[i].command;
    if (const Ref pre = present(parameters, "preCommands"))
      append(command.pre, read_lines(pre, "preCommands: [pip install torch]", i));
    if (const Ref post = present(parameters, "postCommands"))
      append(command.post, read_lines(post, "postCommands: [ls]", i));
    const Ref callbacks = present(parameters, "callbacks");
    if (!is_list(callbacks)) continue;
    for (const Ref callback : callbacks) {
      const Ref event = callback.find("event"), lines = callback.find("commands");
      if (!event || !lines) continue;
      if (event->text == "taskStarts")
        append(command.pre, read_lines(lines, "commands: [ls]", i));
      else if (event->text == "taskSucceeds")
        append(command.post, read_lines(lines, "commands: [ls]", i));
      else
        report_.error(event,
                      "enum",
                      say::not_one_of({.value = quoted(event),
                                       .what = say::noun_event(),
                                       .choices = Words{"taskStarts", "taskSucceeds"}}));
    }
  }
}

/// The repository is fetched by the task itself before its command, as the plugin did.
void V2Reader::read_git(Ref parameters, Ref at, const std::vector<std::size_t>& on) {
  std::string uri, folder = "/usr/local/pai/code";
  read_text(parameters, "clone_dir", folder, "clone_dir: /code");
  // The manual says repo_uri, the plugin itself and its users repo.
  const std::string_view key = present(parameters, "repo") ? "repo" : "repo_uri";
  if (!read_text(parameters, key, uri, "repo_uri: https://git.example.org/a.git") || uri.empty()) {
    report_.missing(parameters, "repo_uri", "repo_uri: https://git.example.org/a.git");
    return;
  }
  std::string line = "git clone";
  if (const Ref options = present(parameters, "options"); is_list(options)) {
    for (const Ref option : options) {
      if (!option.is_scalar()) continue;
      for (const std::string& word : split(option->text, ' ')) {
        if (!word.empty()) line += " " + shell_quote(word);
      }
    }
  }
  for (const std::size_t i : on) {
    append(spec_.roles[i].command.pre,
           line + " -- " + shell_quote(rendered(at, uri, i)) + " " +
               shell_quote(rendered(at, folder, i)));
  }
}

}  // namespace ty::jobspec::openpai_v2
