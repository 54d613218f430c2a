#include "engine/permissions.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "engine/messages.h"

namespace ty::engine {

namespace {

using model::Dialect;

bool has(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// What the author of the file wrote to get it.
std::string_view field_of_caps(const model::JobSpec& spec, std::string_view cap) {
  switch (spec.dialect) {
    case Dialect::Volcano:
      return "securityContext.capabilities.add";
    case Dialect::OpenPaiV1:
      return cap == "ptrace" ? "isDebug" : "paiAzRDMA";
    case Dialect::OpenPaiV2:
      return "infiniband";
    default:
      return "caps";
  }
}

std::string_view field_of_user(const model::JobSpec& spec) {
  switch (spec.dialect) {
    case Dialect::Volcano:
      return "securityContext.runAsUser";
    case Dialect::Ffdl:
      return "proxy_user";
    default:
      return "run_as";
  }
}

std::string_view field_of_network(const model::JobSpec& spec) {
  return spec.dialect == Dialect::Volcano ? "hostNetwork" : "network";
}

/// `root`, `0`, `000`, and either of them as the group in `ann:0`: what they mean everywhere. Other
/// names are looked up where the task runs.
bool names_root(std::string_view text) {
  for (const std::string& part : split(text, ':')) {
    const bool is_zero = !part.empty() && part.find_first_not_of('0') == std::string::npos;
    if (part == "root" || is_zero) return true;
  }
  return false;
}

bool is_root(const model::RunAs& who) {
  return (who.uid ? *who.uid == 0 : names_root(who.user)) || who.gid == 0;
}

/// `alice`, `1000`, `1000:100`: as `jobs.allowed_users` has it.
std::string written(const model::RunAs& who) {
  const std::string user = who.uid ? fmt::to_string(*who.uid) : who.user;
  return who.gid ? fmt::format("{}:{}", user, *who.gid) : user;
}

}  // namespace

Permissions permissions_of(const config::Config& config) {
  return {.caps = config.jobs.allowed_caps,
          .root = config.jobs.allow_root,
          .users = config.jobs.allowed_users,
          .host_network = config.docker.host_network};
}

std::vector<Refusal> refusals(const Permissions& permissions,
                              const Capabilities& able,
                              const model::JobSpec& spec,
                              const model::RoleSpec& role) {
  std::vector<Refusal> found;
  for (const std::string& cap : role.caps) {
    if (has(permissions.caps, cap)) continue;
    found.push_back(
        {fmt::format("/roles/{}/caps", role.name),
         say::capability_not_allowed(
             {.role = role.name, .field = field_of_caps(spec, cap), .cap = shorten(cap)})});
  }
  if (spec.run_as) {
    const std::string who = written(*spec.run_as);
    const bool is_machine_user = !able.images;
    if (is_root(*spec.run_as) && !permissions.root)
      found.push_back({"/run_as", say::root_not_allowed({.field = field_of_user(spec)})});
    else if (!is_root(*spec.run_as) && is_machine_user && !has(permissions.users, who))
      found.push_back(
          {"/run_as", say::user_not_allowed({.field = field_of_user(spec), .user = shorten(who)})});
  }
  const bool leaves_own_network = role.network == model::Network::Host && able.own_network;
  if (leaves_own_network && !permissions.host_network) {
    found.push_back(
        {fmt::format("/roles/{}/network", role.name),
         say::host_network_not_allowed({.role = role.name, .field = field_of_network(spec)})});
  }
  return found;
}

}  // namespace ty::engine
