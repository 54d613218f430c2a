#include "model/environment.h"

#include <algorithm>

#include "model/impl/job_facts.h"
#include "model/impl/references.h"
#include "model/references.h"

namespace ty::model {

namespace {

void add_layer(const EnvMap& env, Variables& soft, Variables& out) {
  for (const auto& [name, value] : env) {
    soft.erase(name);
    if (value)
      out.set(name, *value);
    else
      out.erase(name);
  }
}

void add_layer(const TextMap& env, Variables& soft, Variables& out) {
  for (const auto& [name, value] : env) {
    soft.erase(name);
    out.set(name, value);
  }
}

/// FfDL's learners find their code without being told: its folder stands at the end of the path.
void extend_python_path(const std::string& code, Variables& out) {
  if (code.empty()) return;
  const std::string* before = out.find("PYTHONPATH");
  out.set("PYTHONPATH", before == nullptr || before->empty() ? code : *before + ":" + code);
}

}  // namespace

TaskEnvironment make_environment(const EnvironmentInput& in) {
  const JobFacts job(in);
  const bool ffdl = in.spec.dialect == Dialect::Ffdl;
  Variables soft;
  Variables out;

  out.set("HOSTNAME", task_hostname(in.spec, in.job, in.self));
  add_distributed(job, out);
  add_openpai(job, out);
  add_volcano(job, out);
  add_ffdl(job, out);
  if (ffdl) add_soft(job, out);
  // On Kubernetes nobody knows what the image itself sets, so only jobs that expect these words get
  // them.
  else if (in.runtime != RuntimeKind::Kubernetes)
    add_soft(job, soft);

  add_layer(in.site_defaults, soft, out);
  add_layer(in.spec.env, soft, out);
  add_layer(job.own_role().spec->env, soft, out);
  add_layer(in.secrets, soft, out);
  if (ffdl) extend_python_path(in.code_dir, out);

  add_native(job, out);
  add_devices(job, out);
  if (has_references(in.spec.dialect)) resolve_references(job.own_role().spec->env, out);
  return {.soft = std::move(soft).take(),
          .platform = std::move(out).take(),
          .files = make_files(job),
          .ssh = make_ssh_folder(job)};
}

}  // namespace ty::model
