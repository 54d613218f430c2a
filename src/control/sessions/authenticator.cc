#include "control/sessions/authenticator.h"

#include "control/messages.h"
#include "store/token_store.h"
#include "store/user_store.h"
#include "store/workspace_store.h"

namespace ty::control {

namespace asio = boost::asio;

namespace {

/// A revoked token, a new role or a disabled account takes effect within so long everywhere.
constexpr Millis kCacheLife{3000};
constexpr std::size_t kCacheSize = 10'000;

}  // namespace

asio::awaitable<Result<auth::Principal>> Authenticator::authenticate(Secret token) {
  const std::optional<auth::TokenKind> kind = auth::token_kind(token.reveal());
  if (!kind || *kind == auth::TokenKind::SignIn) {
    co_return fail(Errc::Unauthenticated, say::not_our_token());
  }
  std::string hash = auth::token_hash(token.reveal());
  const Time now = p_.clock.now();
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = cache_.find(hash); at != cache_.end() && at->second.until > now)
      co_return at->second.who;
  }
  Result<auth::Principal> who =
      *kind == auth::TokenKind::Personal ? co_await by_token(hash) : co_await by_session(hash);
  if (!who) co_return who;
  const std::lock_guard lock(mutex_);
  if (cache_.size() >= kCacheSize) cache_.clear();
  cache_.insert_or_assign(std::move(hash), Cached{.who = *who, .until = now + kCacheLife});
  co_return who;
}

asio::awaitable<Result<auth::Principal>> Authenticator::by_token(std::string hash) {
  Result<model::Token> token = co_await p_.tokens.find_by_hash(std::move(hash));
  if (!token) {
    if (token.error().code != Errc::NotFound) co_return std::unexpected(std::move(token).error());
    co_return fail(Errc::Unauthenticated, say::token_gone());
  }
  const Time now = p_.clock.now();
  TY_CO_DO(auth::check_alive(auth::TokenKind::Personal,
                             {.created_at = token->created_at, .expires_at = token->expires_at},
                             now));
  TY_CO_TRY(const auth::Scopes scopes, auth::parse_scopes(token->scopes));
  (void)co_await p_.tokens.touch(token->id, now);  // nice to know, not worth refusing anybody
  co_return co_await principal_of(token->user, scopes, token->id);
}

asio::awaitable<Result<auth::Principal>> Authenticator::by_session(std::string hash) {
  Result<model::Session> session = co_await p_.sessions.find_by_hash(hash);
  if (!session) {
    if (session.error().code != Errc::NotFound)
      co_return std::unexpected(std::move(session).error());
    co_return fail(Errc::Unauthenticated, say::you_are_signed_out());
  }
  const Time now = p_.clock.now();
  TY_CO_DO(auth::check_alive(auth::TokenKind::Session,
                             {.created_at = session->created_at, .expires_at = session->expires_at},
                             now));
  if (const auto later = auth::extended_session(session->expires_at, now)) {
    (void)co_await p_.sessions.touch(hash, now, *later);
  }
  co_return co_await principal_of(session->user, auth::Scopes::all(), {});
}

asio::awaitable<Result<auth::Principal>> Authenticator::principal_of(UserId id,
                                                                     auth::Scopes scopes,
                                                                     TokenId token) {
  TY_CO_TRY(const model::User user, co_await p_.users.find(id));
  if (user.disabled) {
    co_return fail(Errc::Unauthenticated, say::account_disabled({.name = user.name}));
  }
  TY_CO_TRY(const std::vector<model::Membership> memberships,
            co_await p_.workspaces.memberships(id));
  auth::Principal who{.user = id,
                      .name = user.name,
                      .administrator = user.administrator,
                      .scopes = scopes,
                      .token = token};
  for (const model::Membership& membership : memberships) {
    who.workspaces.push_back({.workspace = membership.workspace,
                              .name = membership.workspace_name,
                              .role = membership.role});
  }
  co_return who;
}

void Authenticator::forget() {
  const std::lock_guard lock(mutex_);
  cache_.clear();
}

}  // namespace ty::control
