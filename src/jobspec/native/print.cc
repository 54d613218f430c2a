#include "jobspec/print.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "jobspec/impl/defaults.h"
#include "jobspec/impl/params.h"
#include "jobspec/impl/quantity.h"
#include "jobspec/impl/tree.h"
#include "jobspec/impl/yaml_writer.h"
#include "jobspec/messages.h"
#include "jobspec/native/print.h"
#include "jobspec/storage_path.h"
#include "model/words.h"

namespace ty::jobspec {
namespace {

using model::FailureClass;
using model::JobSpec;
using model::Mount;
using model::MountKind;
using model::RoleSpec;
using Entries = std::vector<std::pair<std::string, std::string>>;

std::string number(std::int64_t n) { return std::to_string(n); }
std::string flag(bool value) { return value ? "true" : "false"; }
std::string templated(std::string_view text) { return yaml_text(escape_template(text)); }

std::vector<std::string> texts(const std::vector<std::string>& items) {
  std::vector<std::string> out;
  for (const std::string& item : items) out.push_back(yaml_text(item));
  return out;
}
std::string text_or_list(const std::vector<std::string>& items) {
  return items.size() == 1 ? yaml_text(items.front()) : yaml_list(texts(items));
}
std::string text_map(const model::TextMap& map) {
  Entries entries;
  for (const auto& [key, value] : map) entries.emplace_back(key, yaml_text(value));
  return yaml_map(entries);
}

class NativePrinter {
 public:
  explicit NativePrinter(const JobSpec& spec) : spec_(spec) {}

  /// Code that another dialect puts beside the command: a native file names the folder of both.
  static constexpr std::string_view kStart = "/pai/work";
  static bool has_code_beside(const RoleSpec& role) {
    return std::ranges::any_of(role.mounts,
                               [](const Mount& m) { return m.target.starts_with("./"); });
  }

  /// Whether a command needs lines of its own to mean the same in a native file.
  static bool says_more(const model::Command& command) {
    return native_script(command) != command.script;
  }

  std::string run() {
    job();
    // A lone role called main needs no name, unless it has what would be the job's at the top
    // level.
    const bool plain = spec_.roles.size() == 1 && spec_.roles[0].name == "main" &&
                       spec_.roles[0].env.empty() && spec_.roles[0].policies.empty();
    if (plain) {
      role(spec_.roles[0]);
      environment(spec_.env);
    } else {
      environment(spec_.env);
      out_.open("roles");
      for (const RoleSpec& one : spec_.roles) {
        out_.open(one.name);
        role(one);
        environment(one.env);
        policies(one.policies);
        out_.close();
      }
      out_.close();
    }
    return out_.take();
  }

 private:
  void duration(std::string_view key, const std::optional<Seconds>& value) {
    if (value) out_.value(key, format_duration(*value));
  }

  void job() {
    const JobSpec fresh;
    // Says what the file is even when neither `run` nor `roles` does.
    const bool needs_mark = std::ranges::all_of(spec_.roles, [](const RoleSpec& r) {
      return r.name == "main" && r.command.script.empty() && r.command.argv.empty();
    });
    if (needs_mark) out_.value("trainyard", "1");
    if (!spec_.name.empty()) out_.value("name", templated(spec_.name));
    if (!spec_.description.empty()) out_.text("description", spec_.description);
    if (spec_.workspace != fresh.workspace) out_.value("workspace", yaml_text(spec_.workspace));
    if (spec_.priority != fresh.priority) out_.value("priority", priority());
    if (spec_.preemptible) out_.value("preemptible", flag(*spec_.preemptible));
    labels();
    // Other dialects have filled their parameters in by now.
    if (spec_.params != fresh.params && spec_.dialect == model::Dialect::Native)
      out_.value("params", spec_.params);
    secrets();
    if (spec_.min_available)
      out_.value("gang", *spec_.min_available == 0 ? "false" : number(*spec_.min_available));
    if (spec_.completion.min_succeeded)
      out_.value("succeed_after", number(*spec_.completion.min_succeeded));
    retry();
    duration("time_limit", spec_.time_limit);
    duration("max_wait", spec_.wait_limit);
    duration("keep", spec_.ttl);
    duration("hold_on_failure", spec_.debug_hold);
    if (spec_.stop_grace != fresh.stop_grace)
      out_.value("stop_grace", format_duration(spec_.stop_grace));
    if (spec_.completion.linger != fresh.completion.linger) {
      out_.value("linger", format_duration(spec_.completion.linger));
    }
    alerts();
    metrics();
    if (spec_.services.tensorboard)
      out_.value("tensorboard", yaml_text(*spec_.services.tensorboard));
    if (spec_.services.ssh) out_.value("ssh", "true");
    run_as();
    if (spec_.extras != fresh.extras) out_.value("extras", spec_.extras);
    policies(spec_.policies);
  }

