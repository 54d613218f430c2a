#include <algorithm>
#include <array>

#include "base/text.h"
#include "model/impl/job_facts.h"
#include "model/impl/json_text.h"

namespace ty::model {

namespace {

constexpr std::array<std::string_view, 5> kTfRoles = {
    "ps", "worker", "chief", "master", "evaluator"};
constexpr int kTfPort = 2222;

std::string tf_config(const JobFacts& job) {
  std::string cluster = "{";
  for (std::size_t r = 0; r < job.roles.size(); ++r) {
    const std::string type = to_lower(part_of(*job.roles[r].spec));
    if (type == "evaluator") continue;  // it watches the cluster and is no part of it
    if (cluster.size() > 1) cluster += ',';
    append_json_string(cluster, type);
    cluster += ":[";
    const std::size_t first = job.roles[r].first_task;
    for (std::size_t at = first; at < job.roles[r].end_task; ++at) {
      const std::int64_t port = at < job.in.tf_ports.size()
                                    ? job.in.tf_ports[at]
                                    : job.spec.services.tensorflow_port.value_or(kTfPort);
      if (at > first) cluster += ',';
      append_json_string(cluster, job.peers[at].host + ":" + std::to_string(port));
    }
    cluster += ']';
  }
  JsonObject task;
  task.add("type", to_lower(part_of(*job.own_role().spec))).add("index", job.own().ref.index);
  JsonObject config;
  config.add_json("cluster", cluster + "}")
      .add_json("task", task.text())
      .add("environment", "cloud");
  return config.text();
}

/// One process per task, and more than one of them: then, and only then, is the local rank known.
bool are_single_processes(const JobFacts& job) {
  return job.rank_order.size() >= 2 && std::ranges::all_of(job.rank_order, [&](std::size_t at) {
           const auto role = static_cast<std::size_t>(job.peers[at].ref.role);
           return job.roles[role].spec->resources.gpus <= 1;
         });
}

/// The hosts that the launcher starts processes on: those of the other roles, or of all its own
/// kind where there is one role only.
std::string mpi_hosts(const JobFacts& job) {
  const int launcher = job.own().ref.role;
  const bool others = std::ranges::any_of(
      job.rank_order, [&](std::size_t at) { return job.peers[at].ref.role != launcher; });
  std::vector<std::string> hosts;
  for (const std::size_t at : job.rank_order) {
    if (!others || job.peers[at].ref.role != launcher) hosts.push_back(job.peers[at].host);
  }
  return join(hosts, ",");
}

}  // namespace

bool needs_tf_config(const JobSpec& spec) {
  return task_count(spec) >= 2 && std::ranges::all_of(spec.roles, [](const RoleSpec& role) {
           return std::ranges::find(kTfRoles, std::string_view(to_lower(part_of(role)))) !=
                  kTfRoles.end();
         });
}

void add_distributed(const JobFacts& job, Variables& out) {
  if (needs_tf_config(job.spec)) out.set_list("TF_CONFIG", tf_config(job));
  if (job.rank_order.empty()) return;
  const auto size = static_cast<std::int64_t>(job.rank_order.size());
  const std::string& master = job.peers[job.rank_order.front()].host;
  const int rank = job.own().rank;
  out.set("WORLD_SIZE", size);
  out.set("NNODES", size);
  out.set("MASTER_ADDR", master);
  out.set("MASTER_PORT", job.in.master_port);
  if (rank < 0) return;
  out.set("RANK", rank);
  out.set("NODE_RANK", rank);
  if (are_single_processes(job)) {
    out.set("LOCAL_RANK", 0);
    out.set("LOCAL_WORLD_SIZE", 1);
  }
  if (job.spec.dialect == Dialect::Native) {
    out.set("PET_NNODES", size);
    out.set("PET_NODE_RANK", rank);
    out.set("PET_NPROC_PER_NODE", std::max<std::int64_t>(1, job.own_role().spec->resources.gpus));
    out.set("PET_MASTER_ADDR", master);
    out.set("PET_MASTER_PORT", job.in.master_port);
  }
  if (job.spec.services.mpi && rank == 0) out.set_list("MPI_HOST", mpi_hosts(job));
}

/// Which GPUs are its own. These stay ours whatever the job says.
void add_devices(const JobFacts& job, Variables& out) {
  const std::string ids = job.own().placement ? join_ports(job.own().placement->gpus) : "";
  switch (job.in.runtime) {
    case RuntimeKind::Docker:
    case RuntimeKind::Oci:
      out.set("NVIDIA_VISIBLE_DEVICES", ids.empty() ? "none" : ids);
      break;
    case RuntimeKind::Process:
    case RuntimeKind::Fake:
      out.erase("NVIDIA_VISIBLE_DEVICES");
      out.set("CUDA_VISIBLE_DEVICES", ids);
      break;
    case RuntimeKind::Kubernetes:
      out.erase("NVIDIA_VISIBLE_DEVICES");
      break;  // the device plugin's
  }
}

}  // namespace ty::model
