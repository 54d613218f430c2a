#include <algorithm>
#include <array>

#include "base/text.h"
#include "jobspec/impl/limits.h"
#include "jobspec/messages.h"
#include "jobspec/volcano/reader.h"

/// Volcano's job plugins. `env` and `svc` are what every task gets anyway; the others name the part
/// that tasks play.
namespace ty::jobspec::volcano {
namespace {

/// A plugin's flags as Go reads them: one dash or two, `=` or the next item.
struct Flag {
  std::string name;
  std::string value;
};

std::vector<Flag> read_flags(const std::vector<std::string>& words) {
  std::vector<Flag> flags;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view word = trim(words[i]);
    while (word.starts_with('-')) word.remove_prefix(1);
    const std::size_t equals = word.find('=');
    Flag flag{std::string(word.substr(0, equals)), ""};
    if (equals != std::string_view::npos)
      flag.value = word.substr(equals + 1);
    else if (i + 1 < words.size() && !trim(words[i + 1]).starts_with('-'))
      flag.value = words[++i];
    flags.push_back(std::move(flag));
  }
  return flags;
}

struct Plugin {
  std::string_view name;
  std::array<std::string_view, 4> parts;  ///< flags that name a task
};
constexpr std::array<Plugin, 6> kPlugins = {{{"env", {}},
                                             {"svc", {}},
                                             {"ssh", {}},
                                             {"tensorflow", {"ps", "worker", "chief", "evaluator"}},
                                             {"pytorch", {"master", "worker"}},
                                             {"mpi", {"master", "worker"}}}};

constexpr std::array<std::string_view, 6> kOtherFlags = {"publish-not-ready-addresses",
                                                         "disable-network-policy",
                                                         "inject-hosts-env",
                                                         "wait-master-enabled",
                                                         "wait-master-timeout",
                                                         "wait-master-image"};

}  // namespace

void JobReader::read_plugins(Ref spec) {
  const Ref plugins = map_in(spec, "plugins", "plugins: {env: [], svc: []}");
  if (!plugins) return;
  for (const Ref plugin : plugins) read_plugin(plugin);
}

void JobReader::give_part(std::string_view role, std::string_view part) {
  for (model::RoleSpec& one : spec_.roles) {
    if (one.name == role && role != part) one.part = part;
  }
}

void JobReader::read_ssh_flag(Ref plugin, std::string_view flag, const std::string& value) {
  if (flag == "ssh-key-file-path") {
    const bool climbs = value.find("/../") != std::string::npos || value.ends_with("/..");
    if (value.size() < 2 || !value.starts_with('/') || climbs) {
      report_.error(plugin, "target", say::invalid_key_folder({.value = in_quotes(value)}));
    } else {
      spec_.services.ssh_folder = value.ends_with('/') ? value.substr(0, value.size() - 1) : value;
    }
  } else if (flag == "ssh-port") {
    const auto port = parse_whole(value);
    if (port && *port >= 1 && *port <= limits::kMaxPort)
      spec_.services.ssh_port = *port;
    else
      report_.warn(plugin, "ignored", say::invalid_port_ignored({.value = in_quotes(value)}));
  } else {
    // A private key in a job file is a secret that everybody who sees the file has.
    report_.hide(plugin);
    report_.warn(plugin, "ignored", say::every_job_has_keys({.flag = in_quotes(flag)}));
  }
}

void JobReader::read_plugin(Ref plugin) {
  const std::string_view name = plugin->key;
  const auto known = std::ranges::find(kPlugins, name, &Plugin::name);
  if (known == kPlugins.end()) {
    if (name == "hcclrank" || name == "ringsconfigmap") {
      report_.warn_at_key(plugin, "ignored", say::needs_kubernetes_ignored());
    } else if (name == "ray") {
      unsupported(plugin, say::ray_needs_kubernetes());
    } else {
      report_.error_at_key(
          plugin,
          "enum",
          say::not_one_of({.value = in_quotes(name),
                           .what = say::noun_plugin(),
                           .choices = Words{"env", "svc", "ssh", "tensorflow", "pytorch", "mpi"}}));
    }
    return;
  }
  if (name == "ssh" || name == "mpi") spec_.services.ssh = true;
  if (name == "mpi") spec_.services.mpi = true;
  std::vector<std::string> words;
  const Ref parent = plugin.parent();
  read_texts(parent, name, words, std::string(name) + ": []");

  std::vector<std::string> ranked;  // tasks that take part
  std::vector<Flag> parts;
  for (const std::string_view part : known->parts) {
    if (!part.empty()) parts.push_back({std::string(part), std::string(part)});
  }
  for (const Flag& flag : read_flags(words)) {
    const auto part = std::ranges::find(parts, flag.name, &Flag::name);
    if (part != parts.end()) {
      part->value = flag.value;
      const bool there = std::ranges::any_of(
          spec_.roles, [&](const model::RoleSpec& role) { return role.name == flag.value; });
      if (!there)
        report_.warn(plugin, "reference", say::no_task_called({.name = shorten(flag.value)}));
    } else if (flag.name == "port" && !parts.empty()) {
      const auto port = parse_whole(flag.value);
      if (!port || *port < 1 || *port > limits::kMaxPort)
        report_.warn(
            plugin, "ignored", say::invalid_port_ignored({.value = in_quotes(flag.value)}));
      else if (name == "pytorch")
        spec_.services.master_port = *port;
      else if (name == "tensorflow")
        spec_.services.tensorflow_port = *port;
    } else if (name == "ssh" && flag.name.starts_with("ssh-")) {
      read_ssh_flag(plugin, flag.name, flag.value);
    } else if (std::ranges::find(kOtherFlags, flag.name) == kOtherFlags.end()) {
      report_.warn(plugin, "ignored", say::unknown_flag_of_plugin({.flag = in_quotes(flag.name)}));
    }
  }
  for (const Flag& part : parts) {
    give_part(part.value, part.name);
    ranked.push_back(part.value);
  }
  if (name == "pytorch" && !spec_.services.master_port) spec_.services.master_port = 23456;
  if (name != "pytorch" && name != "mpi") return;
  for (model::RoleSpec& role : spec_.roles)
    role.ranked = std::ranges::find(ranked, role.name) != ranked.end();
}

}  // namespace ty::jobspec::volcano
