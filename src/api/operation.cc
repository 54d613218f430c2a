#include "api/operation.h"

#include <fmt/format.h>

namespace ty::api {

Result<void> may_call(const Operation& operation, const auth::Principal& who) {
  if (operation.caller == Caller::Anyone) return {};
  if (operation.caller == Caller::Administrator && !who.administrator)
    return fail(Errc::Forbidden, "only administrators may do this");
  if (!who.scopes.has(operation.scope)) {
    return fail(Errc::Forbidden,
                fmt::format("this token allows {}; {} needs the scope {}",
                            who.scopes.str(),
                            operation.id,
                            auth::to_word(operation.scope)));
  }
  return {};
}

}  // namespace ty::api
