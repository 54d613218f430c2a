#pragma once
#include <cstdint>
#include <span>
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

struct Operation {
  std::string_view id;  ///< operationId of the contract
  std::string_view path;
  net::Method method;
  Caller caller;
  auth::Scope scope;  ///< what the token must allow; without meaning for Anyone
};

/// Every operation of contract/openapi.yaml: the one table of what exists and who may call it. A
/// test compares it with the contract both ways, and the Api refuses to start while an operation
/// has no handler.
std::span<const Operation> operations();

/// Before a handler runs: is this caller let in? Forbidden names what is missing.
Result<void> may_call(const Operation& operation, const auth::Principal& who);

}  // namespace ty::api
