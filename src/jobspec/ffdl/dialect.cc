#include "jobspec/impl/dialect.h"

#include "jobspec/ffdl/parse.h"
#include "jobspec/ffdl/print.h"
#include "jobspec/messages.h"

namespace ty::jobspec::ffdl {
namespace {

std::vector<Ref> evidence(Ref top) {
  if (is_map(top.find("framework"))) return {top.find("framework")};
  if (is_list(top.find("data_stores"))) return {top.find("data_stores")};
  return {};
}

std::vector<std::string_view> keys() {
  return {"name",
          "description",
          "version",
          "cpus",
          "gpus",
          "memory",
          "learners",
          "namespace",
          "gpu_type",
          "data_stores",
          "framework",
          "job_type",
          "evaluation_metrics",
          "job_alert",
          "pss",
          "ps_cpu"};
}

}  // namespace

const DialectEntry kDialect{.dialect = model::Dialect::Ffdl,
                            .name = say::dialect_ffdl,
                            .title = say::file_ffdl,
                            .address = "/v1/models",
                            .evidence = evidence,
                            .keys = keys,
                            .parse = parse,
                            .print = print,
                            .schema = schema};

}  // namespace ty::jobspec::ffdl
