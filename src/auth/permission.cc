#include "auth/permission.h"

#include <algorithm>
#include <array>

#include "auth/messages.h"

namespace ty::auth {

namespace {

using enum Action;
constexpr auto kSignedIn = Standing::SignedIn;
constexpr auto kViewer = Standing::Viewer;
constexpr auto kMember = Standing::Member;
constexpr auto kWorkspaceManager = Standing::WorkspaceManager;
constexpr auto kAdministrator = Standing::Administrator;

// clang-format off
constexpr std::array kRules = {
//     action                word                       scope         own              others
  Rule{ListJobs,             "list_jobs",               Scope::Read,  kViewer,         kViewer},
  Rule{ShowJob,              "show_job",                Scope::Read,  kSignedIn,       kViewer},
  Rule{ReadLogs,             "read_logs",               Scope::Read,  kSignedIn,       kViewer},
  Rule{ReadEvents,           "read_events",             Scope::Read,  kSignedIn,       kViewer},
  Rule{SubmitJob,            "submit_job",              Scope::Write, kMember,         kMember},
  // People who were taken out of a workspace can still stop and remove what they left running there.
  Rule{StopJob,              "stop_job",                Scope::Write, kSignedIn,       kWorkspaceManager},
  Rule{DeleteJob,            "delete_job",              Scope::Write, kSignedIn,       kWorkspaceManager},
  Rule{RetryJob,             "retry_job",               Scope::Write, kMember,         kWorkspaceManager},
  Rule{SetTimeLimit,         "set_time_limit",          Scope::Write, kMember,         kWorkspaceManager},
  Rule{HoldJob,              "hold_job",                Scope::Write, kMember,         kWorkspaceManager},
  // Inside a task one acts as its owner, with the owner's files and secrets: nobody else's business.
  Rule{OpenTerminal,         "open_terminal",           Scope::Write, kMember,         kAdministrator},
  Rule{UsePriorityAboveHigh, "use_priority_above_high", Scope::Admin, kAdministrator,  kAdministrator},
  Rule{ShowWorkspace,        "show_workspace",          Scope::Read,  kViewer,         kViewer},
  Rule{ManageMembers,        "manage_members",          Scope::Write, kWorkspaceManager, kWorkspaceManager},
  Rule{ManageWorkspaces,     "manage_workspaces",       Scope::Admin, kAdministrator,  kAdministrator},
  Rule{ShowNodes,            "show_nodes",              Scope::Read,  kSignedIn,       kSignedIn},
  Rule{ManageNodes,          "manage_nodes",            Scope::Admin, kAdministrator,  kAdministrator},
  Rule{ShowUsers,            "show_users",              Scope::Read,  kAdministrator,  kAdministrator},
  Rule{ManageUsers,          "manage_users",            Scope::Admin, kAdministrator,  kAdministrator},
  Rule{ShowAccount,          "show_account",            Scope::Read,  kSignedIn,       kAdministrator},
  Rule{ChangeAccount,        "change_account",          Scope::Write, kSignedIn,       kAdministrator},
  Rule{ManageTokens,         "manage_tokens",           Scope::Write, kSignedIn,    kAdministrator},
  Rule{ReadAudit,            "read_audit",              Scope::Admin, kAdministrator,  kAdministrator},
  Rule{ManageSite,           "manage_site",             Scope::Admin, kAdministrator,  kAdministrator},
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

Message who(Standing standing) {
  switch (standing) {
    case Standing::SignedIn:
      return say::who_signed_in();
    case Standing::Viewer:
      return say::who_viewer();
    case Standing::Member:
      return say::who_member();
    case Standing::WorkspaceManager:
      return say::who_manager();
    case Standing::Administrator:
      return say::who_administrator();
  }
  return say::who_administrator();
}

}  // namespace

std::span<const Rule> rules() { return kRules; }
std::string_view to_word(Action action) { return rule_of(action).word; }
Message phrase_of(Action action) { return {"do_" + std::string(to_word(action)), {}}; }

std::string_view to_word(Standing standing) {
  switch (standing) {
    case Standing::SignedIn:
      return "signed_in";
    case Standing::Viewer:
      return "viewer";
    case Standing::Member:
      return "member";
    case Standing::WorkspaceManager:
      return "workspace_manager";
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
    case WorkspaceRole::Manager:
      return Standing::WorkspaceManager;
  }
  return Standing::SignedIn;
}

Result<void> may(const Principal& actor, Action action, const Resource& resource) {
  const Rule& rule = rule_of(action);
  if (!actor.scopes.has(rule.scope)) {
    return fail(Errc::Forbidden,
                say::token_may_not({.what = phrase_of(action), .scope = to_word(rule.scope)}));
  }
  const bool own = actor.user && actor.user == resource.owner;
  const Standing needed = own ? rule.own : rule.others;
  if (standing(actor, resource) >= needed) return {};
  const bool token_hides_it = needed == Standing::Administrator && actor.administrator;
  if (token_hides_it) {
    return fail(Errc::Forbidden,
                say::token_may_not({.what = phrase_of(action), .scope = to_word(Scope::Admin)}));
  }
  const bool would_be_enough = !own && rule.own < rule.others;
  return fail(Errc::Forbidden,
              would_be_enough
                  ? say::may_not_with_others({.what = phrase_of(action), .who = who(needed)})
                  : say::may_not({.what = phrase_of(action), .who = who(needed)}));
}

}  // namespace ty::auth
