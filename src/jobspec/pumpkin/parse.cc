#include "jobspec/pumpkin/parse.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "jobspec/impl/defaults.h"
#include "jobspec/impl/limits.h"
#include "jobspec/impl/placed_reader.h"
#include "jobspec/messages.h"

namespace ty::jobspec::pumpkin {
namespace {

using model::Mount;
using model::MountKind;
using model::RoleSpec;

constexpr std::size_t kLongestDescription = 300;

/// What a reply holds and a request does not need.
constexpr std::array<std::string_view, 22> kAnswers = {
    "id",          "jobId",         "userId",        "userName",          "userEmail",
    "workspaceId", "workspaceName", "algorithmName", "imageName",         "imageVersion",
    "dataSetName", "createdAt",     "updatedAt",     "startedAt",         "completedAt",
    "runSec",      "status",        "operation",     "preTrainModelName", "tensorboardEndpoint",
    "deletedAt",   "isDeleted"};
constexpr std::array<std::string_view, 5> kTaskAnswers = {
    "resourceSpecName", "resourceSpecPrice", "subTaskState", "replicaStates", "id"};

template <std::size_t N>
bool holds(const std::array<std::string_view, N>& keys, std::string_view key) {
  return std::ranges::find(keys, key) != keys.end();
}

class TrainJobReader final : public PlacedReader {
 public:
  TrainJobReader(Ref top, const ReadOptions& options, Report& report)
      : PlacedReader(top, model::Dialect::Pumpkin, options, report) {}

  model::JobSpec read() {
    check_keys(top_,
               {"name",
                "desc",
                "imageId",
                "imageUrl",
                "algorithmId",
                "algorithmVersion",
                "dataSetId",
                "dataSetVersion",
                "preTrainModelId",
                "preTrainModelVersion",
                "resourcePool",
                "isDistributed",
                "config",
                "mounts",
                "disableMountUserHome",
                "disableMountModel"},
               kAnswers);
    spec_.retry.on.clear();
    spec_.completion.at_end = model::AtEnd::CheckRole;
    if (need_text(top_, "name", spec_.name, "name: mnist"))
      place(Part::Name, -1, top_.find("name"));
    else
      doubt(Part::Name, -1);
    read_text(top_, "desc", spec_.description, "desc: first try");
    check_description();
    bool distributed = false;
    read_bool(top_, "isDistributed", distributed, "isDistributed: true");
    read_pool();

    RoleSpec common;
    read_image(common);
    read_assets(common);
    read_mounts(common);
    read_roles(common, distributed);
    validate(spec_, *this, report_);
    return std::move(spec_);
  }

 private:
  template <std::size_t N>
  void check_keys(Ref map,
                  std::initializer_list<std::string_view> known,
                  const std::array<std::string_view, N>& answers) {
    for (const Ref entry : map) {
      if (std::ranges::find(known, entry->key) != known.end()) continue;
      if (holds(answers, entry->key)) {
        report_.warn_at_key(entry, "ignored", say::part_of_an_answer());
        continue;
      }
      report_.warn_at_key(entry, "unknown_key", say::unknown_key_kept());
      spec_.unknown.push_back({entry.tree().pointer(entry), to_json(entry)});
    }
  }

  void check_description() {
    const auto characters = static_cast<std::size_t>(std::ranges::count_if(
        spec_.description, [](unsigned char c) { return (c & 0xC0) != 0x80; }));
    if (characters <= kLongestDescription) return;
    report_.error(top_.find("desc"),
                  "range",
                  say::too_many_characters({.count = characters, .most = kLongestDescription}));
  }

  /// Pools belong to workspaces; which one this is becomes clear when the job is handed in.
  void read_pool() {
    std::string pool;
    if (!read_text(top_, "resourcePool", pool, "resourcePool: common-pool") || pool.empty()) return;
    const Ref at = top_.find("resourcePool");
    place(Part::Workspace, -1, at);
    spec_.links["resourcePool"] = pool;
    if (pool != "common-pool" && pool != "default") {
      report_.warn(at, "ignored", say::no_pools_here());
    }
  }

  void read_image(RoleSpec& role) {
    const Ref id = present(top_, "imageId"), url = present(top_, "imageUrl");
    if (id && url) {
      report_.error_at_key(url, "two_of", say::only_one_of({.keys = Words{"imageId", "imageUrl"}}));
      return;
    }
    if (!id && !url) {
      report_.missing(top_, "imageUrl", "imageUrl: python:3.12");
      return;
    }
    place(Part::Image, -1, id ? id : url);
    if (url) {
      read_text(top_, "imageUrl", role.image, "imageUrl: python:3.12");
      role.pull = default_pull(role.image);
      return;
    }
    std::string name;
    read_text(top_, "imageId", name, "imageUrl: python:3.12");
    spec_.links["imageId"] = name;
    report_.warn(id, "ignored", say::no_images_by_id());
  }

