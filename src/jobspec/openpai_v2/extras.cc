#include <algorithm>
#include <array>

#include "base/text.h"
#include "jobspec/impl/dialect.h"
#include "jobspec/messages.h"
#include "jobspec/openpai_v2/reader.h"

/// What `extras` says beyond remarks: scheduling, storages, mails (openpai.md §3.3). What the model
/// has words for is taken out; the rest is kept as it is.
namespace ty::jobspec::openpai_v2 {

using model::MountKind;
using model::RoleSpec;

void V2Reader::read_extras() {
  const Ref extras = present(top_, "extras");
  if (!extras) return;
  if (!extras.is_map()) {
    wrong_type(extras, say::a_map(), "extras: {}");
    return;
  }
  const auto keep = [&](Ref entry, const std::string& json) {
    std::string text;
    append_json_string(text, entry->key);
    kept_extras_.push_back(text + ":" + json);
  };
  bool gang = true;
  for (const Ref entry : extras) {
    if (entry->key == "trainyard") {
      continue;
    } else if (entry->key == "gangAllocation") {
      if (!entry.is_plain() || !is_bool_word(entry->text))
        wrong_type(entry, say::true_or_false(), "gangAllocation: false");
      else
        gang = is_true_word(entry->text);
    } else if (entry->key == "hivedScheduler" || entry->key == "hivedscheduler") {
      if (entry.is_map())
        read_hived(entry);
      else if (!is_absent(entry))
        wrong_type(entry, say::a_map(), "hivedScheduler: {jobPriorityClass: prod}");
    } else if (entry->key == kPluginKey) {
      if (entry.is_list())
        read_plugins(entry);
      else if (!is_absent(entry))
        wrong_type(entry, say::a_list(), "[{plugin: ssh, parameters: {jobssh: true}}]");
    } else if (entry->key == "storages") {
      if (entry.is_list())
        read_storages(entry);
      else if (!is_absent(entry))
        wrong_type(entry, say::a_list(), "storages: [{name: team, mountPath: /mnt/team}]");
    } else if (entry->key == "jobStatusChangeNotification") {
      if (entry.is_map())
        read_notifications(entry);
      else if (!is_absent(entry))
        wrong_type(entry, say::a_map(), "jobStatusChangeNotification: {failed: true}");
    } else {
      keep(entry, to_json(entry));
    }
  }
  if (!kept_plugins_.empty()) {
    std::string json = "\"" + std::string(kPluginKey) + "\":[";
    for (const Ref plugin : kept_plugins_) {
      if (json.back() != '[') json += ',';
      json += to_json(plugin);
    }
    kept_extras_.push_back(json + "]");
  }
  spec_.extras = "{" + join(kept_extras_, ",") + "}";

  if (!gang) spec_.min_available = 0;
  for (std::size_t i = 0; i < roles_.size(); ++i) {
    const Ref retries = present(roles_[i], "taskRetryCount");
    if (!retries) continue;
    std::int64_t count = 0;
    if (!read_whole(roles_[i], "taskRetryCount", count, -1, 1'000'000, "taskRetryCount: 3"))
      continue;
    if (gang && count != 0) {
      report_.warn(retries, "ignored", say::only_without_gang());
      continue;
    }
    spec_.roles[i].restart.budget = count;
  }
  if (gang) return;
  for (RoleSpec& role : spec_.roles) role.restart.lost = true;
}

void V2Reader::read_hived(Ref hived) {
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 4> kClasses = {
      {{"oppo", -1}, {"test", 10}, {"prod", 100}, {"crit", 120}}};
  std::vector<std::string> kept;
  for (const Ref entry : hived) {
    if (entry->key == "jobPriorityClass") {
      if (is_absent(entry)) continue;
      const auto* const known = std::ranges::find_if(
          kClasses, [&](const auto& c) { return entry.is_scalar() && c.first == entry->text; });
      if (known == kClasses.end())
        report_.error(entry,
                      "enum",
                      say::not_one_of({.value = quoted(entry),
                                       .what = say::noun_priority_class(),
                                       .choices = Words{"oppo", "test", "prod", "crit"}}));
      else
        spec_.priority = known->second;
    } else if (entry->key == "taskRoles") {
      if (is_absent(entry)) continue;
      if (!entry.is_map()) {
        wrong_type(entry, say::a_map(), "taskRoles: {worker: {skuType: V100, skuNum: 1}}");
        continue;
      }
      for (const Ref role : entry) {
        const std::size_t i = role_index(role->key);
        if (i == spec_.roles.size()) {
          std::vector<std::string> names;
          for (const RoleSpec& one : spec_.roles) names.push_back(one.name);
          report_.error_at_key(
              role,
              "reference",
              say::no_role_called({.name = shorten(role->key), .names = some_of(names)}));
        } else if (role.is_map()) {
          read_hived_role(role, spec_.roles[i]);
        } else if (!is_absent(role)) {
          wrong_type(role, say::a_map(), "{skuType: V100, skuNum: 1}");
        }
      }
    } else {
      if (entry->key == "gangReleaseEnable" || entry->key == "lazyPreemptionEnable" ||
          entry->key == "ignoreK8sSuggestedNodes")
        report_.warn_at_key(entry, "ignored", say::for_another_scheduler());
      else
        report_.warn_at_key(entry, "unknown_key", say::unknown_key_kept());
      std::string text;
      append_json_string(text, entry->key);
      kept.push_back(text + ":" + to_json(entry));
    }
  }
  if (!kept.empty()) kept_extras_.push_back("\"hivedScheduler\":{" + join(kept, ",") + "}");
}

void V2Reader::read_hived_role(Ref from, RoleSpec& role) {
  keep_unknown(
      from, {"skuType", "gpuType", "skuNum", "pinnedCellId", "reservationId", "affinityGroupName"});
  model::Sku sku;
  const auto either = [&](std::string_view now, std::string_view before, std::string& out) {
    const Ref old = present(from, before);
    read_text(from, old ? before : now, out, std::string(now) + ": V100");
    if (old) report_.warn_at_key(old, "obsolete", say::obsolete_key({.key = now}));
  };
  either("skuType", "gpuType", sku.type);
  either("pinnedCellId", "reservationId", sku.pinned_cell);
  read_text(from, "affinityGroupName", sku.affinity_group, "affinityGroupName: default");
  read_whole(from, "skuNum", sku.count, 0, 4096, "skuNum: 1");
  if (!sku.type.empty() && !sku.pinned_cell.empty())
    report_.error(from, "two_of", say::only_one_of({.keys = Words{"skuType", "pinnedCellId"}}));
  if (sku != model::Sku{}) role.sku = std::move(sku);
}

void V2Reader::add_storage(const std::string& name,
                           const std::string& target,
                           Ref at,
                           std::size_t role) {
  spec_.roles[role].mounts.push_back({.kind = MountKind::Storage,
                                      .name = name,
                                      .source = "storage:" + name,
                                      .target = target.empty() ? "/mnt/" + name : target});
  mounts_[role].push_back(at);
}

void V2Reader::read_storages(Ref list) {
  for (const Ref item : list) {
    std::string name, target;
    if (!item.is_map()) {
      wrong_type(item, say::a_storage(), "{name: team, mountPath: /mnt/team}");
      continue;
    }
    keep_unknown(item, {"name", "mountPath"});
    read_text(item, "name", name, "name: team");
    read_text(item, "mountPath", target, "mountPath: /mnt/team");
    if (name.empty()) {
      report_.warn(item, "ignored", say::has_no_name());
      continue;
    }
    for (std::size_t i = 0; i < spec_.roles.size(); ++i) add_storage(name, target, item, i);
  }
}

void V2Reader::read_notifications(Ref from) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kStates = {
      {{"running", "started"},
       {"succeeded", "succeeded"},
       {"failed", "failed"},
       {"stopped", "cancelled"},
       {"retried", "retried"}}};
  model::Alert alert;
  for (const auto& [key, state] : kStates) {
    const Ref value = from.find(key);
    if (value && value.is_plain() && is_true_word(value->text)) alert.states.emplace_back(state);
  }
  keep_unknown(from, {"running", "succeeded", "failed", "stopped", "retried"});
  if (!alert.states.empty()) spec_.alerts.push_back(std::move(alert));
}

}  // namespace ty::jobspec::openpai_v2
