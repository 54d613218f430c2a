#pragma once
#include <boost/asio/awaitable.hpp>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "auth/principal.h"
#include "auth/rate_limit.h"
#include "auth/token.h"
#include "base/secret.h"
#include "config/config.h"
#include "model/user.h"
#include "rt/blocking_pool.h"
#include "store/token_store.h"
#include "store/user_store.h"
#include "store/workspace_store.h"

namespace ty::control {

/// A session just begun: `token` goes into the browser's cookie or to the CLI.
struct SignedIn {
  model::User user;
  Secret token;
  Time expires_at{};
};

struct NewToken {
  model::Token token;
  Secret text;  ///< shown once
};

/// People and how they prove who they are. Every function checks that `who` may. Any thread.
class AccountService {
 public:
  struct Parts {
    store::UserStore& users;
    store::TokenStore& tokens;
    store::SessionStore& sessions;
    store::WorkspaceStore& workspaces;
    rt::BlockingPool& pool;
    const Clock& clock;
    const config::Config& config;
  };
  explicit AccountService(Parts parts);

  /// At every start: makes the administrator `admin` when there is no user yet. With a data
  /// directory whose `admin.token` is gone or no longer valid a new one is written there. Answers
  /// the text of a one-time sign-in token while the administrator has no password, else nothing.
  boost::asio::awaitable<Result<std::optional<Secret>>> bootstrap(std::string admin_token_file);

  /// Who holds this token or session. Unauthenticated says what is wrong with it and how to get a
  /// new one.
  boost::asio::awaitable<Result<auth::Principal>> authenticate(Secret token);

  boost::asio::awaitable<Result<SignedIn>> sign_in(std::string user,
                                                   Secret password,
                                                   std::string address,
                                                   std::string client);
  boost::asio::awaitable<Result<SignedIn>> use_link(Secret link,
                                                    std::string address,
                                                    std::string client);
  boost::asio::awaitable<Result<void>> sign_out(auth::Principal who, Secret token);
  /// `old_password` may be empty for someone who has none yet. Ends all other sessions of the user.
  boost::asio::awaitable<Result<void>> change_password(auth::Principal who,
                                                       Secret old_password,
                                                       Secret new_password,
                                                       Secret keep_session);

  boost::asio::awaitable<Result<model::User>> me(auth::Principal who);
  boost::asio::awaitable<Result<std::vector<model::Membership>>> my_workspaces(auth::Principal who);

  boost::asio::awaitable<Result<std::vector<model::Token>>> tokens(auth::Principal who);
  /// `life` null: endless. The scopes must be ones that `who` has.
  boost::asio::awaitable<Result<NewToken>> create_token(auth::Principal who,
                                                        std::string name,
                                                        std::vector<std::string> scopes,
                                                        std::optional<Seconds> life);
  boost::asio::awaitable<Result<void>> remove_token(auth::Principal who, TokenId token);

  // Administrators.
  boost::asio::awaitable<Result<std::vector<model::User>>> users(auth::Principal who);
  struct NewUser {
    std::string name, display_name, email;
    bool administrator = false;
  };
  /// A member of `default`; signs in first by the link that comes back.
  boost::asio::awaitable<Result<std::pair<model::User, Secret>>> create_user(auth::Principal who,
                                                                             NewUser user);
  boost::asio::awaitable<Result<void>> set_disabled(auth::Principal who,
                                                    std::string user,
                                                    bool disabled);
  boost::asio::awaitable<Result<model::Workspace>> create_workspace(auth::Principal who,
                                                                    std::string name,
                                                                    std::string description);
  /// Conflict while jobs are kept in it.
  boost::asio::awaitable<Result<void>> delete_workspace(auth::Principal who, std::string name);
  /// The workspace's managers may too. No role: they belong to it no longer.
  boost::asio::awaitable<Result<void>> set_member(auth::Principal who,
                                                  std::string workspace,
                                                  std::string user,
                                                  std::optional<model::WorkspaceRole> role);
  boost::asio::awaitable<Result<Secret>> reset_link(auth::Principal who, std::string user);

 private:
  boost::asio::awaitable<Result<auth::Principal>> by_token(std::string hash);
  boost::asio::awaitable<Result<auth::Principal>> by_session(std::string hash);
  boost::asio::awaitable<Result<auth::Principal>> principal_of(UserId user,
                                                               auth::Scopes scopes,
                                                               TokenId token);
  boost::asio::awaitable<Result<SignedIn>> begin_session(model::User user, std::string client);
  boost::asio::awaitable<Result<Secret>> make_link(UserId user);
  boost::asio::awaitable<Result<void>> write_admin_token(UserId user, std::string file);
  void forget_cached();

  struct Cached {
    auth::Principal who;
    Time until{};
  };

  Parts p_;
  auth::SignInLimiter limiter_;
  std::mutex cache_mutex_;
  std::unordered_map<std::string, Cached>
      cache_;  ///< by token hash; seconds only, so that a revoked token ends soon
};

}  // namespace ty::control