  /// `algorithmId` and `algorithmVersion` → `algorithm:<id>@V2`
  bool read_asset(std::string_view kind,
                  std::string_view key,
                  std::string_view version_key,
                  std::string& source) {
    std::string id, version;
    if (!read_text(top_, key, id, std::string(key) + ": 5f1c…") || id.empty()) return false;
    if (read_text(top_, version_key, version, std::string(version_key) + ": V1") &&
        !version.empty()) {
      const bool good =
          version.size() > 1 && version.front() == 'V' &&
          std::ranges::all_of(version.substr(1), [](char c) { return c >= '0' && c <= '9'; });
      if (!good) {
        report_.error(
            top_.find(version_key),
            "pattern",
            say::invalid_value(
                {.value = in_quotes(version), .what = say::noun_asset_version(), .example = "V1"}));
      }
    }
    source = std::string(kind) + ":" + id + (version.empty() ? "" : "@" + version);
    return true;
  }

  void read_assets(RoleSpec& role) {
    std::string source;
    // Code that comes with the file is what its author wants to try; the stored one is not looked
    // at.
    const auto sent = options_.uploads.find("code");
    if (sent != options_.uploads.end()) {
      add_mount(role, {.kind = MountKind::Code, .source = sent->second, .target = "/code"}, top_);
      if (const Ref at = present(top_, "algorithmId"))
        report_.warn(at, "ignored", say::code_came_with_job());
    } else if (read_asset("algorithm", "algorithmId", "algorithmVersion", source)) {
      add_mount(role,
                {.kind = MountKind::Code, .source = source, .target = "/code"},
                top_.find("algorithmId"));
    }
    if (read_asset("dataset", "dataSetId", "dataSetVersion", source)) {
      add_mount(
          role,
          {.kind = MountKind::Data, .source = source, .target = "/dataset", .read_only = true},
          top_.find("dataSetId"));
    }
    if (read_asset("model", "preTrainModelId", "preTrainModelVersion", source)) {
      add_mount(role,
                {.kind = MountKind::Model,
                 .source = source,
                 .target = "/pretrainmodel",
                 .read_only = true},
                top_.find("preTrainModelId"));
    }
    bool without_model = false, without_home = false;
    read_bool(top_, "disableMountModel", without_model, "disableMountModel: false");
    read_bool(top_, "disableMountUserHome", without_home, "disableMountUserHome: false");
    if (without_home) spec_.links["disableMountUserHome"] = "true";
    if (without_model)
      spec_.links["disableMountModel"] = "true";
    else
      add_mount(role, {.kind = MountKind::Output, .source = "scratch:", .target = "/model"}, top_);
  }

  void read_mounts(RoleSpec& role) {
    for (const Ref item :
         maps_in(top_, "mounts", "{containerPath: /nas, nfs: {server: nas, path: /}}")) {
      check_keys(item,
                 {"containerPath", "readOnly", "nfs", "octopus", "isTensorboardLogDir"},
                 std::array<std::string_view, 0>{});
      Mount mount{.kind = MountKind::Storage};
      if (!need_text(item, "containerPath", mount.target, "containerPath: /nas")) continue;
      read_bool(item, "readOnly", mount.read_only, "readOnly: true");
      bool board = false;
      read_bool(item, "isTensorboardLogDir", board, "isTensorboardLogDir: true");
      if (board) spec_.services.tensorboard = mount.target;
      const Ref nfs = map_in(item, "nfs", "nfs: {server: nas, path: /data}");
      const Ref bucket = map_in(item, "octopus", "octopus: {bucket: mine, object: data}");
      std::string a, b;
      if (nfs && bucket) {
        report_.error_at_key(bucket, "two_of", say::only_one_of({.keys = Words{"nfs", "octopus"}}));
      } else if (nfs) {
        if (!need_text(nfs, "server", a, "server: nas") ||
            !need_text(nfs, "path", b, "path: /data"))
          continue;
        mount.source = "nfs://" + a + (b.starts_with('/') ? b : "/" + b);
        add_mount(role, std::move(mount), item.find("containerPath"));
      } else if (bucket) {
        if (!need_text(bucket, "bucket", a, "bucket: mine")) continue;
        read_text(bucket, "object", b, "object: data");
        mount.source = "storage:" + a + (b.empty() ? "" : "/" + b);
        add_mount(role, std::move(mount), item.find("containerPath"));
      } else {
        report_.missing(item, "nfs", "nfs: {server: nas, path: /data}");
      }
    }
  }

  void add_mount(RoleSpec& role, Mount mount, Ref at) {
    place_item(Part::Mounts, -1, role.mounts.size(), at);
    role.mounts.push_back(std::move(mount));
  }

  void read_roles(const RoleSpec& common, bool distributed) {
    constexpr std::string_view kExample =
        "{name: worker, command: python train.py, resourceSpecId: gpu1, taskNumber: 1, "
        "minSucceededTaskCount: 1, minFailedTaskCount: 1}";
    const std::vector<Ref> items = maps_in(top_, "config", kExample);
    if (items.empty()) {
      report_.missing(top_, "config", "config: [" + std::string(kExample) + "]");
      return;
    }
    place(Part::Role, -1, top_.find("config"));
    if (!distributed && items.size() > 1) {
      report_.error(items[1], "range", say::several_tasks_need_distributed());
    }
    for (const Ref item : items) {
      if (spec_.roles.size() > limits::kRoles) break;
      const int i = static_cast<int>(spec_.roles.size());
      spec_.roles.push_back(common);
      place(Part::Role, i, item);
      read_role(item, i, distributed);
    }
  }

