#pragma once
#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>
#include <vector>

#include "auth/principal.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/secret.h"
#include "base/time.h"

namespace ty::store {
class TokenStore;
}

namespace ty::control {

class Authenticator;

/// An access token as its owner sees it in a list.
struct TokenView {
  TokenId id;
  std::string name;
  std::vector<std::string> scopes;
  Time created_at{};
  std::optional<Time> expires_at;
  std::optional<Time> last_used_at;
};

struct NewToken {
  TokenView token;
  Secret text;  ///< shown once
};

/// Access tokens that people make for their programs. Everyone has their own only. Any thread.
class TokenService {
 public:
  struct Parts {
    store::TokenStore& tokens;
    Authenticator& authenticator;
    const Clock& clock;
  };
  explicit TokenService(Parts parts) : p_(parts) {}

  boost::asio::awaitable<Result<std::vector<TokenView>>> list(auth::Principal who);
  /// `life` null: endless. The scopes must be ones that `who` has.
  boost::asio::awaitable<Result<NewToken>> create(auth::Principal who,
                                                  std::string name,
                                                  std::vector<std::string> scopes,
                                                  std::optional<Seconds> life);
  /// It lets nobody in any more, at once.
  boost::asio::awaitable<Result<void>> remove(auth::Principal who, TokenId token);

 private:
  Parts p_;
};

}  // namespace ty::control
