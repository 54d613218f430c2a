#pragma once
#include <optional>
#include <string>
#include <vector>

#include "auth/scope.h"
#include "base/ids.h"
#include "model/user.h"

namespace ty::auth {

using model::WorkspaceRole;

struct Membership {
  WorkspaceId workspace;
  std::string name;
  WorkspaceRole role = WorkspaceRole::Member;
  bool operator==(const Membership&) const = default;
};

/// Who is asking: made once per request from the token, then only read.
struct Principal {
  UserId user;
  std::string name;
  bool administrator = false;
  Scopes scopes;
  std::vector<Membership> workspaces;
  TokenId token;  ///< the one that was presented; none for the server itself

  std::optional<WorkspaceRole> role_in(WorkspaceId workspace) const;
  /// Both the person and the token allow it. An administrator's `write` token is an ordinary
  /// member's.
  bool acts_as_administrator() const { return administrator && scopes.has(Scope::Admin); }
  /// The workspaces whose jobs to list, as model::JobQuery wants them: empty means all.
  /// A principal who sees nothing gets one id that no workspace has.
  std::vector<WorkspaceId> visible_workspaces() const;
};

/// The server acting on its own account, in events and audit: `trainyard`, all rights.
Principal the_server();

}  // namespace ty::auth