  void read_role(Ref item, int i, bool distributed) {
    RoleSpec& role = spec_.roles.back();
    check_keys(item,
               {"name",
                "command",
                "parameters",
                "resourceSpecId",
                "taskNumber",
                "minSucceededTaskCount",
                "minFailedTaskCount",
                "isMainRole",
                "envs"},
               kTaskAnswers);
    role.system_name = "task" + std::to_string(i);
    role.name = role.system_name;
    if (distributed) {
      if (need_text(item, "name", role.name, "name: worker"))
        place(Part::Role, i, item.find("name"));
    } else {
      read_text(item, "name", role.name, "name: worker");
    }
    role.ranked = ranked_by_name(role.name);
    read_counts(item, i, role, distributed);
    bool main = false;
    read_bool(item, "isMainRole", main, "isMainRole: true");
    role.completion.ends_job = main;
    read_command(item, i, role);
    read_environment(item, i, role);
    read_spec_id(item, i, role);
  }

  void read_counts(Ref item, int i, RoleSpec& role, bool distributed) {
    std::int64_t failed = 1, succeeded = 1;
    const auto count = [&](std::string_view key, Part part, std::int64_t& out) {
      if (!present(item, key)) {
        if (distributed) {
          report_.missing(item, key, std::string(key) + ": 1");
          doubt(part, i);
        }
        return;
      }
      place(part, i, item.find(key));
      if (!read_whole(item, key, out, 1, limits::kTasks, std::string(key) + ": 1")) doubt(part, i);
    };
    count("taskNumber", Part::Count, role.count);
    count("minFailedTaskCount", Part::FailWhen, failed);
    count("minSucceededTaskCount", Part::DoneWhen, succeeded);
    if (!distributed && (role.count != 1 || failed != 1 || succeeded != 1)) {
      report_.warn(item, "changed", say::read_as_one_task());
      role.count = failed = succeeded = 1;
    }
    role.completion.min_failed = failed;
    role.completion.min_succeeded = succeeded;
    role.completion.need = succeeded;
  }

  /// `sh -c "cd /code; command --key=value …"`, the values in quotes where upstream forgot them.
  void read_command(Ref item, int i, RoleSpec& role) {
    role.command.shell = model::Shell::Sh;
    role.command.entrypoint = model::Entrypoint::Clear;
    if (need_text(item, "command", role.command.script, "command: python train.py"))
      place(Part::Command, i, item.find("command"));
    while (role.command.script.ends_with('\n')) role.command.script.pop_back();
    for (const Ref pair : maps_in(item, "parameters", "{key: epochs, value: 10}")) {
      check_keys(pair, {"key", "value"}, std::array<std::string_view, 0>{});
      std::string key, value;
      if (!read_text(pair, "key", key, "key: epochs") ||
          !read_text(pair, "value", value, "value: 10"))
        continue;
      if (key.empty() || value.empty()) {
        if (!key.empty() || !value.empty())
          report_.warn(pair, "ignored", say::no_key_or_no_value());
        continue;
      }
      role.command.script += " --" + key + "=" + shell_quote(value);
    }
  }

  void read_environment(Ref item, int i, RoleSpec& role) {
    const Ref envs = map_in(item, "envs", "envs: {BATCH: 32}");
    if (!envs) return;
    place(Part::Env, i, envs);
    for (const Ref entry : envs) {
      if (entry.is_scalar())
        role.env[std::string(entry->key)] = std::string(entry->text);
      else if (!entry.is_null())
        wrong_type(entry, say::some_text(), std::string(entry->key) + ": 32");
    }
  }

  void read_spec_id(Ref item, int i, RoleSpec& role) {
    fill_defaults(role.resources, 0, options_.defaults);
    role.resources.shm = default_shm(role.resources.memory);
    std::string id;
    if (!need_text(item, "resourceSpecId", id, "resourceSpecId: gpu1")) return;
    const Ref at = item.find("resourceSpecId");
    place(Part::Cpus, i, at);
    role.resources.spec_id = id;
    const auto known = options_.resource_specs.find(id);
    if (known != options_.resource_specs.end()) {
      role.resources = known->second;
      role.resources.spec_id = id;
      return;
    }
    std::vector<std::string> names;
    for (const auto& [name, spec] : options_.resource_specs) names.push_back(name);
    if (names.empty()) {
      report_.warn(at, "changed", say::no_resource_specs_here());
    } else {
      report_.error(at,
                    "reference",
                    say::no_resource_spec_called({.name = shorten(id), .names = some_of(names)}));
    }
  }
};

}  // namespace

model::JobSpec parse(Ref document, const ReadOptions& options, Params&, Report& report) {
  return TrainJobReader(document, options, report).read();
}

}  // namespace ty::jobspec::pumpkin
