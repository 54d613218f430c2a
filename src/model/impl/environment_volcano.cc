#include "base/text.h"
#include "model/impl/job_facts.h"

namespace ty::model {

namespace {

std::string hosts_of(const JobFacts& job, const RoleFacts& role) {
  std::vector<std::string> hosts;
  for (std::size_t at = role.first_task; at < role.end_task; ++at) {
    const PeerFacts& peer = job.peers[at];
    const bool by_name =
        job.in.runtime == RuntimeKind::Docker || job.in.runtime == RuntimeKind::Oci;
    std::string host = by_name ? volcano_host(job.spec, job.in.job, peer.ref) : peer.host;
    if (!host.empty()) hosts.push_back(std::move(host));
  }
  return join(hosts, ",");
}

}  // namespace

void add_volcano(const JobFacts& job, Variables& out) {
  const std::int64_t index = job.own().ref.index;
  const bool pumpkin = job.spec.dialect == Dialect::Pumpkin;
  // `VC_` + upper case of this + `_HOSTS` must always be a variable.
  const std::string own =
      pumpkin ? "task" + std::to_string(job.own().ref.role) : job.own_role().ident;
  for (const char* name : {"TASKROLE_NAME", "VC_TASK_NAME"}) out.set(name, own);
  for (const char* name : {"VC_TASK_INDEX", "VK_TASK_INDEX", "TASKROLE_REPLICA_INDEX"})
    out.set(name, index);
  out.set("TASKSET_NAME", job.in.job.str());
  out.set("TASKSET_NAMESPACE", job.in.owner_id.value);

  std::vector<std::string> hosts;
  hosts.reserve(job.roles.size());
  for (const RoleFacts& role : job.roles) hosts.push_back(hosts_of(job, role));
  for (const bool by_number : {true, false}) {  // a role that is called task0 wins over the number
    for (std::size_t r = 0; r < job.roles.size(); ++r) {
      const std::string name =
          "VC_" + (by_number ? "TASK" + std::to_string(r) : job.roles[r].upper);
      out.set_list(name + "_HOSTS", hosts[r]);
      out.set(name + "_NUM", job.roles[r].spec->count);
    }
  }
}

}  // namespace ty::model
