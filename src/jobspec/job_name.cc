#include "jobspec/job_name.h"

#include "jobspec/impl/names.h"

namespace ty::jobspec {

Result<void> accept_job_name(std::string_view name, model::Dialect dialect) {
  const std::optional<Refusal> refusal = check_job_name(dialect, name);
  if (!refusal) return {};
  return fail(
      Errc::Invalid,
      within(plain("name"), refusal->message),
      {{.pointer = "/name", .message = refusal->message, .code = std::string(refusal->code)}});
}

}  // namespace ty::jobspec