  std::string priority() const {
    switch (spec_.priority) {
      case -1:
        return "low";
      case 100:
        return "high";
      case 120:
        return "urgent";
      default:
        return number(spec_.priority);
    }
  }

  void labels() {
    if (spec_.labels.empty()) return;
    const bool tags =
        std::ranges::all_of(spec_.labels, [](const auto& label) { return label.second.empty(); });
    if (!tags) {
      out_.value("labels", text_map(spec_.labels));
      return;
    }
    std::vector<std::string> names;
    for (const auto& [name, empty] : spec_.labels) names.push_back(yaml_text(name));
    out_.value("labels", yaml_list(names));
  }

  void secrets() {
    std::vector<std::string> names;
    Entries entries;
    bool same = true;
    for (const auto& [variable, ref] : spec_.secrets) {
      if (!ref.stored_name) continue;  // a sealed value cannot stand in a file
      names.push_back(yaml_text(variable));
      entries.emplace_back(variable, yaml_text(*ref.stored_name));
      same = same && variable == *ref.stored_name;
    }
    if (!entries.empty()) out_.value("secrets", same ? yaml_list(names) : yaml_map(entries));
  }

  void retry() {
    const model::Retry& retry = spec_.retry;
    const model::Retry fresh;
    Entries entries;
    if (retry.budget != fresh.budget) entries.emplace_back("count", number(retry.budget));
    if (retry.on.empty())
      entries.emplace_back("on", "policy");
    else if (std::ranges::find(retry.on, FailureClass::Permanent) != retry.on.end())
      entries.emplace_back("on", "any");
    if (!retry.exit_codes.empty()) {
      std::vector<std::string> codes;
      for (const std::int64_t code : retry.exit_codes) codes.push_back(number(code));
      entries.emplace_back("exit_codes", yaml_list(codes));
    }
    if (retry.backoff != fresh.backoff)
      entries.emplace_back("backoff", format_duration(retry.backoff));
    if (retry.max_backoff != std::max(fresh.max_backoff, retry.backoff)) {
      entries.emplace_back("max_backoff", format_duration(retry.max_backoff));
    }
    if (entries.empty()) return;
    const bool only_count = entries.size() == 1 && entries[0].first == "count";
    out_.value("retry", only_count ? entries[0].second : yaml_map(entries));
  }

  void alerts() {
    if (spec_.alerts.empty()) return;
    std::vector<std::string> items;
    for (const model::Alert& alert : spec_.alerts) {
      Entries entries;
      if (!alert.states.empty()) entries.emplace_back("on", text_or_list(alert.states));
      if (alert.after) entries.emplace_back("after", format_duration(*alert.after));
      if (alert.at) entries.emplace_back("at", yaml_text(*alert.at));
      if (alert.every) entries.emplace_back("every", format_duration(*alert.every));
      if (!alert.to.empty()) entries.emplace_back("to", text_or_list(alert.to));
      if (alert.level != model::AlertLevel::Warning)
        entries.emplace_back("level", std::string(model::to_word(alert.level)));
      items.push_back(yaml_map(entries));
    }
    out_.value("alerts", yaml_list(items));
  }

  void metrics() {
    if (spec_.metrics.empty()) return;
    Entries by_name;
    std::vector<std::string> items;
    std::set<std::string> names;
    bool plain = true;
    for (const model::MetricRule& rule : spec_.metrics) {
      if (rule.kind != model::MetricKind::Regex) {
        plain = false;
        items.emplace_back(model::to_word(rule.kind));
        continue;
      }
      plain = plain && names.insert(rule.name).second;
      Entries entries{{"regex", yaml_text(rule.pattern)}};
      if (!rule.group.empty()) entries.emplace_back("group", yaml_text(rule.group));
      if (rule.window != 1) entries.emplace_back("window", number(rule.window));
      const std::string value = entries.size() == 1 ? entries[0].second : yaml_map(entries);
      by_name.emplace_back(rule.name, value);
      items.push_back(yaml_map({{rule.name, value}}));
    }
    out_.value("metrics", plain ? yaml_map(by_name) : yaml_list(items));
  }

