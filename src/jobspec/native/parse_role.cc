#include <algorithm>

#include "base/text.h"
#include "jobspec/impl/defaults.h"
#include "jobspec/impl/limits.h"
#include "jobspec/impl/sources.h"
#include "jobspec/messages.h"
#include "jobspec/native/reader.h"
#include "model/environment.h"

namespace ty::jobspec::native {

using model::Mount;
using model::MountKind;
using model::MountMode;
using model::RoleSpec;

void NativeReader::read_role(std::size_t index) {
  RoleSpec& role = spec_.roles[index];
  RolePlace& place = places_[index];
  const int i = static_cast<int>(index);
  const bool own = place.node.index() != top_.index();

  role.system_name = model::dns_name(role.name, {});
  if (!read_whole(role_slot(index, "count"), role.count, 1, limits::kTasks)) doubt(Part::Count, i);
  read_optional<std::int64_t>(
      role_slot(index, "min_count"), role.min_available, [&](Slot s, std::int64_t& v) {
        return read_whole(s, v, 0, limits::kTasks);
      });
  read_image(index);
  read_command(index);
  read_resources(index);
  read_ports(index);
  read_mounts(index);
  // At the top level these two are the job's; the platform adds them to every role.
  if (own) {
    read_env({place.node.find("env"), find(fields(), "env")}, role.env);
    read_policies({place.node.find("policies"), find(fields(), "policies")}, role.policies);
  }
  read_completion(index);
  read_restart(index);
  read_after(index);
  role.ranked = ranked_by_name(role.name);
  read_flag(role_slot(index, "rank"), role.ranked);
  read_word(role_slot(index, "network"), role.network, say::noun_network);
  read_text_map(job_slot("node_labels"), role.node_labels);
  if (own)
    read_text_map({place.node.find("node_labels"), find(fields(), "node_labels")},
                  role.node_labels);
  read_sku(index);
  read_caps(index);
  read_limit(role_slot(index, "task_limit"), role.task_limit, 1s, limits::kYear);
}

void NativeReader::read_image(std::size_t index) {
  RoleSpec& role = spec_.roles[index];
  const Slot slot = role_slot(index, "image");
  if (!slot || !has_value(slot)) return;
  if (!slot.ref.is_map()) {
    read_text(slot, role.image);
    role.pull = default_pull(role.image);
    return;
  }
  check_sub_keys(slot.ref, image_fields());
  const auto sub = [&](std::string_view key) { return sub_slot(slot.ref, image_fields(), key); };
  if (!sub("name")) report_.missing(slot.ref, "name", "name: python:3.12");
  read_text(sub("name"), role.image);
  role.pull = default_pull(role.image);
  read_word(sub("pull"), role.pull, say::noun_pull_policy);
  std::string auth;
  if (const Slot stored = sub("auth"); stored && read_text(stored, auth)) {
    role.image_auth = model::ImageAuth{.stored_name = auth};
  }
}

void NativeReader::read_command(std::size_t index) {
  model::Command& command = spec_.roles[index].command;
  const Slot run = role_slot(index, "run");
  if (run && has_value(run)) {
    command.entrypoint = model::Entrypoint::Clear;
    if (run.ref.is_scalar()) {
      command.shell = model::Shell::BashOrSh;
      command.errexit = true;
      command.pipefail = true;
      read_template(run, command.script);
      if (trim(command.script).empty()) {
        report_.error(run.ref, "missing", say::value_is_empty({.example = "run: python train.py"}));
      }
    } else if (run.ref.is_list()) {
      for (const Ref item : run.ref) {
        std::string& word = command.argv.emplace_back();
        read_template({item, run.field}, word);
      }
      if (command.argv.empty() || command.argv.front().empty()) {
        report_.error(run.ref, "missing", say::names_no_program());
      }
    } else {
      wrong_type(run, say::text_or_a_list());
    }
  } else if (!run && !role_slot(index, "image")) {
    report_.missing(places_[index].node, "run", "run: python train.py");
  }
  if (const Slot args = role_slot(index, "args"); args && read_list(args)) {
    for (const Ref item : args.ref) read_template({item, args.field}, command.args.emplace_back());
  }
  const Slot workdir = role_slot(index, "workdir");
  read_optional<std::string>(
      workdir, spec_.roles[index].workdir, [&](Slot s, std::string& v) { return read_text(s, v); });
}

void NativeReader::read_resources(std::size_t index) {
  model::Resources& resources = spec_.roles[index].resources;
  const int i = static_cast<int>(index);
  read_gpus(index);
  const std::int64_t gpus = std::clamp<std::int64_t>(resources.gpus, 0, limits::kGpus);
  fill_defaults(resources, gpus, options_.defaults);
  if (!read_cpus(role_slot(index, "cpus"), resources.cpu_milli)) doubt(Part::Cpus, i);
  if (!read_memory(role_slot(index, "memory"), resources.memory)) doubt(Part::Memory, i);
  resources.shm = default_shm(resources.memory);
  if (!read_memory(role_slot(index, "shm"), resources.shm)) doubt(Part::Shm, i);
  if (const Slot devices = role_slot(index, "devices"); devices && read_map(devices)) {
    for (const Ref entry : devices.ref) {
      std::int64_t count = 0;
      if (read_whole({entry, devices.field}, count, 1, limits::kGpus)) {
        resources.devices.insert_or_assign(std::string(entry->key), count);
      }
    }
  }
}

void NativeReader::read_gpus(std::size_t index) {
  model::Resources& resources = spec_.roles[index].resources;
  const Slot slot = role_slot(index, "gpus");
  if (!slot || !has_value(slot)) return;
  const auto read_count = [&](Slot count) {
    if (count.ref.is_plain() && is_json_number(count.ref->text)) {
      const auto whole = parse_whole(count.ref->text);
      if (!whole && whole.error().code == "type") {
        const bool some = !count.ref->text.starts_with('-');
        report_.error(count.ref,
                      "fraction",
                      some ? say::fraction_of_gpus({.value = quoted(count.ref)})
                           : say::negative_fraction_of_gpus({.value = quoted(count.ref)}));
        return false;
      }
    }
    return read_whole(count, resources.gpus, 0, limits::kGpus);
  };
  const auto read_type = [&](Ref at, std::string_view type) {
    if (is_gpu_type(type)) {
      resources.gpu_types.emplace_back(type);
      return;
    }
    report_.error(at,
                  "type",
                  say::invalid_value(
                      {.value = in_quotes(type), .what = say::noun_gpu_type(), .example = "A100"}));
  };
  if (slot.ref.is_map()) {
    check_sub_keys(slot.ref, gpu_fields());
    resources.gpus = 1;
    if (const Slot count = sub_slot(slot.ref, gpu_fields(), "count"); count && !read_count(count)) {
      doubt(Part::Gpus, static_cast<int>(index));
    }
    std::vector<std::string> types;
    const Slot type = sub_slot(slot.ref, gpu_fields(), "type");
    read_texts(type, types);
    for (const std::string& name : types) read_type(type.ref, name);
    return;
  }
  if (slot.ref.is_scalar() && !parse_whole(slot.ref->text)) {
    const std::string_view text = slot.ref->text;
    const std::size_t colon = text.rfind(':');
    const std::string_view type = text.substr(0, colon);
    const auto count = colon == std::string_view::npos ? Parsed<std::int64_t>(1)
                                                       : parse_whole(text.substr(colon + 1));
    if (is_gpu_type(type) && count && *count >= 0 && *count <= limits::kGpus &&
        !is_json_number(text)) {
      resources.gpu_types.emplace_back(type);
      resources.gpus = *count;
      return;
    }
  }
  if (!read_count(slot)) doubt(Part::Gpus, static_cast<int>(index));
}

void NativeReader::read_ports(std::size_t index) {
  const Slot slot = role_slot(index, "ports");
  if (!slot || !has_value(slot)) return;
  if (slot.ref.is_list()) {
    for (const Ref item : slot.ref) {
      model::Port port;
      if (!read_whole({item, slot.field}, port.first, 1, limits::kMaxPort)) continue;
      port.label = "p" + std::to_string(port.first);
      spec_.roles[index].ports.push_back(std::move(port));
      places_[index].ports.push_back(item);
    }
  } else if (slot.ref.is_map()) {
    for (const Ref entry : slot.ref) read_port(index, entry);
  } else {
    wrong_type(slot, say::a_map_or_a_list());
  }
}

void NativeReader::read_port(std::size_t index, Ref entry) {
  model::Port port;
  port.label = entry->key;
  const Field* number = &port_fields().front();
  bool good = true;
  if (entry.is_map()) {
    check_sub_keys(entry, port_fields());
    good = read_whole(sub_slot(entry, port_fields(), "first"), port.first, 1, limits::kMaxPort) &&
           read_whole(sub_slot(entry, port_fields(), "count"), port.count, 1, limits::kPorts);
  } else if (!entry.is_scalar() || entry->text != "any") {
    if (entry.is_scalar() && !parse_whole(entry->text)) {
      report_.error(entry, "type", say::invalid_port({.value = quoted(entry)}));
      good = false;
    } else {
      good = read_whole({entry, number}, port.first, 1, limits::kMaxPort);
    }
  }
  if (!good) return;
  spec_.roles[index].ports.push_back(std::move(port));
  places_[index].ports.push_back(entry);
}

void NativeReader::add_mount(std::size_t index,
                             Ref at,
                             Ref source_at,
                             std::string_view source,
                             std::string_view kind,
                             Mount mount) {
  const std::size_t before = report_.errors.size();
  const std::string rendered = params_.render(source_at, source, report_);
  if (report_.errors.size() != before) return;
  auto resolved = resolve_source(rendered, kind, options_);
  if (!resolved) {
    report_.error(source_at, resolved.error().code, resolved.error().message);
    return;
  }
  mount.source = std::move(*resolved);
  spec_.roles[index].mounts.push_back(std::move(mount));
  places_[index].mounts.push_back(at);
}

void NativeReader::read_mounts(std::size_t index) {
  read_code(index);
  std::string text;
  if (const Slot data = role_slot(index, "data"); data && has_value(data)) {
    if (data.ref.is_map()) {
      for (const Ref entry : data.ref) {
        if (!read_text({entry, data.field}, text)) continue;
        Mount mount{.kind = MountKind::Data, .name = std::string(entry->key), .read_only = true};
        mount.target = "/data/" + mount.name;
        if (mount.name.empty() || mount.name.find('/') != std::string::npos) {
          report_.error_at_key(entry,
                               "pattern",
                               say::invalid_value({.value = in_quotes(mount.name),
                                                   .what = say::noun_folder_name(),
                                                   .example = "pile"}));
          continue;
        }
        add_mount(index, entry, entry, text, "dataset", std::move(mount));
      }
    } else if (read_text(data, text)) {
      add_mount(index,
                data.ref,
                data.ref,
                text,
                "dataset",
                {.kind = MountKind::Data, .target = "/data", .read_only = true});
    }
  }
  if (const Slot model = role_slot(index, "model"); model && read_text(model, text)) {
    add_mount(index,
              model.ref,
              model.ref,
              text,
              "model",
              {.kind = MountKind::Model, .target = "/pretrained", .read_only = true});
  }
  if (const Slot output = role_slot(index, "output"); output && read_text(output, text)) {
    add_mount(index,
              output.ref,
              output.ref,
              text,
              "storage",
              {.kind = MountKind::Output, .target = "/output"});
  }
  if (const Slot mounts = role_slot(index, "mounts"); mounts && read_list(mounts)) {
    for (const Ref item : mounts.ref) read_mount_item(index, item);
  }
}

void NativeReader::read_code(std::size_t index) {
  const Slot slot = role_slot(index, "code");
  if (!slot || !has_value(slot)) return;
  Mount mount{.kind = MountKind::Code, .target = "/code", .mode = MountMode::CopyIn};
  std::string text;
  if (!slot.ref.is_map()) {
    if (read_text(slot, text))
      add_mount(index, slot.ref, slot.ref, text, "algorithm", std::move(mount));
    return;
  }
  check_sub_keys(slot.ref, mount_fields());
  const auto sub = [&](std::string_view key) { return sub_slot(slot.ref, mount_fields(), key); };
  read_text(sub("to"), mount.target);
  read_flag(sub("read_only"), mount.read_only);
  if (mount.read_only) mount.mode = MountMode::Mount;
  if (!sub("from"))
    report_.missing(slot.ref, "from", "from: .");
  else if (read_text(sub("from"), text)) {
    add_mount(index,
              sub("to") ? sub("to").ref : slot.ref,
              sub("from").ref,
              text,
              "algorithm",
              std::move(mount));
  }
}

void NativeReader::read_mount_item(std::size_t index, Ref item) {
  Mount mount{.kind = MountKind::Storage};
  if (item.is_map()) {
    check_sub_keys(item, mount_fields());
    const auto sub = [&](std::string_view key) { return sub_slot(item, mount_fields(), key); };
    for (const std::string_view key : {"from", "to"}) {
      const Field& field = *find(mount_fields(), key);
      if (!sub(key)) report_.missing(item, key, field.example);
    }
    read_flag(sub("read_only"), mount.read_only);
    std::string text;
    if (sub("from") && sub("to") && read_text(sub("from"), text) &&
        read_text(sub("to"), mount.target)) {
      add_mount(index, sub("to").ref, sub("from").ref, text, "storage", std::move(mount));
    }
    return;
  }
  std::string_view text = item.is_scalar() ? item->text : std::string_view{};
  mount.read_only = text.ends_with(":ro");
  if (mount.read_only || text.ends_with(":rw")) text.remove_suffix(3);
  const std::size_t colon = text.rfind(":/");
  const bool split = colon != std::string_view::npos && colon > 0 && text.substr(colon, 3) != "://";
  if (!split) {
    report_.error(item,
                  item.is_scalar() ? "source" : "type",
                  say::invalid_value({.value = quoted(item),
                                      .what = say::noun_mount(),
                                      .example = "team/pile:/mnt/pile:ro"}));
    return;
  }
  mount.target = text.substr(colon + 1);
  add_mount(index, item, item, text.substr(0, colon), "storage", std::move(mount));
}

void NativeReader::read_completion(std::size_t index) {
  RoleSpec& role = spec_.roles[index];
  const int i = static_cast<int>(index);
  read_flag(role_slot(index, "main"), role.completion.ends_job);

  const auto is_number = [](const Slot& slot) {
    return slot.ref.is_scalar() && parse_whole(slot.ref->text).has_value();
  };
  if (const Slot slot = role_slot(index, "fail_when"); slot && has_value(slot)) {
    std::int64_t n = 1;
    const std::string_view word = slot.ref.is_scalar() ? slot.ref->text : std::string_view{};
    if (is_number(slot)) {
      if (read_whole(slot, n, 1, limits::kTasks)) role.completion.min_failed = n;
    } else if (word == "all") {
      role.completion.min_failed = role.count;
    } else if (word == "never") {
      role.completion.min_failed.reset();
    } else if (word != "any") {
      report_.error(slot.ref, "enum", say::invalid_fail_when({.value = quoted(slot.ref)}));
    }
  }

  std::optional<std::int64_t> done;
  if (role.completion.ends_job) done = role.count;
  if (const Slot slot = role_slot(index, "done_when"); slot && has_value(slot)) {
    std::int64_t n = 1;
    const std::string_view word = slot.ref.is_scalar() ? slot.ref->text : std::string_view{};
    if (is_number(slot)) {
      if (read_whole(slot, n, 1, limits::kTasks))
        done = n;
      else
        doubt(Part::DoneWhen, i);
    } else if (word == "all") {
      done = role.count;
    } else if (word == "any") {
      done = 1;
    } else if (slot.ref.is_map()) {
      check_sub_keys(slot.ref, done_fields());
      const Slot task = sub_slot(slot.ref, done_fields(), "task");
      if (!task) report_.missing(slot.ref, "task", "task: 0");
      // With one task deciding, "not done at the end" must fail whatever the others did: so all are
      // needed.
      if (task && read_whole(task, n, 0, limits::kTasks)) {
        role.completion.decider = n;
        role.completion.need = role.count;
      }
      return;
    } else {
      report_.error(slot.ref, "enum", say::invalid_done_when({.value = quoted(slot.ref)}));
    }
  }
  role.completion.min_succeeded = done;
  role.completion.need = done.value_or(0);
}

void NativeReader::read_restart(std::size_t index) {
  model::Restart& restart = spec_.roles[index].restart;
  constexpr std::int64_t kMost = 1'000'000;
  const Slot slot = role_slot(index, "restart");
  if (!slot || !has_value(slot)) return;
  if (slot.ref.is_map()) {
    check_sub_keys(slot.ref, restart_fields());
    const auto sub = [&](std::string_view key) {
      return sub_slot(slot.ref, restart_fields(), key);
    };
    read_whole(sub("count"), restart.budget, -1, kMost);
    read_word(sub("on"), restart.on, say::noun_restart_reason);
    read_flag(sub("lost"), restart.lost);
  } else if (slot.ref.is_scalar() && slot.ref->text == "always") {
    restart.budget = -1;
    restart.on = model::RestartOn::Any;
  } else if (slot.ref.is_scalar() && !parse_whole(slot.ref->text)) {
    report_.error(slot.ref, "enum", say::invalid_restart({.value = quoted(slot.ref)}));
  } else {
    read_whole(slot, restart.budget, -1, kMost);
  }
}

void NativeReader::read_after(std::size_t index) {
  std::vector<model::After>& after = spec_.roles[index].after;
  const Slot slot = role_slot(index, "after");
  if (!slot || !has_value(slot)) return;
  if (slot.ref.is_map()) {
    for (const Ref entry : slot.ref) {
      model::After one{.role = std::string(entry->key)};
      if (read_word({entry, slot.field}, one.when, say::noun_state_to_wait_for))
        after.push_back(std::move(one));
    }
    return;
  }
  std::vector<std::string> roles;
  read_texts(slot, roles);
  for (std::string& role : roles) after.push_back({.role = std::move(role)});
}

void NativeReader::read_sku(std::size_t index) {
  const Slot slot = role_slot(index, "sku");
  if (!slot || !read_map(slot)) return;
  check_sub_keys(slot.ref, sku_fields());
  const auto sub = [&](std::string_view key) { return sub_slot(slot.ref, sku_fields(), key); };
  model::Sku sku;
  read_text(sub("type"), sku.type);
  read_whole(sub("count"), sku.count, 0, limits::kGpus);
  read_text(sub("pinned_cell"), sku.pinned_cell);
  read_text(sub("affinity_group"), sku.affinity_group);
  if (sub("type") && sub("pinned_cell")) {
    report_.error_at_key(
        sub("pinned_cell").ref, "two_of", say::only_one_of({.keys = Words{"type", "pinned_cell"}}));
  } else if (!sub("type") && !sub("pinned_cell")) {
    report_.missing(slot.ref, "type", "type: V100");
  }
  spec_.roles[index].sku = std::move(sku);
}

void NativeReader::read_caps(std::size_t index) {
  const Slot slot = role_slot(index, "caps");
  if (!slot || !read_list(slot)) return;
  std::vector<std::string>& caps = spec_.roles[index].caps;
  for (const Ref item : slot.ref) {
    constexpr std::string_view kCaps[] = {"ptrace", "ipc_lock", "sys_admin", "net_admin"};
    if (!item.is_scalar() || std::ranges::find(kCaps, item->text) == std::end(kCaps)) {
      wrong_word(item, say::noun_capability(), "ptrace, ipc_lock, sys_admin, net_admin");
    } else if (std::ranges::find(caps, item->text) == caps.end()) {
      caps.emplace_back(item->text);
    }
  }
}

}  // namespace ty::jobspec::native
