#include "control/jobs/site_check.h"

#include <algorithm>

#include "control/messages.h"
#include "control/storages/mount_sources.h"

namespace ty::control {

jobspec::Issue warning(std::string code, std::string path, Message message) {
  return {.severity = jobspec::Severity::Warning,
          .code = std::move(code),
          .pointer = "/" + path,
          .path = path,
          .message = std::move(message)};
}

namespace {

/// Why this mount can never be had here; none: it can be tried.
std::optional<Message> refusal(const model::Mount& mount,
                               const model::JobSpec& spec,
                               const SiteView& site) {
  const bool is_only_named = mount.mode == model::MountMode::ExportOnly;
  const Result<engine::Mount> made = mount_of(mount, spec, {});
  if (!made) return is_only_named ? std::nullopt : std::optional(made.error().message);
  if (const engine::ObjectFolder* object = object_folder(*made))
    return object_refusal(*object, site.config.jobs.object_stores, site.able.object_stores);
  if (is_only_named) return std::nullopt;
  const Result<void> possible = site.engine.can_mount(*made);
  return possible ? std::nullopt : std::optional(possible.error().message);
}

Result<void> check_mounts(const model::JobSpec& spec, const SiteView& site) {
  std::vector<Fault> faults;
  for (const model::RoleSpec& role : spec.roles) {
    for (const model::Mount& mount : role.mounts) {
      if (const auto why = refusal(mount, spec, site))
        faults.push_back({"/roles/" + role.name, *why, "source"});
    }
  }
  if (faults.empty()) return {};
  Message first = faults.front().message;
  return fail(Errc::Invalid, std::move(first), std::move(faults));
}

/// What only matters where tasks run in containers.
Result<void> check_containers(const model::JobSpec& spec, bool has_host_network) {
  std::vector<Fault> faults;
  for (const model::RoleSpec& role : spec.roles) {
    if (role.image.empty()) {
      faults.push_back({.pointer = "/roles/" + role.name,
                        .message = say::role_without_image({.role = role.name}),
                        .code = "missing"});
    }
    if (role.network == model::Network::Host && !has_host_network) {
      faults.push_back({.pointer = "/roles/" + role.name + "/network",
                        .message = say::host_network_refused(),
                        .code = "unsupported"});
    }
  }
  if (faults.empty()) return {};
  Message first = faults.front().message;
  return fail(Errc::Invalid, std::move(first), std::move(faults));
}

}  // namespace

Result<void> fit_to_site(model::JobSpec& spec,
                         const SiteView& site,
                         std::vector<jobspec::Issue>& warnings) {
  const config::Jobs& rules = site.config.jobs;
  TY_DO(check_mounts(spec, site));
  if (const auto& cap = rules.max_time_limit;
      cap && (!spec.time_limit || *spec.time_limit > *cap)) {
    warnings.push_back(warning("changed", "time_limit", say::time_limit_lowered({.limit = *cap})));
    spec.time_limit = *cap;
  }
  if (site.able.images) {
    for (model::RoleSpec& role : spec.roles) {
      if (role.image.empty()) role.image = rules.default_image;
    }
    return check_containers(spec, site.able.host_network);
  }
  if (std::ranges::any_of(spec.roles, [](const auto& role) { return !role.image.empty(); })) {
    warnings.push_back(warning("ignored", "image", say::image_without_effect()));
  }
  return {};
}

}  // namespace ty::control
