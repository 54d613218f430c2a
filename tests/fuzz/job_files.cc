// Any bytes as a job file: no crash, no hang, and what is accepted means the same when printed and
// read again. The inputs that matter are kept in corpus/job_files/.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "jobspec/print.h"
#include "jobspec/read.h"
#include "model/spec_json.h"

namespace {

[[noreturn]] void broken(const char* what, const std::string& printed, const std::string& detail) {
  std::fprintf(stderr, "%s\n%s\n---\n%s\n", what, detail.c_str(), printed.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ty;
  jobspec::ReadOptions options;
  options.local_sources = jobspec::LocalSources::Keep;
  const jobspec::ReadResult result =
      jobspec::read({reinterpret_cast<const char*>(data), size}, options);
  for (const jobspec::Issue& issue : result.errors) (void)jobspec::format_issue(issue, "f");
  options.allow_covered = true;
  for (const jobspec::ReadJob& job : result.jobs) {
    options.dialect = job.spec.dialect;
    const jobspec::Printed printed = jobspec::print(job.spec, job.spec.dialect);
    // In another format much may be different; that it can be written is all we ask.
    (void)jobspec::print(job.spec, model::Dialect::Native);
    (void)jobspec::print(job.spec, model::Dialect::OpenPaiV2);
    // Escapes and spelled-out defaults may carry a file that just fits over the size limit.
    if (printed.text.empty() || printed.text.size() > (1U << 20)) continue;
    const jobspec::ReadResult again = jobspec::read(printed.text, options);
    if (!printed.complete()) continue;
    if (!again.ok()) {
      broken("refused when read back",
             printed.text,
             jobspec::format_issue(again.errors[0], "printed"));
    }
    if (job.spec.dialect != model::Dialect::Native) continue;
    if (again.jobs.size() != 1 || !(again.jobs[0].spec == job.spec)) {
      broken("changed when read back",
             printed.text,
             model::to_json(job.spec) + "\n" + model::to_json(again.jobs[0].spec));
    }
  }
  return 0;
}
