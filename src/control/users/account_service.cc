#include "control/users/account_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "auth/password.h"
#include "auth/permission.h"
#include "base/text.h"
#include "control/data_dir.h"
#include "rt/log.h"

namespace ty::control {

namespace asio = boost::asio;

namespace {

/// A revoked token, a new role or a disabled account takes effect within so long everywhere.
constexpr Millis kCacheLife{3000};
constexpr std::size_t kCacheSize = 10'000;

constexpr std::string_view kWhereToGetOne = "sign in on the page, or run `trainyard login`";

std::string first_line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

Result<void> check_name(std::string_view name, std::string_view what) {
  const bool good = !name.empty() && name.size() <= 64 &&
                    std::isalnum(static_cast<unsigned char>(name.front())) &&
                    std::ranges::all_of(name, [](unsigned char c) {
                      return std::isalnum(c) || c == '_' || c == '.' || c == '-';
                    });
  if (good) return {};
  return fail(
      Errc::Invalid,
      fmt::format("\"{}\" is no {} name", shorten(name), what),
      {{"/name",
        "use 1 to 64 letters, digits, \"-\", \"_\", \".\", beginning with a letter or digit",
        "pattern"}});
}

}  // namespace

AccountService::AccountService(Parts parts) : p_(parts), limiter_(parts.clock) {}

// Who is asking
// ---------------------------------------------------------------------------------------

asio::awaitable<Result<auth::Principal>> AccountService::authenticate(Secret token) {
  const std::optional<auth::TokenKind> kind = auth::token_kind(token.reveal());
  if (!kind || *kind == auth::TokenKind::SignIn) {
    co_return fail(Errc::Unauthenticated,
                   fmt::format("this is not a token of ours; {}", kWhereToGetOne));
  }
  std::string hash = auth::token_hash(token.reveal());
  const Time now = p_.clock.now();
  {
    const std::lock_guard lock(cache_mutex_);
    if (const auto at = cache_.find(hash); at != cache_.end() && at->second.until > now)
      co_return at->second.who;
  }
  Result<auth::Principal> who =
      *kind == auth::TokenKind::Personal ? co_await by_token(hash) : co_await by_session(hash);
  if (!who) co_return who;
  const std::lock_guard lock(cache_mutex_);
  if (cache_.size() >= kCacheSize) cache_.clear();
  cache_.insert_or_assign(std::move(hash), Cached{.who = *who, .until = now + kCacheLife});
  co_return who;
}

asio::awaitable<Result<auth::Principal>> AccountService::by_token(std::string hash) {
  Result<model::Token> token = co_await p_.tokens.find_by_hash(std::move(hash));
  if (!token) {
    if (token.error().code != Errc::NotFound) co_return std::unexpected(std::move(token).error());
    co_return fail(Errc::Unauthenticated,
                   fmt::format("this token was revoked or never was; {}", kWhereToGetOne));
  }
  const Time now = p_.clock.now();
  TY_CO_DO(auth::check_alive(auth::TokenKind::Personal,
                             {.created_at = token->created_at, .expires_at = token->expires_at},
                             now));
  TY_CO_TRY(const auth::Scopes scopes, auth::parse_scopes(token->scopes));
  (void)co_await p_.tokens.touch(token->id, now);  // nice to know, not worth refusing anybody
  co_return co_await principal_of(token->user, scopes, token->id);
}

asio::awaitable<Result<auth::Principal>> AccountService::by_session(std::string hash) {
  Result<model::Session> session = co_await p_.sessions.find_by_hash(hash);
  if (!session) {
    if (session.error().code != Errc::NotFound)
      co_return std::unexpected(std::move(session).error());
    co_return fail(Errc::Unauthenticated, fmt::format("you are signed out; {}", kWhereToGetOne));
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

asio::awaitable<Result<auth::Principal>> AccountService::principal_of(UserId id,
                                                                      auth::Scopes scopes,
                                                                      TokenId token) {
  TY_CO_TRY(const model::User user, co_await p_.users.find(id));
  if (user.disabled) {
    co_return fail(Errc::Unauthenticated,
                   fmt::format("the account {} is disabled; ask an administrator", user.name));
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

void AccountService::forget_cached() {
  const std::lock_guard lock(cache_mutex_);
  cache_.clear();
}

// Signing in
// ---------------------------------------------------------------------------------------------

asio::awaitable<Result<SignedIn>> AccountService::sign_in(std::string name,
                                                          Secret password,
                                                          std::string address,
                                                          std::string client) {
  TY_CO_DO(limiter_.admit(name, address));
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
    log::info("signin.refused address={}", address);
    co_return fail(Errc::Unauthenticated, "user name or password is wrong");
  }
  limiter_.succeeded(name, address);
  if (user->disabled) {
    co_return fail(Errc::Forbidden,
                   fmt::format("the account {} is disabled; ask an administrator", user->name));
  }
  if (auth::needs_rehash(hash)) {
    auto rehash = [&] { return auth::hash_password(password); };
    if (auto fresh = co_await p_.pool.run(std::move(rehash))) {
      user->password_hash = Secret(*fresh);
      (void)co_await p_.users.update(*user);
    }
  }
  co_return co_await begin_session(*std::move(user), std::move(client));
}

asio::awaitable<Result<SignedIn>> AccountService::use_link(Secret link,
                                                           std::string address,
                                                           std::string client) {
  TY_CO_DO(limiter_.admit("link", address));
  const auto stale = [] {
    return fail(
        Errc::Unauthenticated,
        "this sign-in link was used already or is too old; an administrator can make a new one "
        "(`trainyard user link NAME`), and so does restarting the server for the first "
        "administrator");
  };
  if (auth::token_kind(link.reveal()) != auth::TokenKind::SignIn) co_return stale();
  Result<UserId> id =
      co_await p_.sessions.use_link(auth::token_hash(link.reveal()), p_.clock.now());
  if (!id && id.error().code == Errc::NotFound) co_return stale();
  if (!id) co_return std::unexpected(std::move(id).error());
  limiter_.succeeded("link", address);
  TY_CO_TRY(model::User user, co_await p_.users.find(*id));
  if (user.disabled)
    co_return fail(Errc::Forbidden, fmt::format("the account {} is disabled", user.name));
  co_return co_await begin_session(std::move(user), std::move(client));
}

asio::awaitable<Result<SignedIn>> AccountService::begin_session(model::User user,
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
  co_return SignedIn{.user = std::move(user), .token = fresh.text, .expires_at = expires};
}

asio::awaitable<Result<void>> AccountService::sign_out(auth::Principal, Secret token) {
  Result<void> removed = co_await p_.sessions.remove(auth::token_hash(token.reveal()));
  forget_cached();
  co_return removed;
}

asio::awaitable<Result<void>> AccountService::change_password(auth::Principal who,
                                                              Secret old_password,
                                                              Secret new_password,
                                                              Secret keep_session) {
  TY_CO_DO(auth::may(who, auth::Action::ChangeAccount, {.owner = who.user}));
  TY_CO_TRY(model::User user, co_await p_.users.find(who.user));
  if (!user.password_hash.empty()) {
    TY_CO_DO(limiter_.admit(user.name, "password"));
    auto verify = [&] { return auth::verify_password(user.password_hash.reveal(), old_password); };
    if (!co_await p_.pool.run(std::move(verify))) {
      co_return fail(Errc::Forbidden,
                     "the present password is wrong",
                     {{"/old_password", "does not match", "password"}});
    }
    limiter_.succeeded(user.name, "password");
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
  forget_cached();
  co_return Result<void>{};
}

asio::awaitable<Result<model::User>> AccountService::me(auth::Principal who) {
  return p_.users.find(who.user);
}

asio::awaitable<Result<std::vector<model::Membership>>> AccountService::my_workspaces(
    auth::Principal who) {
  return p_.workspaces.memberships(who.user);
}

// Tokens
// ------------------------------------------------------------------------------------------------------

asio::awaitable<Result<std::vector<model::Token>>> AccountService::tokens(auth::Principal who) {
  TY_CO_DO(auth::may(who, auth::Action::ManageTokens, {.owner = who.user}));
  co_return co_await p_.tokens.list(who.user);
}

asio::awaitable<Result<NewToken>> AccountService::create_token(auth::Principal who,
                                                               std::string name,
                                                               std::vector<std::string> words,
                                                               std::optional<Seconds> life) {
  TY_CO_DO(auth::may(who, auth::Action::ManageTokens, {.owner = who.user}));
  if (trim(name).empty() || name.size() > 100) {
    co_return fail(Errc::Invalid,
                   "a token needs a name",
                   {{"/name", "write 1 to 100 characters, what it is for", "range"}});
  }
  if (life && (*life < 1s || *life > auth::kMaxTokenLife)) {
    co_return fail(Errc::Invalid,
                   "a token lives between 1s and 3650d",
                   {{"/expires_in", "write for example 90d", "range"}});
  }
  TY_CO_TRY(const auth::Scopes scopes, auth::parse_scopes(words));
  if (!who.scopes.covers(scopes)) {
    co_return fail(Errc::Forbidden,
                   fmt::format("your own token has the scopes {}; it cannot make one with more",
                               who.scopes.str()));
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
  co_return NewToken{.token = std::move(stored), .text = fresh.text};
}

asio::awaitable<Result<void>> AccountService::remove_token(auth::Principal who, TokenId token) {
  TY_CO_DO(auth::may(who, auth::Action::ManageTokens, {.owner = who.user}));
  Result<void> removed = co_await p_.tokens.remove(who.user, token);
  forget_cached();
  co_return removed;
}

// Administrators
// ------------------------------------------------------------------------------------------------

asio::awaitable<Result<std::vector<model::User>>> AccountService::users(auth::Principal who) {
  TY_CO_DO(auth::may(who, auth::Action::ShowUsers, {}));
  co_return co_await p_.users.list();
}

asio::awaitable<Result<std::pair<model::User, Secret>>> AccountService::create_user(
    auth::Principal who, NewUser wanted) {
  TY_CO_DO(auth::may(who, auth::Action::ManageUsers, {}));
  TY_CO_DO(check_name(wanted.name, "user"));
  model::User user{.name = wanted.name,
                   .display_name = wanted.display_name,
                   .email = wanted.email,
                   .administrator = wanted.administrator,
                   .created_at = p_.clock.now()};
  TY_CO_TRY(model::User made, co_await p_.users.create(std::move(user)));
  TY_CO_TRY(const model::Workspace home, co_await p_.workspaces.find_by_name("default"));
  TY_CO_DO(co_await p_.workspaces.set_member(made.id, home.id, model::WorkspaceRole::Member));
  TY_CO_TRY(Secret link, co_await make_link(made.id));
  co_return std::pair{std::move(made), std::move(link)};
}

asio::awaitable<Result<void>> AccountService::set_disabled(auth::Principal who,
                                                           std::string name,
                                                           bool disabled) {
  TY_CO_DO(auth::may(who, auth::Action::ManageUsers, {}));
  TY_CO_TRY(model::User user, co_await p_.users.find_by_name(std::move(name)));
  if (user.id == who.user && disabled) {
    co_return fail(Errc::Conflict,
                   "you cannot disable your own account; another administrator can");
  }
  user.disabled = disabled;
  TY_CO_DO(co_await p_.users.update(user));
  if (disabled) TY_CO_DO(co_await p_.sessions.remove_all(user.id));
  forget_cached();
  co_return Result<void>{};
}

asio::awaitable<Result<model::Workspace>> AccountService::create_workspace(
    auth::Principal who, std::string name, std::string description) {
  TY_CO_DO(auth::may(who, auth::Action::ManageWorkspaces, {}));
  TY_CO_DO(check_name(name, "workspace"));
  model::Workspace wanted{
      .name = std::move(name), .description = std::move(description), .created_at = p_.clock.now()};
  TY_CO_TRY(model::Workspace made, co_await p_.workspaces.create(std::move(wanted)));
  TY_CO_DO(co_await p_.workspaces.set_member(who.user, made.id, model::WorkspaceRole::Manager));
  forget_cached();
  co_return made;
}

asio::awaitable<Result<void>> AccountService::delete_workspace(auth::Principal who,
                                                               std::string name) {
  TY_CO_DO(auth::may(who, auth::Action::ManageWorkspaces, {}));
  if (name == "default") co_return fail(Errc::Conflict, "the workspace default always stays");
  TY_CO_TRY(const model::Workspace there, co_await p_.workspaces.find_by_name(std::move(name)));
  TY_CO_DO(co_await p_.workspaces.remove(there.id));
  forget_cached();
  co_return Result<void>{};
}

asio::awaitable<Result<void>> AccountService::set_member(auth::Principal who,
                                                         std::string workspace,
                                                         std::string name,
                                                         std::optional<model::WorkspaceRole> role) {
  TY_CO_TRY(const model::Workspace place,
            co_await p_.workspaces.find_by_name(std::move(workspace)));
  TY_CO_DO(auth::may(who, auth::Action::ManageMembers, {.workspace = place.id}));
  TY_CO_TRY(const model::User user, co_await p_.users.find_by_name(std::move(name)));
  Result<void> done = role ? co_await p_.workspaces.set_member(user.id, place.id, *role)
                           : co_await p_.workspaces.remove_member(user.id, place.id);
  forget_cached();
  co_return done;
}

asio::awaitable<Result<Secret>> AccountService::reset_link(auth::Principal who, std::string name) {
  TY_CO_DO(auth::may(who, auth::Action::ManageUsers, {}));
  TY_CO_TRY(const model::User user, co_await p_.users.find_by_name(std::move(name)));
  co_return co_await make_link(user.id);
}

asio::awaitable<Result<Secret>> AccountService::make_link(UserId user) {
  const auth::FreshToken fresh = auth::make_token(auth::TokenKind::SignIn);
  const Time now = p_.clock.now();
  model::SignInLink link{.hash = fresh.hash,
                         .user = user,
                         .created_at = now,
                         .expires_at = now + p_.config.auth.sign_in_link};
  TY_CO_DO(co_await p_.sessions.create_link(std::move(link)));
  co_return fresh.text;
}

// The first start
// --------------------------------------------------------------------------------------------------

asio::awaitable<Result<std::optional<Secret>>> AccountService::bootstrap(
    std::string admin_token_file) {
  TY_CO_TRY(const std::vector<model::User> all, co_await p_.users.list());
  const auto first = std::ranges::find_if(all, &model::User::administrator);
  model::User admin;
  if (first != all.end()) {
    admin = *first;
  } else {
    model::User user{.name = "admin",
                     .display_name = "Administrator",
                     .administrator = true,
                     .created_at = p_.clock.now()};
    TY_CO_TRY(admin, co_await p_.users.create(std::move(user)));
    TY_CO_TRY(const model::Workspace home, co_await p_.workspaces.find_by_name("default"));
    TY_CO_DO(co_await p_.workspaces.set_member(admin.id, home.id, model::WorkspaceRole::Manager));
  }
  const Secret kept(first_line_of(admin_token_file));
  const bool valid = !kept.empty() && (co_await authenticate(kept)).has_value();
  if (!valid) TY_CO_DO(co_await write_admin_token(admin.id, std::move(admin_token_file)));
  if (!admin.password_hash.empty()) co_return std::optional<Secret>{};
  TY_CO_TRY(Secret link, co_await make_link(admin.id));
  co_return std::optional<Secret>(std::move(link));
}

asio::awaitable<Result<void>> AccountService::write_admin_token(UserId user, std::string file) {
  // The file before the row: a token in a file that nobody honours is replaced at the next start,
  // an honoured one that nobody has would stay for ever.
  const auth::FreshToken fresh = auth::make_token(auth::TokenKind::Personal);
  TY_CO_DO(replace_file(file, fresh.text.reveal() + "\n", 0600));
  const Time now = p_.clock.now();
  model::Token token{.user = user,
                     .name = fmt::format("admin.token of {}", to_rfc3339(now)),
                     .hash = fresh.hash,
                     .scopes = {"admin"},
                     .created_at = now};
  Result<model::Token> stored = co_await p_.tokens.create(std::move(token));
  if (!stored) co_return std::unexpected(std::move(stored).error());
  co_return Result<void>{};
}

}  // namespace ty::control
