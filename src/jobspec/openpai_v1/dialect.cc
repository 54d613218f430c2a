#include "jobspec/impl/dialect.h"

#include "jobspec/messages.h"
#include "jobspec/openpai_v1/parse.h"
#include "jobspec/openpai_v1/print.h"
#include "jobspec/openpai_v1/schema.h"

namespace ty::jobspec::openpai_v1 {
namespace {

std::vector<Ref> evidence(Ref top) {
  const Ref roles = top.find("taskRoles");
  if (!is_list(roles)) return {};
  return {roles};
}

}  // namespace

const DialectEntry kDialect{.dialect = model::Dialect::OpenPaiV1,
                            .name = say::dialect_openpai_v1,
                            .title = say::file_openpai_v1,
                            .address = "/rest-server/api/v1/jobs",
                            .evidence = evidence,
                            .keys = keys,
                            .parse = parse,
                            .print = print,
                            .carry_place = "extras.trainyard",
                            .schema = schema};

}  // namespace ty::jobspec::openpai_v1
