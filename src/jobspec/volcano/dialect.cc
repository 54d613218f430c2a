#include "jobspec/impl/dialect.h"

#include "jobspec/messages.h"
#include "jobspec/volcano/parse.h"
#include "jobspec/volcano/print.h"

namespace ty::jobspec::volcano {
namespace {

std::vector<Ref> evidence(Ref top) {
  const Ref version = top.find("apiVersion"), kind = top.find("kind");
  if (!version || !version.is_scalar() || !version->text.starts_with("batch.volcano.sh/"))
    return {};
  if (!kind || kind->text != "Job") return {};
  return {version, kind};
}

std::vector<std::string_view> keys() { return {"apiVersion", "kind", "metadata", "spec"}; }

}  // namespace

const DialectEntry kDialect{.dialect = model::Dialect::Volcano,
                            .name = say::dialect_volcano,
                            .title = say::file_volcano,
                            .address = "/api/v1/jobs",
                            .evidence = evidence,
                            .keys = keys,
                            .parse = parse,
                            .print = print,
                            .carry_place = "metadata.annotations",
                            .schema = schema};

}  // namespace ty::jobspec::volcano
