#include "jobspec/impl/dialect.h"

#include "jobspec/messages.h"
#include "jobspec/openpai_v2/parse.h"
#include "jobspec/openpai_v2/print.h"
#include "jobspec/openpai_v2/schema.h"

namespace ty::jobspec::openpai_v2 {
namespace {

std::vector<Ref> evidence(Ref top) {
  if (const Ref version = top.find("protocolVersion")) return {version};
  const Ref roles = top.find("taskRoles");
  if (!is_map(roles)) return {};
  for (const Ref role : roles) {
    if (role.is_map() && has_any(role, {"commands", "dockerImage", "resourcePerInstance"}))
      return {roles};
  }
  return {};
}

}  // namespace

const DialectEntry kDialect{.dialect = model::Dialect::OpenPaiV2,
                            .name = say::dialect_openpai_v2,
                            .title = say::file_openpai_v2,
                            .address = "/rest-server/api/v2/jobs",
                            .evidence = evidence,
                            .keys = keys,
                            .parse = parse,
                            .print = print,
                            .carry_place = "extras.trainyard",
                            .schema = schema};

}  // namespace ty::jobspec::openpai_v2
