#include "control/users/user_service.h"

#include "auth/permission.h"
#include "control/account_name.h"
#include "control/messages.h"
#include "control/sessions/authenticator.h"
#include "control/sessions/session_service.h"
#include "store/token_store.h"
#include "store/user_store.h"
#include "store/workspace_store.h"

namespace ty::control {

namespace asio = boost::asio;

namespace {

UserView view_of(model::User user) {
  return {.name = std::move(user.name),
          .display_name = std::move(user.display_name),
          .email = std::move(user.email),
          .administrator = user.administrator,
          .disabled = user.disabled,
          .has_password = !user.password_hash.empty(),
          .created_at = user.created_at,
          .last_seen_at = user.last_seen_at};
}

}  // namespace

asio::awaitable<Result<UserView>> UserService::me(auth::Principal who) {
  TY_CO_TRY(model::User user, co_await p_.users.find(who.user));
  co_return view_of(std::move(user));
}

asio::awaitable<Result<std::vector<UserView>>> UserService::list(auth::Principal who) {
  TY_CO_DO(auth::may(who, auth::Action::ShowUsers, {}));
  TY_CO_TRY(std::vector<model::User> users, co_await p_.users.list());
  std::vector<UserView> views;
  views.reserve(users.size());
  for (model::User& user : users) views.push_back(view_of(std::move(user)));
  co_return views;
}

asio::awaitable<Result<CreatedUser>> UserService::create(auth::Principal who, NewUser wanted) {
  TY_CO_DO(auth::may(who, auth::Action::ManageUsers, {}));
  TY_CO_DO(check_user_name(wanted.name));
  model::User user{.name = wanted.name,
                   .display_name = wanted.display_name,
                   .email = wanted.email,
                   .administrator = wanted.administrator,
                   .created_at = p_.clock.now()};
  TY_CO_TRY(model::User made, co_await p_.users.create(std::move(user)));
  TY_CO_TRY(const model::Workspace home, co_await p_.workspaces.find_by_name("default"));
  TY_CO_DO(co_await p_.workspaces.set_member(made.id, home.id, model::WorkspaceRole::Member));
  TY_CO_TRY(Secret link, co_await p_.sessions.make_link(made.id));
  co_return CreatedUser{.user = view_of(std::move(made)), .link = std::move(link)};
}

asio::awaitable<Result<void>> UserService::set_disabled(auth::Principal who,
                                                        std::string name,
                                                        bool disabled) {
  TY_CO_DO(auth::may(who, auth::Action::ManageUsers, {}));
  TY_CO_TRY(model::User user, co_await p_.users.find_by_name(std::move(name)));
  if (user.id == who.user && disabled) {
    co_return fail(Errc::Conflict, say::own_account_stays());
  }
  user.disabled = disabled;
  TY_CO_DO(co_await p_.users.update(user));
  if (disabled) TY_CO_DO(co_await p_.session_rows.remove_all(user.id));
  p_.authenticator.forget();
  co_return Result<void>{};
}

asio::awaitable<Result<Secret>> UserService::make_link(auth::Principal who, std::string name) {
  TY_CO_DO(auth::may(who, auth::Action::ManageUsers, {}));
  TY_CO_TRY(const model::User user, co_await p_.users.find_by_name(std::move(name)));
  co_return co_await p_.sessions.make_link(user.id);
}

}  // namespace ty::control
