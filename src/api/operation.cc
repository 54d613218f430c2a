#include "api/operation.h"

#include "api/messages.h"
#include "base/text.h"

namespace ty::api {

Result<void> may_call(const Operation& operation, const auth::Principal& who) {
  if (operation.caller == Caller::Anyone) return {};
  if (operation.caller == Caller::Administrator && !who.administrator)
    return fail(Errc::Forbidden, say::administrators_only());
  if (!who.scopes.has(operation.scope)) {
    return fail(Errc::Forbidden,
                say::token_scope_too_small({.scopes = split(who.scopes.str(), ' '),
                                            .operation = operation.id,
                                            .scope = auth::to_word(operation.scope)}));
  }
  return {};
}

}  // namespace ty::api
