#include "control/cluster/resource_specs.h"

#include <algorithm>

#include "jobspec/read.h"
#include "rt/log.h"

namespace ty::control {

std::map<std::string, model::Resources> read_resource_specs(
    const std::map<std::string, std::string>& texts) {
  std::map<std::string, model::Resources> specs;
  for (const auto& [id, text] : texts) {
    // The keys are those of a native job, so its reader knows what they mean and what is wrong.
    std::string lines = text;
    std::ranges::replace(lines, ';', '\n');
    std::string job = "run: true\n";
    bool begins = true;
    for (const char c : lines) {
      if (begins && c == ' ') continue;
      begins = c == '\n';
      job += c;
    }
    jobspec::ReadOptions options;
    options.dialect = model::Dialect::Native;
    const jobspec::ReadResult read = jobspec::read(job, options);
    if (!read.ok()) {
      log::error("config.resource_spec id={} problem={}", id, read.errors.front().message);
      continue;
    }
    specs[id] = read.jobs.front().spec.roles.front().resources;
  }
  return specs;
}

}  // namespace ty::control
