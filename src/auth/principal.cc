#include "auth/principal.h"

#include <algorithm>

namespace ty::auth {

std::optional<WorkspaceRole> Principal::role_in(WorkspaceId workspace) const {
  const auto found = std::ranges::find(workspaces, workspace, &Membership::workspace);
  if (found == workspaces.end()) return {};
  return found->role;
}

std::vector<WorkspaceId> Principal::visible_workspaces() const {
  if (acts_as_administrator()) return {};
  std::vector<WorkspaceId> visible;
  visible.reserve(workspaces.size());
  for (const Membership& membership : workspaces) visible.push_back(membership.workspace);
  // An empty list would mean "all": the one mistake this function exists to prevent.
  if (visible.empty()) visible.push_back(WorkspaceId{-1});
  return visible;
}

Principal the_server() {
  Principal server;
  server.name = "trainyard";
  server.administrator = true;
  server.scopes = Scopes::all();
  return server;
}

}  // namespace ty::auth
