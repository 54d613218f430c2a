#pragma once
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <string_view>

#include "control/sessions/authenticator.h"
#include "net/http.h"

namespace ty::api {

/// Who may call an operation at all.
enum class Caller : std::uint8_t {
  Anyone,         ///< also without a token
  SignedIn,       ///< answers what this person may see
  JobOwner,       ///< or who manages the job's workspace: only `control` knows, and checks
  Administrator,  ///< of the site
};

struct Context;

/// One call that was let in.
struct Call {
  net::Request& request;
  auth::Principal who;  ///< nobody when the operation is open to anyone
  Secret token;         ///< the one presented
};

/// Decodes, calls a use case, encodes. An error is shaped by the face.
using Answer = boost::asio::awaitable<Result<net::Response>>;
using Action = Answer (*)(Context& context, Call& call);

/// One row of a face's table: what can be called, who may, and what it does. A row is all three,
/// so there is no route without a rule and no rule without a route.
struct Operation {
  std::string_view id;  ///< operationId of the contract; no two faces share one
  std::string_view path;
  net::Method method;
  Caller caller;
  auth::Scope scope;  ///< what the token must allow; without meaning for Anyone
  Action action;
};

/// Before an action runs: is this caller let in? Forbidden names what is missing.
Result<void> may_call(const Operation& operation, const auth::Principal& who);

}  // namespace ty::api
