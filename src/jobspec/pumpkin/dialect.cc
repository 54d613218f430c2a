#include "jobspec/impl/dialect.h"

#include "jobspec/messages.h"
#include "jobspec/pumpkin/parse.h"
#include "jobspec/pumpkin/print.h"

namespace ty::jobspec::pumpkin {
namespace {

std::vector<Ref> evidence(Ref top) {
  const Ref config = top.find("config");
  if (!is_list(config)) return {};
  for (const std::string_view key :
       {"algorithmId", "imageId", "imageUrl", "dataSetId", "isDistributed", "resourcePool"}) {
    if (const Ref mark = top.find(key)) return {config, mark};
  }
  for (const Ref item : config) {
    if (item.find("resourceSpecId")) return {config};
  }
  return {};
}

std::vector<std::string_view> keys() {
  return {"name",
          "desc",
          "algorithmId",
          "algorithmVersion",
          "imageId",
          "imageUrl",
          "dataSetId",
          "dataSetVersion",
          "resourcePool",
          "isDistributed",
          "config",
          "mounts"};
}

}  // namespace

const DialectEntry kDialect{.dialect = model::Dialect::Pumpkin,
                            .name = say::dialect_pumpkin,
                            .title = say::file_pumpkin,
                            .address = "/openaiserver/v1/trainmanage/trainjob",
                            .evidence = evidence,
                            .keys = keys,
                            .parse = parse,
                            .print = print,
                            .schema = schema};

}  // namespace ty::jobspec::pumpkin