  void run_as() {
    if (!spec_.run_as) return;
    Entries entries;
    if (!spec_.run_as->user.empty()) entries.emplace_back("user", yaml_text(spec_.run_as->user));
    if (spec_.run_as->uid) entries.emplace_back("uid", number(*spec_.run_as->uid));
    if (spec_.run_as->gid) entries.emplace_back("gid", number(*spec_.run_as->gid));
    out_.value("run_as", yaml_map(entries));
  }

  void policies(const std::vector<model::Policy>& policies) {
    if (policies.empty()) return;
    std::vector<std::string> items;
    for (const model::Policy& policy : policies) {
      Entries entries;
      std::vector<std::string> events;
      for (const model::PolicyEvent event : policy.events)
        events.emplace_back(model::to_word(event));
      if (!events.empty()) entries.emplace_back("on", text_or_list(events));
      if (policy.exit_code) entries.emplace_back("exit_code", number(*policy.exit_code));
      entries.emplace_back("do", std::string(model::to_word(policy.action)));
      if (policy.delay) entries.emplace_back("delay", format_duration(*policy.delay));
      items.push_back(yaml_map(entries));
    }
    out_.value("policies", yaml_list(items));
  }

  void environment(const model::EnvMap& env) {
    if (env.empty()) return;
    Entries entries;
    for (const auto& [name, value] : env)
      entries.emplace_back(name, value ? templated(*value) : "null");
    out_.value("env", yaml_map(entries));
  }

  void role(const RoleSpec& role) {
    image(role);
    command(role);
    if (role.workdir)
      out_.value("workdir", yaml_text(*role.workdir));
    else if (has_code_beside(role))
      out_.value("workdir", std::string(kStart));
    if (role.count != 1) out_.value("count", number(role.count));
    if (role.min_available) out_.value("min_count", number(*role.min_available));
    resources(role.resources);
    ports(role);
    mounts(role);
    restart(role.restart);
    after(role);
    completion(role);
    if (role.ranked != ranked_by_name(role.name)) out_.value("rank", flag(role.ranked));
    if (role.network != model::Network::Bridge)
      out_.value("network", std::string(model::to_word(role.network)));
    if (!role.node_labels.empty()) out_.value("node_labels", text_map(role.node_labels));
    if (!role.caps.empty()) out_.value("caps", yaml_list(texts(role.caps)));
    duration("task_limit", role.task_limit);
    sku(role);
  }

  void image(const RoleSpec& role) {
    if (role.image.empty()) return;
    Entries entries{{"name", yaml_text(role.image)}};
    if (role.image_auth && role.image_auth->stored_name) {
      entries.emplace_back("auth", yaml_text(*role.image_auth->stored_name));
    }
    if (role.pull != default_pull(role.image)) {
      entries.emplace_back("pull", std::string(model::to_word(role.pull)));
    }
    out_.value("image", entries.size() == 1 ? entries[0].second : yaml_map(entries));
  }

  /// What other dialects' commands do that a native script does not by itself, said in the script.
  static std::string native_script(const model::Command& command) {
    std::string head;
    if (!command.errexit) head += "set +e\n";
    if (!command.pipefail && command.shell == model::Shell::Bash) head += "set +o pipefail\n";
    if (command.nounset) head += "set -u\n";
    if (!command.pre.empty()) head += command.pre + "\n";
    return head + command.script + (command.post.empty() ? "" : "\n" + command.post);
  }

  void command(const RoleSpec& role) {
    const model::Command& command = role.command;
    if (command.shell != model::Shell::None) {
      out_.text("run", escape_template(native_script(command)));
    } else if (!command.argv.empty()) {
      out_.value("run", words(command.argv));
    }
    if (!command.args.empty()) out_.value("args", words(command.args));
  }

  static std::string words(const std::vector<std::string>& words) {
    std::vector<std::string> out;
    for (const std::string& word : words) out.push_back(templated(word));
    return yaml_list(out);
  }

