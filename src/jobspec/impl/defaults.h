#pragma once
#include <cstdint>
#include <string_view>

#include "jobspec/read.h"
#include "model/job_spec.h"

/// What holds when a job file says nothing and its dialect has no rule of its own. Parsers fill it
/// in, the printer leaves it out.
namespace ty::jobspec {

/// `latest` and images without a tag change under their name, so they are fetched anew.
model::PullPolicy default_pull(std::string_view image);

/// Parameter servers and evaluators are no ranks unless the file says so (job-model §7.2).
bool ranked_by_name(std::string_view role);

/// CPUs and memory of a role that names none.
void fill_defaults(model::Resources& resources, std::int64_t gpus, const SiteDefaults& site);

/// Half of the memory: Docker's 64 MiB break data loaders.
inline std::int64_t default_shm(std::int64_t memory) { return memory / 2; }

/// `A100`, `RTX-3090`; a lower-case word without a digit (`two`) is more likely a slip.
bool is_gpu_type(std::string_view text);

}  // namespace ty::jobspec
