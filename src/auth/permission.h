#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "auth/principal.h"
#include "base/result.h"

/// Who may do what: one table (permission.cc), one function. Pure; safe from any thread.
namespace ty::auth {

enum class Action : std::uint8_t {
  ListJobs,
  ShowJob,
  ReadLogs,
  ReadEvents,
  SubmitJob,
  StopJob,
  DeleteJob,
  RetryJob,
  SetTimeLimit,
  HoldJob,
  OpenTerminal,
  UsePriorityAboveHigh,
  ShowWorkspace,
  ManageMembers,
  ManageWorkspaces,
  ShowNodes,
  ManageNodes,
  ShowUsers,
  ManageUsers,
  ShowAccount,
  ChangeAccount,
  ManageTokens,  ///< the account is the resource's owner
  ReadAudit,
  ManageSite,
};
std::string_view to_word(Action action);  ///< `submit_job`

/// How someone stands towards a resource, from least to most.
enum class Standing : std::uint8_t { SignedIn, Viewer, Member, WorkspaceManager, Administrator };
std::string_view to_word(Standing standing);  ///< `workspace_manager`

/// What the action is about. Both empty for the site itself (nodes, users, settings).
struct Resource {
  WorkspaceId workspace;
  UserId owner;  ///< of the job, or the account itself
};

struct Rule {
  Action action;
  std::string_view word;
  Scope scope;      ///< the token must have it
  Standing own;     ///< least standing for what is one's own
  Standing others;  ///< least standing for what belongs to somebody else, or to nobody
};
/// The whole table, for the page, for the reference and for tests.
std::span<const Rule> rules();

Standing standing(const Principal& actor, const Resource& resource);

/// What finishes "you may not …": `stop this job`.
Message phrase_of(Action action);

/// Nothing, or Errc::Forbidden saying what is missing: the token's scope, or the standing. Where
/// even the existence of a thing is private, `control` asks for ShowJob first and answers NotFound
/// instead.
Result<void> may(const Principal& actor, Action action, const Resource& resource);

}  // namespace ty::auth
