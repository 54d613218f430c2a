#include "control/users/first_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "auth/token.h"
#include "control/data_dir.h"
#include "control/sessions/authenticator.h"
#include "control/sessions/session_service.h"
#include "store/token_store.h"
#include "store/user_store.h"
#include "store/workspace_store.h"

namespace ty::control {

namespace asio = boost::asio;

namespace {

std::string first_line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

asio::awaitable<Result<void>> write_admin_token(FirstStartParts p, UserId user, std::string file) {
  // The file before the row: a token in a file that nobody honours is replaced at the next start,
  // an honoured one that nobody has would stay for ever.
  const auth::FreshToken fresh = auth::make_token(auth::TokenKind::Personal);
  TY_CO_DO(replace_file(file, fresh.text.reveal() + "\n", 0600));
  const Time now = p.clock.now();
  model::Token token{.user = user,
                     .name = fmt::format("admin.token of {}", to_rfc3339(now)),
                     .hash = fresh.hash,
                     .scopes = {"admin"},
                     .created_at = now};
  Result<model::Token> stored = co_await p.tokens.create(std::move(token));
  if (!stored) co_return std::unexpected(std::move(stored).error());
  co_return Result<void>{};
}

}  // namespace

asio::awaitable<Result<std::optional<Secret>>> ensure_administrator(FirstStartParts p,
                                                                    std::string admin_token_file) {
  TY_CO_TRY(const std::vector<model::User> all, co_await p.users.list());
  const auto first = std::ranges::find_if(all, &model::User::administrator);
  model::User admin;
  if (first != all.end()) {
    admin = *first;
  } else {
    model::User user{.name = "admin",
                     .display_name = "Administrator",
                     .administrator = true,
                     .created_at = p.clock.now()};
    TY_CO_TRY(admin, co_await p.users.create(std::move(user)));
    TY_CO_TRY(const model::Workspace home, co_await p.workspaces.find_by_name("default"));
    TY_CO_DO(co_await p.workspaces.set_member(admin.id, home.id, model::WorkspaceRole::Manager));
  }
  const Secret kept(first_line_of(admin_token_file));
  const bool valid = !kept.empty() && (co_await p.authenticator.authenticate(kept)).has_value();
  if (!valid) TY_CO_DO(co_await write_admin_token(p, admin.id, std::move(admin_token_file)));
  if (!admin.password_hash.empty()) co_return std::optional<Secret>{};
  TY_CO_TRY(Secret link, co_await p.sessions.make_link(admin.id));
  co_return std::optional<Secret>(std::move(link));
}

}  // namespace ty::control
