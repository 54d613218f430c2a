#include "jobspec/impl/dialect.h"

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
                            .short_name = "Volcano",
                            .title = "a Volcano Job",
                            .address = "/api/v1/jobs",
                            .evidence = evidence,
                            .keys = keys,
                            .parse = nullptr,
                            .print = nullptr};

}  // namespace ty::jobspec::volcano
