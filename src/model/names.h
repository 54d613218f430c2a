#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "model/job.h"

/// Names that other systems must accept: host names, Kubernetes names, parts of variable names
/// (job-model §7, §9).
namespace ty::model {

/// dns(x): lower case, `_ . ~` and blanks become `-`, the rest is dropped; starts with a letter, at
/// most 40 characters. `fallback_id` gives the text when nothing is left.
std::string dns_name(std::string_view text, std::string_view fallback_id);

/// How the GPU manager shows a job name: `Test_Job1` is `test-job1`.
std::string gpu_manager_name(std::string_view text);

/// Characters other than letters, digits and `_` become `_`.
std::string ident_name(std::string_view text);
/// Lower case, letters and digits only: how OpenPAI's runtime spells roles.
std::string squeezed_name(std::string_view text);

/// The name shown for a job: as written, or `job-` and the first 7 characters of its id.
std::string shown_name(const JobSpec& spec, const JobId& job);

/// `worker-1`: what peers on the job's own network call a task.
std::string task_host(const JobSpec& spec, TaskRef task);
/// What the task finds in HOSTNAME; follows the platform the job was written for.
std::string task_hostname(const JobSpec& spec, const JobId& job, TaskRef task);
/// The name that VC_*_HOSTS lists: on the platform the job was written for it has a domain.
std::string volcano_host(const JobSpec& spec, const JobId& job, TaskRef task);
/// Every name by which the task must be found on the job's network, the first one included, none
/// twice.
std::vector<std::string> task_aliases(const JobSpec& spec, const JobId& job, TaskRef task);

}  // namespace ty::model