  void resources(const model::Resources& r) {
    model::Resources standard;
    fill_defaults(standard, r.gpus, SiteDefaults{});
    if (r.cpu_milli != standard.cpu_milli) out_.value("cpus", format_cpus(r.cpu_milli));
    if (r.memory != standard.memory) out_.value("memory", format_memory(r.memory));
    if (r.shm != default_shm(r.memory)) out_.value("shm", format_memory(r.shm));
    gpus(r);
    if (r.devices.empty()) return;
    Entries entries;
    for (const auto& [name, count] : r.devices) entries.emplace_back(name, number(count));
    out_.value("devices", yaml_map(entries));
  }

  void gpus(const model::Resources& r) {
    if (r.gpu_types.empty()) {
      if (r.gpus != 0) out_.value("gpus", number(r.gpus));
      return;
    }
    const std::string& type = r.gpu_types.front();
    const bool is_short =
        r.gpu_types.size() == 1 && r.gpus > 0 && is_gpu_type(type) && !is_json_number(type);
    if (is_short)
      out_.value("gpus", yaml_text(r.gpus == 1 ? type : type + ":" + number(r.gpus)));
    else
      out_.value("gpus",
                 yaml_map({{"count", number(r.gpus)}, {"type", yaml_list(texts(r.gpu_types))}}));
  }

  void ports(const RoleSpec& role) {
    if (role.ports.empty()) return;
    const bool plain = std::ranges::all_of(role.ports, [](const model::Port& port) {
      return port.first > 0 && port.count == 1 && port.label == "p" + std::to_string(port.first);
    });
    std::vector<std::string> numbers;
    Entries entries;
    for (const model::Port& port : role.ports) {
      numbers.push_back(number(port.first));
      Entries parts;
      if (port.first > 0) parts.emplace_back("first", number(port.first));
      if (port.count != 1) parts.emplace_back("count", number(port.count));
      entries.emplace_back(port.label,
                           port.count != 1  ? yaml_map(parts)
                           : port.first > 0 ? number(port.first)
                                            : "any");
    }
    out_.value("ports", plain ? yaml_list(numbers) : yaml_map(entries));
  }

  static std::string source(const Mount& mount) {
    std::string_view text = mount.source;
    if (text.starts_with("local:")) text.remove_prefix(6);
    // `hdfs://host/a` and `$PAI_DEFAULT_FS_URI/a` are folders of the site's storage.
    if (const auto stored = storage_path(text)) return templated("storage:" + stored->substr(1));
    return templated(text);
  }
  static std::string mount_map(const Mount& mount, bool with_target) {
    Entries entries{{"from", source(mount)}};
    if (with_target) entries.emplace_back("to", yaml_text(mount.target));
    if (mount.read_only) entries.emplace_back("read_only", "true");
    return yaml_map(entries);
  }

  void mounts(const RoleSpec& role) {
    std::string code, data, model, output;
    Entries named_data;
    std::vector<std::string> others;
    for (const Mount& mount : role.mounts) {
      if (mount.mode == model::MountMode::ExportOnly) continue;
      const auto at = [&](MountKind kind, std::string_view target) {
        return mount.kind == kind && mount.target == target;
      };
      if (mount.target.starts_with("./")) {
        Mount beside = mount;
        beside.target = std::string(kStart) + mount.target.substr(1);
        code = mount_map(beside, true);
      } else if (mount.kind == MountKind::Code && code.empty()) {
        const bool usual = mount.target == "/code" && !mount.read_only;
        code = usual ? source(mount) : mount_map(mount, mount.target != "/code");
      } else if (at(MountKind::Data, "/data") && mount.name.empty()) {
        data = source(mount);
      } else if (at(MountKind::Data, "/data/" + mount.name)) {
        named_data.emplace_back(mount.name, source(mount));
      } else if (at(MountKind::Model, "/pretrained")) {
        model = source(mount);
      } else if (at(MountKind::Output, "/output")) {
        output = source(mount);
      } else {
        others.push_back(mount_map(mount, true));
      }
    }
    if (data.empty() && !named_data.empty()) data = yaml_map(named_data);
    if (!code.empty()) out_.value("code", code);
    if (!data.empty()) out_.value("data", data);
    if (!model.empty()) out_.value("model", model);
    if (!output.empty()) out_.value("output", output);
    if (!others.empty()) out_.value("mounts", yaml_list(others));
  }

