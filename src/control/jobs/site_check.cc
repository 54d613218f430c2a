#include "control/jobs/site_check.h"

#include <algorithm>

#include "base/text.h"
#include "control/messages.h"
#include "control/storages/mount_sources.h"
#include "engine/image_name.h"
#include "engine/permissions.h"

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

Result<void> check_permissions(const model::JobSpec& spec, const SiteView& site) {
  const engine::Permissions permissions = engine::permissions_of(site.config);
  std::vector<Fault> faults;
  for (const model::RoleSpec& role : spec.roles) {
    for (engine::Refusal& refused : engine::refusals(permissions, site.able, spec, role)) {
      Fault fault{.pointer = std::move(refused.pointer),
                  .message = std::move(refused.why),
                  .code = "not_allowed"};
      // The user is the job's, not the role's.
      if (std::ranges::find(faults, fault) == faults.end()) faults.push_back(std::move(fault));
    }
  }
  if (faults.empty()) return {};
  Message first = faults.front().message;
  return fail(Errc::Invalid, std::move(first), std::move(faults));
}

/// A login that the job names is for its own server. In other dialects the name may be that of
/// something else, which is not here.
std::optional<Message> misused_login(const model::JobSpec& spec, const model::RoleSpec& role) {
  if (!role.image_auth || spec.dialect != model::Dialect::Native) return std::nullopt;
  const std::string named = role.image_auth->stored_name.value_or(role.image_auth->server);
  const std::string registry = engine::registry_of(role.image);
  if (named.empty() || engine::registry_name(named) == registry) return std::nullopt;
  return say::login_not_for_image(
      {.server = shorten(named), .image = shorten(role.image), .registry = registry});
}

/// What only matters where tasks run in containers.
Result<void> check_containers(const model::JobSpec& spec) {
  std::vector<Fault> faults;
  for (const model::RoleSpec& role : spec.roles) {
    if (role.image.empty()) {
      faults.push_back({.pointer = "/roles/" + role.name,
                        .message = say::role_without_image({.role = role.name}),
                        .code = "missing"});
    } else if (auto name = engine::parse_image_name(role.image); !name) {
      faults.push_back({.pointer = "/roles/" + role.name + "/image",
                        .message = std::move(name).error().message,
                        .code = "pattern"});
    } else if (auto misused = misused_login(spec, role)) {
      faults.push_back({.pointer = "/roles/" + role.name + "/image/auth",
                        .message = *std::move(misused),
                        .code = "reference"});
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
  TY_DO(check_permissions(spec, site));
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
    return check_containers(spec);
  }
  if (std::ranges::any_of(spec.roles, [](const auto& role) { return !role.image.empty(); })) {
    warnings.push_back(warning("ignored", "image", say::image_without_effect()));
  }
  return {};
}

}  // namespace ty::control
