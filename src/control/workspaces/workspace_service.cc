#include "control/workspaces/workspace_service.h"

#include "auth/permission.h"
#include "base/text.h"
#include "control/account_name.h"
#include "control/messages.h"
#include "control/sessions/authenticator.h"
#include "store/user_store.h"
#include "store/workspace_store.h"

namespace ty::control {

namespace asio = boost::asio;

asio::awaitable<Result<std::vector<OwnWorkspace>>> WorkspaceService::mine(auth::Principal who) {
  TY_CO_TRY(std::vector<model::Membership> memberships,
            co_await p_.workspaces.memberships(who.user));
  std::vector<OwnWorkspace> own;
  own.reserve(memberships.size());
  for (model::Membership& one : memberships)
    own.push_back({.name = std::move(one.workspace_name), .role = one.role});
  co_return own;
}

asio::awaitable<Result<WorkspaceView>> WorkspaceService::create(auth::Principal who,
                                                                std::string name,
                                                                std::string description) {
  TY_CO_DO(auth::may(who, auth::Action::ManageWorkspaces, {}));
  TY_CO_DO(check_workspace_name(name));
  model::Workspace wanted{
      .name = std::move(name), .description = std::move(description), .created_at = p_.clock.now()};
  TY_CO_TRY(model::Workspace made, co_await p_.workspaces.create(std::move(wanted)));
  TY_CO_DO(co_await p_.workspaces.set_member(who.user, made.id, model::WorkspaceRole::Manager));
  p_.authenticator.forget();
  co_return WorkspaceView{.name = std::move(made.name),
                          .description = std::move(made.description),
                          .created_at = made.created_at};
}

asio::awaitable<Result<void>> WorkspaceService::remove(auth::Principal who, std::string name) {
  TY_CO_DO(auth::may(who, auth::Action::ManageWorkspaces, {}));
  if (name == "default") co_return fail(Errc::Conflict, say::default_workspace_stays());
  TY_CO_TRY(const model::Workspace there, co_await p_.workspaces.find_by_name(std::move(name)));
  TY_CO_DO(co_await p_.workspaces.remove(there.id));
  p_.authenticator.forget();
  co_return Result<void>{};
}

asio::awaitable<Result<void>> WorkspaceService::set_member(
    auth::Principal who,
    std::string workspace,
    std::string name,
    std::optional<model::WorkspaceRole> role) {
  const Result<model::Workspace> found = co_await p_.workspaces.find_by_name(workspace);
  if (!found && found.error().code != Errc::NotFound) co_return std::unexpected(found.error());
  // A workspace one does not belong to does not exist for one.
  if (!found || auth::standing(who, {.workspace = found->id}) < auth::Standing::Viewer)
    co_return fail(Errc::NotFound, say::no_workspace_for_you({.name = shorten(workspace)}));
  const model::Workspace& place = *found;
  TY_CO_DO(auth::may(who, auth::Action::ManageMembers, {.workspace = place.id}));
  TY_CO_TRY(const model::User user, co_await p_.users.find_by_name(std::move(name)));
  Result<void> done = role ? co_await p_.workspaces.set_member(user.id, place.id, *role)
                           : co_await p_.workspaces.remove_member(user.id, place.id);
  p_.authenticator.forget();
  co_return done;
}

}  // namespace ty::control
