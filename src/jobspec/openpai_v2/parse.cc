#include "jobspec/openpai_v2/parse.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "jobspec/impl/carry.h"
#include "jobspec/impl/cover.h"
#include "jobspec/impl/defaults.h"
#include "jobspec/impl/dialect.h"
#include "jobspec/impl/limits.h"
#include "jobspec/impl/quantity.h"
#include "jobspec/openpai_v2/reader.h"
#include "model/names.h"

namespace ty::jobspec::openpai_v2 {

using model::Mount;
using model::MountKind;
using model::MountMode;
using model::RoleSpec;

namespace {

constexpr std::int64_t kMaxMb = limits::kMaxMemory / kMiB;

constexpr std::string_view kRoleExample =
    "taskRoles: {worker: {dockerImage: img, resourcePerInstance: {cpu: 1, memoryMB: 1024, gpu: 0}, "
    "commands: [python train.py]}}";

}  // namespace

model::JobSpec V2Reader::read() {
  keep_unknown(top_,
               {"protocolVersion",
                "name",
                "type",
                "version",
                "contributor",
                "description",
                "prerequisites",
                "parameters",
                "secrets",
                "jobRetryCount",
                "taskRoles",
                "deployments",
                "defaults",
                "extras"});
  read_head();
  read_parameters();
  read_secrets();
  read_prerequisites();
  read_roles();
  read_deployments();
  read_extras();
  warn_first_role_ends();
  if (const Ref extras = top_.find("extras"); extras && extras.find("trainyard"))
    apply_carried(spec_, extras.find("trainyard"), report_);
  validate(spec_, *this, report_);
  return std::move(spec_);
}

void V2Reader::read_head() {
  const Ref version = top_.find("protocolVersion");
  if (!version) {
    report_.missing(top_, "protocolVersion", "missing; write protocolVersion: 2");
  } else if (!version.is_scalar() || version->text != "2") {
    report_.error(version, "enum", quoted(version) + " is no known version; write 2");
  }
  const Ref type = top_.find("type");
  if (!type) {
    report_.missing(top_, "type", "missing; write type: job");
  } else if (!type.is_scalar() || type->text != "job") {
    report_.error(type, "enum", quoted(type) + " cannot be submitted; write job");
  }
  need_text(top_, "name", spec_.name, "name: mnist");
  read_text(top_, "description", spec_.description, "description: trains a digit reader");
  read_links(top_, "");
  spec_.completion.at_end = model::AtEnd::Succeed;

  std::int64_t retries = 0;
  if (read_whole(top_, "jobRetryCount", retries, -2, 1'000'000, "jobRetryCount: 3")) {
    spec_.retry.budget = retries;
    if (retries < 0) {
      report_.warn(top_.find("jobRetryCount"),
                   "changed",
                   retries == -1 ? "read as in OpenPAI v1: tried again without limit"
                                 : "read as in OpenPAI v1: tried again even after success");
    }
  }
  const Ref defaults = present(top_, "defaults");
  if (!defaults) return;
  if (!defaults.is_map()) {
    wrong_type(defaults, "a map", "defaults: {virtualCluster: default}");
    return;
  }
  keep_unknown(defaults, {"virtualCluster", "deployment"});
  read_text(defaults, "virtualCluster", spec_.workspace, "virtualCluster: default");
}

void V2Reader::read_links(Ref from, const std::string& prefix) {
  for (const char* key : {"version", "contributor"}) {
    std::string text;
    read_text(from, key, text, std::string(key) + ": \"1.0\"");
    if (!text.empty()) spec_.links[prefix + key] = text;
  }
}

void V2Reader::read_parameters() {
  const Ref parameters = present(top_, "parameters");
  if (!parameters) return;
  if (!parameters.is_map()) {
    wrong_type(parameters, "a map", "parameters: {lr: 0.1}");
    return;
  }
  std::string json = "{";
  for (const Ref entry : parameters) {
    if (json.size() > 1) json += ',';
    append_json_text(json, entry->key);
    json += ':';
    const auto given = params_.given(std::string(entry->key));
    if (!given) {
      json += to_json(entry);
    } else if (entry.is_plain()) {
      json += json_of_given(*given);
    } else {
      append_json_text(json, *given);
    }
  }
  spec_.params = json + "}";
}

void V2Reader::read_secrets() {
  const Ref secrets = present(top_, "secrets");
  if (!secrets) return;
  report_.hide(secrets);
  if (secrets.is_scalar() && secrets->text == kCovered) {
    if (options_.allow_covered) return;
    report_.error(
        secrets, "secret", "the values were covered when this file was shown; write them again");
    return;
  }
  if (!secrets.is_map()) {
    report_.error(secrets, "type", "is not a map; write for example secrets: {key: …}");
    return;
  }
  add_secret(secrets, "");
}

void V2Reader::add_secret(Ref ref, const std::string& path) {
  if (ref.is_scalar()) {
    if (ref->text == kCovered && !options_.allow_covered) {
      report_.error(
          ref, "secret", "the value was covered when this file was shown; write it again");
      return;
    }
    spec_.secrets[path] = report_.keep_secret(path, *value_at(ref, ""), ref);
    return;
  }
  std::size_t n = 0;
  for (const Ref child : ref) {
    const std::string step = ref.is_map() ? std::string(child->key) : std::to_string(n++);
    add_secret(child, path.empty() ? step : path + "." + step);
  }
}

void V2Reader::read_prerequisites() {
  const Ref list = present(top_, "prerequisites");
  if (!list) return;
  if (!list.is_list()) {
    wrong_type(
        list, "a list", "prerequisites: [{type: dockerimage, name: img, uri: \"python:3.12\"}]");
    return;
  }
  std::vector<std::pair<std::string_view, std::string_view>> seen;
  for (const Ref item : list) {
    if (!item.is_map()) {
      wrong_type(item, "a prerequisite", "{type: dockerimage, name: img, uri: \"python:3.12\"}");
      continue;
    }
    std::string type, name;
    if (!need_text(item, "type", type, "type: dockerimage") ||
        !need_text(item, "name", name, "name: img"))
      continue;
    constexpr std::array<std::string_view, 4> kTypes = {"dockerimage", "data", "script", "output"};
    if (std::ranges::find(kTypes, type) == kTypes.end()) {
      report_.error(item.find("type"),
                    "enum",
                    quoted(item.find("type")) +
                        " is no kind of prerequisite; write dockerimage, data, script or output");
      continue;
    }
    const std::pair<std::string_view, std::string_view> key{item.find("type")->text,
                                                            item.find("name")->text};
    if (std::ranges::find(seen, key) != seen.end()) {
      report_.error(item.find("name"),
                    "duplicate_name",
                    "two prerequisites of type " + type + " are called \"" + shorten(name) +
                        "\"; rename one");
    }
    seen.push_back(key);
    if (const Ref require = present(item, "require"))
      report_.warn_at_key(require, "ignored", "is not resolved; without effect here");
    read_links(item, "prerequisites." + name + ".");
    if (type != "dockerimage") continue;  // the rest is free, for templates and plugins
    keep_unknown(item,
                 {"type",
                  "name",
                  "uri",
                  "auth",
                  "protocolVersion",
                  "version",
                  "contributor",
                  "description"});
    std::string uri;
    need_text(item, "uri", uri, "uri: \"python:3.12\"");
  }
}

Ref V2Reader::prerequisite(std::string_view type, Ref name) {
  std::vector<std::string> names;
  const Ref list = top_.find("prerequisites");
  if (is_list(list)) {
    for (const Ref item : list) {
      const Ref own_type = item.find("type"), own_name = item.find("name");
      if (!own_type || !own_name) continue;
      if (!type.empty() && own_type->text != type) continue;
      if (own_name->text == name->text) return item;
      names.emplace_back(own_name->text);
    }
  }
  const std::string what = type.empty() ? "prerequisite" : std::string(type);
  report_.error(name,
                "reference",
                "no " + what + " is called \"" + shorten(name->text) + "\"; " +
                    (names.empty() ? "add it under prerequisites"
                                   : "there are " + shorten(join(names, ", "), 200)));
  return {};
}

void V2Reader::read_auth(Ref image, RoleSpec& role) {
  const Ref auth = present(image, "auth");
  if (!auth) return;
  if (!auth.is_map()) {
    report_.hide(auth);
    report_.error(auth, "type", "is no map; write auth: {username: …, password: …}");
    return;
  }
  keep_unknown(auth, {"username", "password", "registryuri"});
  model::ImageAuth out;
  read_text(auth, "registryuri", out.server, "registryuri: registry.example.org");
  read_text(auth, "username", out.username, "username: ann");
  const Ref password = present(auth, "password");
  if (password && password.is_scalar()) {
    const auto secret = [&](const std::string& path) -> std::optional<std::string> {
      if (!path.starts_with("secrets.")) return std::nullopt;
      return value_at(top_.find("secrets"), path.substr(8));
    };
    const std::string name = "prerequisites." + std::string(image.find("name")->text) + ".auth";
    const std::string value = render(password->text, secret);
    if (value == kCovered && !options_.allow_covered) {
      report_.error(
          password, "secret", "the value was covered when this file was shown; write it again");
    }
    out.password = report_.keep_secret(name, value, password);
  }
  role.image_auth = std::move(out);
}

void V2Reader::read_roles() {
  const Ref roles = top_.find("taskRoles");
  if (!roles) {
    report_.missing(top_, "taskRoles", "missing; write for example " + std::string(kRoleExample));
    return;
  }
  if (!roles.is_map()) {
    wrong_type(roles, "a map", kRoleExample);
    return;
  }
  if (roles->count == 0)
    report_.error(roles, "range", "is empty; write for example " + std::string(kRoleExample));
  for (const Ref role : roles) {
    if (!role.is_map()) {
      wrong_type(role,
                 "a role",
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
    report_.missing(
        from, "dockerImage", "missing; write the name of a prerequisite of type dockerimage");
  } else if (!image.is_scalar()) {
    wrong_type(image, "text", "dockerImage: img");
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
      wrong_type(name, "text", std::string(key) + ": default");
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
    report_.missing(from, "commands", "missing; write for example commands: [python train.py]");
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
    report_.missing(
        from, "resourcePerInstance", "missing; write for example " + std::string(kExample));
    for (const Part part : {Part::Cpus, Part::Memory, Part::Gpus}) doubt(part, i);
  } else if (!resources.is_map()) {
    wrong_type(resources, "a map", kExample);
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
        report_.missing(resources, key, "missing; write for example " + example);
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
    wrong_type(options, "a map", "extraContainerOptions: {shmMB: 1024}");
  } else if (options) {
    keep_unknown(options, {"shmMB", "infiniband"});
    if (!read_whole(options, "shmMB", shm, 0, kMaxMb, "shmMB: 1024")) doubt(Part::Shm, i);
    const Ref infiniband = present(options, "infiniband");
    if (infiniband && (!infiniband.is_plain() || !is_bool_word(infiniband->text)))
      wrong_type(infiniband, "true or false", "infiniband: true");
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
    wrong_type(ports, "a map", "ports: {web: 1}");
    return;
  }
  for (const Ref entry : ports) {
    model::Port port{.label = std::string(entry->key)};
    const std::string example = std::string(entry->key) + ": 1";
    if (is_absent(entry)) {
      wrong_type(entry, "a number of ports", example);
      continue;
    }
    if (!read_whole(ports, entry->key, port.count, 0, limits::kPorts, example)) continue;
    if (port.count == 0)
      report_.warn(entry, "ignored", "asks for no port; write " + example + " to get one");
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
    report_.warn(at, "changed", "read as " + std::to_string(standard) + "; write -1 for never");
  } else if (value > count) {
    // Upstream takes it and never gets there.
    report_.warn(at,
                 "changed",
                 std::to_string(value) + " of " + std::to_string(count) +
                     " never happen; read as -1, which says so");
    out.reset();
  } else {
    out = value;
  }
}

void V2Reader::read_completion(Ref from, RoleSpec& role, int i) {
  role.completion.ends_job = true;
  Ref completion = present(from, "completion");
  if (completion && !completion.is_map()) {
    wrong_type(completion, "a map", "completion: {minFailedInstances: 1}");
    completion = {};
  }
  std::string_view succeeded = "minSucceededInstances";
  if (completion) {
    keep_unknown(completion,
                 {"minFailedInstances", "minSucceededInstances", "minSucceededTaskCount"});
    const Ref old = completion.find("minSucceededTaskCount");
    if (old && !completion.find(succeeded)) {
      succeeded = "minSucceededTaskCount";
      report_.warn_at_key(old, "obsolete", "obsolete; write minSucceededInstances");
    } else if (old) {
      report_.warn_at_key(old, "ignored", "without effect beside minSucceededInstances; remove it");
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
    report_.warn_at_key(roles_[i],
                        "first_role_ends",
                        "the whole job succeeds as soon as all tasks of this role have; write "
                        "completion: {minSucceededInstances: -1} to wait for the others");
  }
}

std::string V2Reader::rendered(Ref at, std::string_view text, std::size_t role) {
  const auto lookup = [&](const std::string& path) -> std::optional<std::string> {
    const std::size_t dot = path.find('.');
    if (dot == std::string::npos) return std::nullopt;
    const std::string scope = path.substr(0, dot), rest = path.substr(dot + 1);
    const auto missing = [&](std::string cure) {
      report_.warn(at, "template", "<% $" + shorten(path) + " %> has no value; " + cure);
      return std::nullopt;
    };
    if (scope == "secrets") {
      if (value_at(top_.find("secrets"), rest)) return std::nullopt;  // filled in inside the task
      return missing("add it under secrets");
    }
    if (scope == "parameters") {
      if (auto given = params_.given(rest)) return given;
      if (auto value = value_at(top_.find("parameters"), rest)) return value;
      return missing("add it under parameters or pass -p " + shorten(rest) + "=…");
    }
    if (scope == "data" || scope == "script" || scope == "output") {
      const Ref name = role < roles_.size() ? present(roles_[role], scope) : Ref{};
      const Ref list = top_.find("prerequisites");
      if (name && name.is_scalar() && is_list(list)) {
        for (const Ref item : list) {
          const Ref type = item.find("type"), own = item.find("name");
          if (type && own && type->text == scope && own->text == name->text) {
            if (auto value = value_at(item, rest)) return value;
          }
        }
      }
      return missing("name the prerequisite as " + scope + ": of the role");
    }
    return std::nullopt;
  };
  return render(text, lookup);
}

std::string V2Reader::read_lines(Ref list, std::string_view example, std::size_t role) {
  if (!list.is_list()) {
    wrong_type(list, "a list", example);
    return "";
  }
  std::vector<std::string> lines;
  for (const Ref line : list) {
    if (line.is_map()) {
      report_.error(line,
                    "type",
                    "\": \" makes this line a map; write it in quotes, or below a line with - |");
      continue;
    }
    if (!line.is_scalar()) {
      wrong_type(line, "a line of text", example);
      continue;
    }
    lines.push_back(rendered(line, line->text, role));
  }
  return join(lines, "\n");
}

void V2Reader::read_deployments() {
  const Ref list = present(top_, "deployments");
  const Ref defaults = top_.find("defaults");
  const Ref chosen = defaults && defaults.is_map() ? present(defaults, "deployment") : Ref{};
  std::vector<std::string> names;
  bool found = false;
  if (list && !list.is_list()) {
    wrong_type(list, "a list", "deployments: [{name: prod, taskRoles: {}}]");
    return;
  }
  if (list) {
    for (const Ref item : list) {
      std::string name;
      if (!item.is_map()) {
        wrong_type(item, "a deployment", "{name: prod, taskRoles: {}}");
        continue;
      }
      keep_unknown(item, {"name", "taskRoles"});
      if (!need_text(item, "name", name, "name: prod")) continue;
      if (std::ranges::find(names, name) != names.end()) {
        report_.error(item.find("name"),
                      "duplicate_name",
                      "two deployments are called \"" + shorten(name) + "\"; rename one");
      }
      names.push_back(name);
      const bool used = chosen && chosen.is_scalar() && chosen->text == name && !found;
      found = found || used;
      const Ref roles = present(item, "taskRoles");
      if (!roles || !roles.is_map()) continue;
      for (const Ref role : roles) {
        const std::size_t i = role_index(role->key);
        if (i == spec_.roles.size()) {
          report_.warn_at_key(role, "ignored", "the job has no such role; without effect here");
          continue;
        }
        if (!role.is_map()) continue;
        keep_unknown(role, {"preCommands", "postCommands"});
        if (!used) continue;
        model::Command& command = spec_.roles[i].command;
        if (const Ref pre = present(role, "preCommands"))
          command.pre = read_lines(pre, "preCommands: [pip install -r x.txt]", i);
        if (const Ref post = present(role, "postCommands"))
          command.post = read_lines(post, "postCommands: [ls]", i);
      }
    }
  }
  if (!chosen || found) return;
  report_.error(chosen,
                "reference",
                "no deployment is called " + quoted(chosen) + "; " +
                    (names.empty() ? "add it under deployments"
                                   : "there are " + shorten(join(names, ", "), 200)));
}

std::size_t V2Reader::role_index(std::string_view name) const {
  std::size_t i = 0;
  while (i < spec_.roles.size() && spec_.roles[i].name != name) ++i;
  return i;
}

Ref V2Reader::locate(const Subject& subject) const {
  const auto inside = [](Ref from, std::string_view key) {
    const Ref found = from ? from.find(key) : Ref{};
    return found ? found : from;
  };
  if (subject.role < 0) {
    switch (subject.part) {
      case Part::Name:
        return inside(top_, "name");
      case Part::Description:
        return inside(top_, "description");
      case Part::Workspace:
        return top_.find("defaults") ? inside(top_.find("defaults"), "virtualCluster") : top_;
      case Part::Secrets:
        return inside(top_, "secrets");
      case Part::Params:
        return inside(top_, "parameters");
      case Part::Extras:
      case Part::Priority:
      case Part::Alerts:
        return inside(top_, "extras");
      default:
        return inside(top_, "taskRoles");
    }
  }
  const auto index = static_cast<std::size_t>(subject.role);
  const Ref role = roles_[index];
  switch (subject.part) {
    case Part::Count:
      return inside(role, "instances");
    case Part::Image:
      return inside(role, "dockerImage");
    case Part::Command:
      return inside(role, "commands");
    case Part::Cpus:
      return inside(inside(role, "resourcePerInstance"), "cpu");
    case Part::Memory:
      return inside(inside(role, "resourcePerInstance"), "memoryMB");
    case Part::Gpus:
      return inside(inside(role, "resourcePerInstance"), "gpu");
    case Part::Ports:
      return inside(inside(inside(role, "resourcePerInstance"), "ports"), subject.key);
    case Part::Shm: {
      const Ref shm = inside(inside(role, "extraContainerOptions"), "shmMB");
      return shm;
    }
    case Part::FailWhen:
      return inside(inside(role, "completion"), "minFailedInstances");
    case Part::DoneWhen:
      return inside(inside(role, "completion"), "minSucceededInstances");
    case Part::Mounts:
      return subject.index < mounts_[index].size() ? mounts_[index][subject.index] : role;
    default:
      return role;
  }
}

model::JobSpec parse(Ref document, const ReadOptions& options, Params& params, Report& report) {
  return V2Reader(document, options, params, report).read();
}

}  // namespace ty::jobspec::openpai_v2
