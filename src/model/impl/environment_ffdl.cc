#include <fmt/format.h>

#include <algorithm>

#include "model/impl/job_facts.h"

namespace ty::model {

namespace {

std::string training_id(const JobFacts& job) { return "training-" + job.in.job.str(); }

bool is_ffdl(const JobFacts& job) { return job.spec.dialect == Dialect::Ffdl; }

/// Prophecis moved some folders; its manifests say where the code comes from.
bool is_prophecis(const JobFacts& job) { return job.spec.links.contains("code_selector"); }

std::string link(const JobFacts& job, const std::string& key) {
  const auto found = job.spec.links.find(key);
  return found == job.spec.links.end() ? std::string() : found->second;
}

std::string on_one_line(std::string script) {
  std::ranges::replace(script, '\n', ' ');
  return script;
}

void add_directories(const JobFacts& job, Variables& out) {
  const EnvironmentInput& in = job.in;
  const std::string root = job.is_process() ? in.run_dir : std::string();
  const std::string code = in.code_dir.empty() ? root + "/job/model-code" : in.code_dir;
  out.set_if("DATA_DIR", in.data_dir);
  out.set("MODEL_DIR", code);
  out.set("LOG_DIR", root + "/job/logs");
  out.set("JOB_STATE_DIR", root + "/job");
  if (in.output_dir.empty()) return;
  const std::string own_results = in.output_dir + "/" + training_id(job);
  out.set("RESULT_BUCKET_DIR", in.output_dir);
  out.set("JOB_RESULT_DIR", own_results);
  out.set("RESULT_DIR", is_prophecis(job) ? in.output_dir : own_results);
  out.set("CHECKPOINT_DIR",
          (is_prophecis(job) ? own_results : in.output_dir) + "/_wml_checkpoints");
}

/// The same words where no manifest says what they mean: the job's own mounts.
void add_mounts(const JobFacts& job, Variables& out) {
  const EnvironmentInput& in = job.in;
  out.set_if("DATA_DIR", in.data_dir);
  out.set_if("MODEL_DIR", in.code_dir);  // the code, as in FfDL, not a trained model
  out.set_if("WORK_DIR", in.code_dir);
  if (in.output_dir.empty()) return;
  for (const char* name :
       {"RESULT_DIR", "JOB_RESULT_DIR", "RESULT_BUCKET_DIR", "LOG_DIR", "JOB_STATE_DIR"}) {
    out.set(name, in.output_dir);
  }
  out.set("CHECKPOINT_DIR", in.output_dir + "/_wml_checkpoints");
}

}  // namespace

void add_ffdl(const JobFacts& job, Variables& out) {
  const bool distributed_tf = is_ffdl(job) && job.roles.size() > 1;
  const std::string hostname = task_hostname(job.spec, job.in.job, job.own().ref);
  if (distributed_tf)
    out.set("LEARNER_ID", hostname);
  else if (job.own().rank >= 0)
    out.set("LEARNER_ID", job.own().rank + 1);
  out.set("NUM_LEARNERS", static_cast<std::int64_t>(job.rank_order.size()));
  const RoleSpec& role = *job.own_role().spec;
  out.set("LEARNER_NAME_PREFIX",
          role.system_name.empty() ? dns_name(role.name, {}) : role.system_name);
  out.set("TRAINING_ID", training_id(job));
  if (!is_ffdl(job)) return;
  out.set("TRAINING_COMMAND", on_one_line(role.command.script));
  out.set("DOWNWARD_API_POD_NAME", hostname);
  out.set("DOWNWARD_API_POD_NAMESPACE", job.in.workspace);
  if (job.spec.run_as && job.spec.run_as->uid) out.set("UID", *job.spec.run_as->uid);
  if (job.spec.run_as && job.spec.run_as->gid) {
    out.set("GID", *job.spec.run_as->gid);
    out.set("DLAAS_MLSSGID", *job.spec.run_as->gid);
  }
}

void add_soft(const JobFacts& job, Variables& out) {
  if (is_ffdl(job))
    add_directories(job, out);
  else
    add_mounts(job, out);
  out.set_if("CODE_SELECTOR", link(job, "code_selector"));
  out.set_if("CODE_DATA_PATH", link(job, "code_data_path"));
  out.set("GPU_COUNT",
          fmt::format("{:.6f}", static_cast<double>(job.own_role().spec->resources.gpus)));
  const std::string user = job.spec.run_as ? job.spec.run_as->user : job.in.owner;
  out.set("USER_ID", user);
  out.set("JOB_USER", user);
}

}  // namespace ty::model
