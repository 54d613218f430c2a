#include "control/sessions/session_service.h"

#include <fmt/format.h>

#include "auth/password.h"
#include "auth/permission.h"
#include "auth/token.h"
#include "base/text.h"
#include "config/config.h"
#include "control/messages.h"
#include "control/secret_box.h"
#include "control/sessions/authenticator.h"
#include "rt/blocking_pool.h"
#include "rt/log.h"
#include "store/token_store.h"
#include "store/user_store.h"

namespace ty::control {

namespace asio = boost::asio;

namespace {

constexpr std::string_view kDevice = "device of ";
constexpr std::size_t kLongestDevice = 1000;

}  // namespace

asio::awaitable<Result<SignedIn>> SessionService::sign_in(std::string name,
                                                          Secret password,
                                                          SignInFrom from) {
  const auth::SignInOrigin origin{.address = from.address, .device = known_device(name, from)};
  TY_CO_DO(limiter_.admit(name, origin));
  Result<model::User> user = co_await p_.users.find_by_name(name);
  if (!user && user.error().code != Errc::NotFound)
    co_return std::unexpected(std::move(user).error());
  const std::string hash = user ? user->password_hash.reveal() : std::string();
  auto verify = [&] {
    if (!hash.empty()) return auth::verify_password(hash, password);
    auth::verify_against_nobody(password);
    return false;
  };
  if (!co_await p_.pool.run(std::move(verify))) {
    log::info("signin.refused address={}", from.address);
    co_return fail(Errc::Unauthenticated, say::wrong_password());
  }
  limiter_.succeeded(name, origin);
  if (user->disabled) {
    co_return fail(Errc::Forbidden, say::account_disabled({.name = user->name}));
  }
  if (auth::needs_rehash(hash)) {
    auto rehash = [&] { return auth::hash_password(password); };
    if (auto fresh = co_await p_.pool.run(std::move(rehash))) {
      user->password_hash = Secret(*fresh);
      (void)co_await p_.users.update(*user);
    }
  }
  co_return co_await begin_session(*std::move(user), std::move(from.client));
}

asio::awaitable<Result<SignedIn>> SessionService::use_link(Secret link, SignInFrom from) {
  const auto stale = [] { return fail(Errc::Unauthenticated, say::sign_in_link_stale()); };
  if (auth::token_kind(link.reveal()) != auth::TokenKind::SignIn) co_return stale();
  Result<UserId> id =
      co_await p_.sessions.use_link(auth::token_hash(link.reveal()), p_.clock.now());
  if (!id && id.error().code == Errc::NotFound) co_return stale();
  if (!id) co_return std::unexpected(std::move(id).error());
  TY_CO_TRY(model::User user, co_await p_.users.find(*id));
  if (user.disabled) co_return fail(Errc::Forbidden, say::account_disabled({.name = user.name}));
  co_return co_await begin_session(std::move(user), std::move(from.client));
}

// Sealed rather than stored: it opens nothing, it only says that the account's password was known
// there once, and which of its devices that was.
Secret SessionService::new_device(const std::string& name) const {
  const auto sealed =
      p_.secrets.seal(Secret(fmt::format("{}{} {}", kDevice, to_lower(name), random_hex(8))));
  return sealed ? Secret(*sealed) : Secret();
}

std::string SessionService::known_device(const std::string& name, const SignInFrom& from) const {
  if (from.device.empty() || from.device.reveal().size() > kLongestDevice) return {};
  const auto opened = p_.secrets.open(model::SecretRef{.sealed = from.device.reveal()});
  if (!opened || !opened->reveal().starts_with(fmt::format("{}{} ", kDevice, to_lower(name))))
    return {};
  return opened->reveal();
}

asio::awaitable<Result<SignedIn>> SessionService::begin_session(model::User user,
                                                                std::string client) {
  const auth::FreshToken fresh = auth::make_token(auth::TokenKind::Session);
  const Time now = p_.clock.now();
  model::Session session{.hash = fresh.hash,
                         .user = user.id,
                         .client = shorten(client, 200),
                         .created_at = now,
                         .expires_at = now + p_.config.auth.session};
  const Time expires = session.expires_at;
  TY_CO_DO(co_await p_.sessions.create(std::move(session)));
  (void)co_await p_.users.touch(user.id, now);
  co_return SignedIn{.user = user.name,
                     .has_password = !user.password_hash.empty(),
                     .token = fresh.text,
                     .expires_at = expires,
                     .device = new_device(user.name)};
}

asio::awaitable<Result<void>> SessionService::sign_out(Secret token) {
  Result<void> removed = co_await p_.sessions.remove(auth::token_hash(token.reveal()));
  p_.authenticator.forget();
  co_return removed;
}

asio::awaitable<Result<void>> SessionService::change_password(auth::Principal who,
                                                              Secret old_password,
                                                              Secret new_password,
                                                              Secret keep_session) {
  TY_CO_DO(auth::may(who, auth::Action::ChangeAccount, {.owner = who.user}));
  TY_CO_TRY(model::User user, co_await p_.users.find(who.user));
  if (!user.password_hash.empty()) {
    // Who is signed in has tries of their own.
    const auth::SignInOrigin signed_in{.device = "signed in"};
    TY_CO_DO(limiter_.admit(user.name, signed_in));
    auto verify = [&] { return auth::verify_password(user.password_hash.reveal(), old_password); };
    if (!co_await p_.pool.run(std::move(verify))) {
      co_return fail(Errc::Forbidden,
                     say::old_password_wrong(),
                     {{"/old_password", say::does_not_match(), "password"}});
    }
    limiter_.succeeded(user.name, signed_in);
  }
  TY_CO_DO(auth::check_password_rules(new_password, user.name));
  auto hash = [&] { return auth::hash_password(new_password); };
  TY_CO_TRY(std::string hashed, co_await p_.pool.run(std::move(hash)));
  user.password_hash = Secret(std::move(hashed));
  TY_CO_DO(co_await p_.users.update(user));

  // Whoever else was signed in with the old password is not any more.
  Result<model::Session> kept =
      co_await p_.sessions.find_by_hash(auth::token_hash(keep_session.reveal()));
  TY_CO_DO(co_await p_.sessions.remove_all(who.user));
  if (kept && kept->user == who.user) TY_CO_DO(co_await p_.sessions.create(*kept));
  p_.authenticator.forget();
  co_return Result<void>{};
}

asio::awaitable<Result<Secret>> SessionService::make_link(UserId user) {
  const auth::FreshToken fresh = auth::make_token(auth::TokenKind::SignIn);
  const Time now = p_.clock.now();
  model::SignInLink link{.hash = fresh.hash,
                         .user = user,
                         .created_at = now,
                         .expires_at = now + p_.config.auth.sign_in_link};
  TY_CO_DO(co_await p_.sessions.create_link(std::move(link)));
  co_return fresh.text;
}

}  // namespace ty::control
