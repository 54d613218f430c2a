#include "auth/permission.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ty::auth {

namespace {

using enum Action;
constexpr auto kSignedIn = Standing::SignedIn;
constexpr auto kViewer = Standing::Viewer;
constexpr auto kMember = Standing::Member;
constexpr auto kWorkspaceAdmin = Standing::WorkspaceAdmin;
constexpr auto kAdministrator = Standing::Administrator;

// clang-format off
constexpr std::array kRules = {
//     action                word                       may not …                                  scope         own              others
  Rule{ListJobs,             "list_jobs",               "list the jobs of this workspace",         Scope::Read,  kViewer,         kViewer},
  Rule{ShowJob,              "show_job",                "see this job",                            Scope::Read,  kSignedIn,       kViewer},
  Rule{ReadLogs,             "read_logs",               "read this job's logs",                    Scope::Read,  kSignedIn,       kViewer},
  Rule{ReadEvents,           "read_events",             "follow this job's events",                Scope::Read,  kSignedIn,       kViewer},
  Rule{SubmitJob,            "submit_job",              "submit jobs to this workspace",           Scope::Write, kMember,         kMember},
  // People who were taken out of a workspace can still stop and remove what they left running there.
  Rule{StopJob,              "stop_job",                "stop this job",                           Scope::Write, kSignedIn,       kWorkspaceAdmin},
  Rule{DeleteJob,            "delete_job",              "delete this job",                         Scope::Write, kSignedIn,       kWorkspaceAdmin},
  Rule{RetryJob,             "retry_job",               "retry this job",                          Scope::Write, kMember,         kWorkspaceAdmin},
  Rule{SetTimeLimit,         "set_time_limit",          "change this job's time limit",            Scope::Write, kMember,         kWorkspaceAdmin},
  Rule{HoldJob,              "hold_job",                "hold this job for debugging",             Scope::Write, kMember,         kWorkspaceAdmin},
  // Inside a task one acts as its owner, with the owner's files and secrets: nobody else's business.
  Rule{OpenTerminal,         "open_terminal",           "open a terminal in this job",             Scope::Write, kMember,         kAdministrator},
  Rule{UsePriorityAboveHigh, "use_priority_above_high", "use a priority above high",               Scope::Admin, kAdministrator,  kAdministrator},
  Rule{ShowWorkspace,        "show_workspace",          "see this workspace",                      Scope::Read,  kViewer,         kViewer},
  Rule{ManageMembers,        "manage_members",          "change who belongs to this workspace",    Scope::Write, kWorkspaceAdmin, kWorkspaceAdmin},
  Rule{ManageWorkspaces,     "manage_workspaces",       "create, change or delete workspaces",     Scope::Admin, kAdministrator,  kAdministrator},
  Rule{ShowNodes,            "show_nodes",              "see the nodes",                           Scope::Read,  kSignedIn,       kSignedIn},
  Rule{ManageNodes,          "manage_nodes",            "change nodes",                            Scope::Admin, kAdministrator,  kAdministrator},
  Rule{ShowUsers,            "show_users",              "list the users",                          Scope::Read,  kAdministrator,  kAdministrator},
  Rule{ManageUsers,          "manage_users",            "create, change or delete users",          Scope::Admin, kAdministrator,  kAdministrator},
  Rule{ShowAccount,          "show_account",            "see this account",                        Scope::Read,  kSignedIn,       kAdministrator},
  Rule{ChangeAccount,        "change_account",          "change this account",                     Scope::Write, kSignedIn,       kAdministrator},
  Rule{ManageTokens,         "manage_tokens",           "make, list or revoke this account's tokens", Scope::Write, kSignedIn,    kAdministrator},
  Rule{ReadAudit,            "read_audit",              "read the audit log",                      Scope::Admin, kAdministrator,  kAdministrator},
  Rule{ManageSite,           "manage_site",             "change the site's settings",              Scope::Admin, kAdministrator,  kAdministrator},
};
// clang-format on

constexpr bool in_order() {
  for (std::size_t i = 0; i < kRules.size(); ++i) {
    if (kRules[i].action != static_cast<Action>(i) || kRules[i].own > kRules[i].others)
      return false;
  }
  return kRules.size() == static_cast<std::size_t>(ManageSite) + 1;
}
static_assert(
    in_order(),
    "one rule per action, in the order of the enumeration, never stricter with one's own");

const Rule& rule_of(Action action) { return kRules[static_cast<std::size_t>(action)]; }

std::string_view who(Standing standing) {
  switch (standing) {
    case Standing::SignedIn:
      return "a signed-in user";
    case Standing::Viewer:
      return "a viewer of the workspace";
    case Standing::Member:
      return "a member of the workspace";
    case Standing::WorkspaceAdmin:
      return "an admin of the workspace";
    case Standing::Administrator:
      return "an administrator";
  }
  return "an administrator";
}

}  // namespace

std::span<const Rule> rules() { return kRules; }
std::string_view to_word(Action action) { return rule_of(action).word; }

std::string_view to_word(Standing standing) {
  switch (standing) {
    case Standing::SignedIn:
      return "signed_in";
    case Standing::Viewer:
      return "viewer";
    case Standing::Member:
      return "member";
    case Standing::WorkspaceAdmin:
      return "workspace_admin";
    case Standing::Administrator:
      return "administrator";
  }
  return "administrator";
}

Standing standing(const Principal& actor, const Resource& resource) {
  if (actor.acts_as_administrator()) return Standing::Administrator;
  const auto role = resource.workspace ? actor.role_in(resource.workspace) : std::nullopt;
  if (!role) return Standing::SignedIn;
  switch (*role) {
    case WorkspaceRole::Viewer:
      return Standing::Viewer;
    case WorkspaceRole::Member:
      return Standing::Member;
    case WorkspaceRole::Admin:
      return Standing::WorkspaceAdmin;
  }
  return Standing::SignedIn;
}

Result<void> may(const Principal& actor, Action action, const Resource& resource) {
  const Rule& rule = rule_of(action);
  if (!actor.scopes.has(rule.scope)) {
    return fail(
        Errc::Forbidden,
        fmt::format(
            "this token may not {}: it lacks the scope \"{}\"", rule.does, to_word(rule.scope)));
  }
  const bool own = actor.user && actor.user == resource.owner;
  const Standing needed = own ? rule.own : rule.others;
  if (standing(actor, resource) >= needed) return {};
  const bool token_hides_it = needed == Standing::Administrator && actor.administrator;
  if (token_hides_it) {
    return fail(Errc::Forbidden,
                fmt::format("this token may not {}: it lacks the scope \"admin\"", rule.does));
  }
  const std::string_view because = !own && rule.own < rule.others ? "it is not yours, so " : "";
  return fail(Errc::Forbidden,
              fmt::format("you may not {}: {}that takes {}", rule.does, because, who(needed)));
}

}  // namespace ty::auth