  void restart(const model::Restart& restart) {
    if (restart == model::Restart{}) return;
    if (!restart.lost && restart.on == model::RestartOn::Failure) {
      out_.value("restart", number(restart.budget));
    } else if (!restart.lost && restart.budget == -1) {
      out_.value("restart", "always");
    } else {
      Entries entries;
      if (restart.budget != 0) entries.emplace_back("count", number(restart.budget));
      if (restart.on != model::RestartOn::Failure)
        entries.emplace_back("on", std::string(model::to_word(restart.on)));
      if (restart.lost) entries.emplace_back("lost", "true");
      out_.value("restart", yaml_map(entries));
    }
  }

  void after(const RoleSpec& role) {
    if (role.after.empty()) return;
    const bool plain = std::ranges::all_of(
        role.after, [](const model::After& a) { return a.when == model::AfterWhen::Succeeded; });
    std::vector<std::string> names;
    Entries entries;
    for (const model::After& one : role.after) {
      names.push_back(one.role);
      entries.emplace_back(one.role, std::string(model::to_word(one.when)));
    }
    out_.value("after", plain ? text_or_list(names) : yaml_map(entries));
  }

  void completion(const RoleSpec& role) {
    const model::RoleCompletion& c = role.completion;
    // A role that is never done ends no job, whatever its dialect calls it.
    if (c.ends_job && (c.min_succeeded || c.decider)) out_.value("main", "true");
    if (!c.min_failed)
      out_.value("fail_when", "never");
    else if (*c.min_failed != 1)
      out_.value("fail_when", *c.min_failed == role.count ? "all" : number(*c.min_failed));
    const std::optional<std::int64_t> standard =
        c.ends_job ? std::optional(role.count) : std::nullopt;
    if (c.decider)
      out_.value("done_when", yaml_map({{"task", number(*c.decider)}}));
    else if (c.min_succeeded && c.min_succeeded != standard) {
      out_.value("done_when", *c.min_succeeded == role.count ? "all" : number(*c.min_succeeded));
    }
  }

  void sku(const RoleSpec& role) {
    if (!role.sku) return;
    Entries entries;
    if (!role.sku->type.empty()) entries.emplace_back("type", yaml_text(role.sku->type));
    if (role.sku->count != 0) entries.emplace_back("count", number(role.sku->count));
    if (!role.sku->pinned_cell.empty())
      entries.emplace_back("pinned_cell", yaml_text(role.sku->pinned_cell));
    if (!role.sku->affinity_group.empty())
      entries.emplace_back("affinity_group", yaml_text(role.sku->affinity_group));
    out_.value("sku", yaml_map(entries));
  }

  const JobSpec& spec_;
  YamlWriter out_;
};

}  // namespace

std::string print_native(const JobSpec& spec) { return NativePrinter(spec).run(); }

namespace native {
namespace {

void mounts(const RoleSpec& role, Notes& notes) {
  for (const Mount& mount : role.mounts) {
    const std::string path = "roles." + role.name + ".mounts";
    if (mount.mode == model::MountMode::ExportOnly)
      notes.changed(path, say::was_only_named({.source = shorten(mount.source)}));
    else if (mount.target.starts_with("./") ||
             (storage_path(mount.source) && !mount.source.starts_with("storage:")))
      notes.changed(path, say::as_storage_folder({.source = shorten(mount.source)}));
  }
  if (NativePrinter::has_code_beside(role))
    notes.changed("roles." + role.name + ".workdir", say::workdir_above_code());
}

}  // namespace

std::string print(const JobSpec& spec, const std::string&, Notes& notes) {
  if (spec.dialect != model::Dialect::Native) {
    if (spec.params != JobSpec{}.params) notes.changed("params", say::params_filled_in());
    if (!spec.links.empty()) notes.lost("links", say::remarks_left_out());
  }
  for (const RoleSpec& role : spec.roles) {
    const std::string path = "roles." + role.name + ".command";
    const model::Command& command = role.command;
    if (command.shell != model::Shell::None && NativePrinter::says_more(command))
      notes.changed(path, say::steps_as_run_lines());
    else if (command.shell == model::Shell::Sh || command.shell == model::Shell::Bash)
      notes.changed(path + ".shell", say::run_by_bash_or_sh());
    mounts(role, notes);
    if (spec.completion.at_end == model::AtEnd::Succeed && role.completion.min_succeeded &&
        role.completion.need == 0) {
      notes.changed("roles." + role.name + ".completion.need", say::too_few_successes_fail());
      notes.changed("completion.at_end", say::ended_role_must_have_enough());
    }
  }
  return print_native(spec);
}

}  // namespace native

}  // namespace ty::jobspec
