#include "jobspec/impl/dialect.h"

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
                            .short_name = "OpenPAI v1",
                            .title = "an OpenPAI v1 job",
                            .address = "/rest-server/api/v1/jobs",
                            .evidence = evidence,
                            .keys = keys,
                            .parse = parse,
                            .print = print,
                            .carry_place = "extras.trainyard",
                            .schema = schema};

}  // namespace ty::jobspec::openpai_v1
