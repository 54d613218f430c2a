#include "jobspec/impl/dialect.h"

#include "jobspec/messages.h"
#include "jobspec/native/fields.h"
#include "jobspec/native/parse.h"
#include "jobspec/native/print.h"
#include "jobspec/print.h"

namespace ty::jobspec::native {
namespace {

/// Only the plain mark: a file without it is native when it fits nothing else (detect.cc).
std::vector<Ref> evidence(Ref top) {
  if (const Ref version = top.find("trainyard")) return {version};
  return {};
}

std::vector<std::string_view> keys() {
  std::vector<std::string_view> keys;
  for (const Field& field : fields()) keys.push_back(field.key);
  return keys;
}

std::string schema() { return json_schema(); }

}  // namespace

const DialectEntry kDialect{.dialect = model::Dialect::Native,
                            .name = say::dialect_native,
                            .title = say::file_native,
                            .address = "/api/v1/jobs",
                            .evidence = evidence,
                            .keys = keys,
                            .parse = parse,
                            .print = print,
                            .schema = schema};

}  // namespace ty::jobspec::native
