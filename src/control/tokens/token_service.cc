#include "control/tokens/token_service.h"

#include "auth/permission.h"
#include "auth/token.h"
#include "base/text.h"
#include "control/messages.h"
#include "control/sessions/authenticator.h"
#include "store/token_store.h"

namespace ty::control {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kLongestTokenName = 100;
constexpr Seconds kShortestLife = 1s;

TokenView view_of(model::Token token) {
  return {.id = token.id,
          .name = std::move(token.name),
          .scopes = std::move(token.scopes),
          .created_at = token.created_at,
          .expires_at = token.expires_at,
          .last_used_at = token.last_used_at};
}

}  // namespace

asio::awaitable<Result<std::vector<TokenView>>> TokenService::list(auth::Principal who) {
  TY_CO_DO(auth::may(who, auth::Action::ManageTokens, {.owner = who.user}));
  TY_CO_TRY(std::vector<model::Token> tokens, co_await p_.tokens.list(who.user));
  std::vector<TokenView> views;
  views.reserve(tokens.size());
  for (model::Token& token : tokens) views.push_back(view_of(std::move(token)));
  co_return views;
}

asio::awaitable<Result<NewToken>> TokenService::create(auth::Principal who,
                                                       std::string name,
                                                       std::vector<std::string> words,
                                                       std::optional<Seconds> life) {
  TY_CO_DO(auth::may(who, auth::Action::ManageTokens, {.owner = who.user}));
  if (trim(name).empty() || name.size() > kLongestTokenName) {
    co_return fail(Errc::Invalid,
                   say::token_without_name(),
                   {{"/name", say::token_name_rule({.most = kLongestTokenName}), "range"}});
  }
  if (life && (*life < kShortestLife || *life > auth::kMaxTokenLife)) {
    co_return fail(Errc::Invalid,
                   say::token_life_range({.least = kShortestLife, .most = auth::kMaxTokenLife}),
                   {{"/expires_in", say::for_example({.example = "90d"}), "range"}});
  }
  TY_CO_TRY(const auth::Scopes scopes, auth::parse_scopes(words));
  if (!who.scopes.covers(scopes)) {
    co_return fail(Errc::Forbidden,
                   say::token_scopes_exceeded({.scopes = split(who.scopes.str(), ' ')}));
  }
  const auth::FreshToken fresh = auth::make_token(auth::TokenKind::Personal);
  const Time now = p_.clock.now();
  model::Token token{.user = who.user,
                     .name = std::move(name),
                     .hash = fresh.hash,
                     .scopes = split(scopes.str(), ' '),
                     .created_at = now};
  if (life) token.expires_at = now + *life;
  TY_CO_TRY(model::Token stored, co_await p_.tokens.create(std::move(token)));
  co_return NewToken{.token = view_of(std::move(stored)), .text = fresh.text};
}

asio::awaitable<Result<void>> TokenService::remove(auth::Principal who, TokenId token) {
  TY_CO_DO(auth::may(who, auth::Action::ManageTokens, {.owner = who.user}));
  Result<void> removed = co_await p_.tokens.remove(who.user, token);
  p_.authenticator.forget();
  co_return removed;
}

}  // namespace ty::control
