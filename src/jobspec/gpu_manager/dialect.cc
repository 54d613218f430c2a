#include "jobspec/impl/dialect.h"

#include "jobspec/gpu_manager/parse.h"
#include "jobspec/gpu_manager/print.h"
#include "jobspec/messages.h"

namespace ty::jobspec::gpu_manager {
namespace {

std::vector<Ref> evidence(Ref top) {
  if (top.find("jobname") && top.find("tasks")) return {top.find("jobname"), top.find("tasks")};
  return {};
}

std::vector<std::string_view> keys() { return {"jobname", "tasks"}; }

}  // namespace

const DialectEntry kDialect{.dialect = model::Dialect::GpuManager,
                            .name = say::dialect_gpu_manager,
                            .title = say::file_gpu_manager,
                            .address = "/api/v1/jobs",
                            .evidence = evidence,
                            .keys = keys,
                            .parse = parse,
                            .print = print,
                            .schema = schema};

}  // namespace ty::jobspec::gpu_manager
