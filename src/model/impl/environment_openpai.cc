#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>

#include "base/encoding.h"
#include "base/text.h"
#include "model/impl/job_facts.h"

namespace ty::model {

namespace {

std::string number_or_never(const std::optional<std::int64_t>& value) {
  return value ? std::to_string(*value) : std::string();
}

std::string md5_hex(const std::string& text) {
  unsigned char hash[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  EVP_Digest(text.data(), text.size(), hash, &size, EVP_md5(), nullptr);
  return to_hex({reinterpret_cast<const char*>(hash), size});
}

std::int64_t whole_cores(const RoleSpec& role) { return (role.resources.cpu_milli + 999) / 1000; }

/// `gpu,cpu,memMB,shmMB`.
std::string resource_list(const RoleSpec& role) {
  return std::to_string(role.resources.gpus) + "," + std::to_string(whole_cores(role)) + "," +
         std::to_string(mebibytes(role.resources.memory)) + "," +
         std::to_string(mebibytes(role.resources.shm));
}

/// The ports of a task under a label, in the order of all_ports.
const std::vector<int>* ports_under(const PeerFacts& peer,
                                    const std::vector<Port>& declared,
                                    std::string_view label) {
  if (peer.placement == nullptr) return nullptr;
  for (std::size_t i = 0; i < std::min(declared.size(), peer.placement->ports.size()); ++i) {
    if (declared[i].label == label && !peer.placement->ports[i].empty())
      return &peer.placement->ports[i];
  }
  return nullptr;
}

void add_job(const JobFacts& job, Variables& out) {
  const EnvironmentInput& in = job.in;
  out.set("PAI_JOB_NAME", job.user_tilde_handle());
  out.set("PAI_FRAMEWORK_NAME", job.user_tilde_handle());
  out.set("PAI_USER_NAME", in.owner);
  out.set("PAI_USERNAME", in.owner);
  out.set("PAI_VIRTUAL_CLUSTER", in.workspace);
  out.set("PAI_DEFAULT_FS_URI", in.storage_root);

  std::vector<std::string> names;
  names.reserve(job.roles.size());
  for (const RoleFacts& role : job.roles) names.push_back(role.spec->name);
  for (const char* name :
       {"PAI_TASK_ROLE_COUNT", "PAI_TASK_ROLES_NUM", "PAI_JOB_TASK_ROLE_COUNT"}) {
    out.set(name, static_cast<std::int64_t>(job.roles.size()));
  }
  for (const char* name : {"PAI_TASK_ROLE_LIST", "PAI_JOB_TASK_ROLE_LIST"})
    out.set(name, join(names, ","));
  for (const char* name : {"PAI_TASKS_NUM", "PAI_JOB_TASK_COUNT"}) {
    out.set(name, static_cast<std::int64_t>(job.peers.size()));
  }
  std::string instances;
  for (const PeerFacts& peer : job.peers) {
    if (!instances.empty()) instances += ',';
    instances +=
        names[static_cast<std::size_t>(peer.ref.role)] + ":" + std::to_string(peer.ref.index);
  }
  out.set_list("PAI_TASK_ROLE_INSTANCES", std::move(instances));
}

/// Roles by number first, so that a role called "1" keeps its own name.
void add_host_lists(const JobFacts& job, Variables& out) {
  std::vector<std::string> lists(job.roles.size());
  for (std::size_t r = 0; r < job.roles.size(); ++r) {
    const std::vector<Port> declared = all_ports(*job.roles[r].spec);
    const std::size_t first = job.roles[r].first_task;
    for (std::size_t at = first; at < job.roles[r].end_task; ++at) {
      const auto* http = ports_under(job.peers[at], declared, "http");
      if (http == nullptr) continue;
      if (!lists[r].empty()) lists[r] += ',';
      lists[r] += job.peers[at].address + ":" + std::to_string(http->front());
    }
    out.set_list("PAI_TASK_ROLE_" + std::to_string(r) + "_HOST_LIST", lists[r]);
  }
  for (std::size_t r = 0; r < job.roles.size(); ++r) {
    for (const std::string& name : job.roles[r].spellings) {
      out.set_list("PAI_TASK_ROLE_" + name + "_HOST_LIST", lists[r]);
    }
  }
}

void add_roles(const JobFacts& job, Variables& out) {
  for (const RoleFacts& role : job.roles) {
    for (const std::string& name : role.spellings) {
      out.set("PAI_TASK_ROLE_TASK_COUNT_" + name, role.spec->count);
      out.set("PAI_RESOURCE_" + name, resource_list(*role.spec));
      out.set("PAI_MIN_FAILED_TASK_COUNT_" + name,
              number_or_never(role.spec->completion.min_failed));
      out.set("PAI_MIN_SUCCEEDED_TASK_COUNT_" + name,
              number_or_never(role.spec->completion.min_succeeded));
    }
  }
}

void add_tasks(const JobFacts& job, Variables& out) {
  for (const PeerFacts& peer : job.peers) {
    if (peer.placement == nullptr) continue;
    const RoleFacts& role = job.roles[static_cast<std::size_t>(peer.ref.role)];
    const std::vector<Port> declared = all_ports(*role.spec);
    for (const std::string& name : role.spellings) {
      const std::string task = fmt::format("{}_{}", name, peer.ref.index);
      out.set("PAI_HOST_IP_" + task, peer.address);
      for (std::size_t i = 0; i < std::min(declared.size(), peer.placement->ports.size()); ++i) {
        const std::string label = ident_name(declared[i].label);
        const std::string ports = join_ports(peer.placement->ports[i]);
        out.set(fmt::format("PAI_PORT_LIST_{}_{}", task, label), ports);
        out.set(fmt::format("PAI_{}_{}_PORT", task, label), ports);
      }
    }
  }
}

void add_own(const JobFacts& job, Variables& out) {
  const RoleSpec& role = *job.own_role().spec;
  const PeerFacts& own = job.own();
  for (const char* name : {"PAI_CURRENT_TASK_ROLE_NAME", "PAI_TASK_ROLE_NAME"})
    out.set(name, role.name);
  for (const char* name :
       {"PAI_CURRENT_TASK_ROLE_CURRENT_TASK_INDEX", "PAI_TASK_INDEX", "PAI_TASK_ROLE_INDEX"}) {
    out.set(name, own.ref.index);
  }
  out.set("PAI_TASK_ROLE_NO", own.ref.role);
  for (const char* name : {"PAI_CURRENT_TASK_ROLE_TASK_COUNT", "PAI_TASK_ROLE_NUM"})
    out.set(name, role.count);
  for (const char* name : {"PAI_CURRENT_TASK_ROLE_CPU_COUNT", "PAI_TASK_CPU_NUM"})
    out.set(name, whole_cores(role));
  for (const char* name : {"PAI_CURRENT_TASK_ROLE_MEM_MB", "PAI_TASK_MEM_MB"}) {
    out.set(name, mebibytes(role.resources.memory));
  }
  out.set("PAI_CURRENT_TASK_ROLE_SHM_MB", mebibytes(role.resources.shm));
  for (const char* name : {"PAI_CURRENT_TASK_ROLE_GPU_COUNT", "PAI_TASK_GPU_NUM"}) {
    out.set(name, role.resources.gpus);
  }
  out.set("PAI_CURRENT_TASK_ROLE_MIN_FAILED_TASK_COUNT",
          number_or_never(role.completion.min_failed));
  out.set("PAI_CURRENT_TASK_ROLE_MIN_SUCCEEDED_TASK_COUNT",
          number_or_never(role.completion.min_succeeded));
  out.set("PAI_RESOURCE", resource_list(role));

  for (const char* name : {"PAI_CONTAINER_HOST_IP", "PAI_CURRENT_CONTAINER_IP"})
    out.set(name, own.address);
  out.set("PAI_CONTAINER_ID", job.try_id());
  if (own.placement != nullptr) {
    const std::vector<Port> declared = all_ports(role);
    if (const auto* http = ports_under(own, declared, "http")) {
      for (const char* name : {"PAI_CONTAINER_HOST_PORT", "PAI_CURRENT_CONTAINER_PORT"}) {
        out.set(name, http->front());
      }
    }
    if (const auto* ssh = ports_under(own, declared, "ssh")) {
      out.set("PAI_CONTAINER_SSH_PORT", ssh->front());
    }
    std::string all;
    for (std::size_t i = 0; i < std::min(declared.size(), own.placement->ports.size()); ++i) {
      const std::string ports = join_ports(own.placement->ports[i]);
      all += declared[i].label + ":" + ports + ";";
      out.set("PAI_CONTAINER_HOST_" + ident_name(declared[i].label) + "_PORT_LIST", ports);
    }
    out.set("PAI_CONTAINER_HOST_PORT_LIST", std::move(all));
  }
  out.set_if("PAI_DATA_DIR", job.in.data_dir);
  out.set_if("PAI_OUTPUT_DIR", job.in.output_dir);
  out.set_if("PAI_CODE_DIR", job.in.code_dir);
  const std::string start = job.is_process() ? job.in.run_dir : std::string();
  out.set_if("PAI_WORK_DIR",
             !job.in.work_dir.empty()
                 ? job.in.work_dir
                 : role.workdir.value_or(job.in.code_dir.empty() ? start : job.in.code_dir));
}

/// What OpenPAI's own controllers left behind; only code written for it looks.
void add_controller(const JobFacts& job, Variables& out) {
  const std::string framework = md5_hex(job.user_tilde_handle());
  const std::string role = squeezed_name(job.own_role().spec->name);
  const std::string index = std::to_string(job.own().ref.index);
  out.set("APP_ID", job.in.job.str());
  out.set("FRAMEWORK_NAME", job.user_tilde_handle());
  out.set("HADOOP_USER_NAME", job.in.owner);
  out.set("FC_FRAMEWORK_NAME", framework);
  out.set("FC_TASKROLE_NAME", role);
  out.set("FC_TASK_INDEX", index);
  out.set("FC_FRAMEWORK_ATTEMPT_ID", job.in.attempt);
  out.set("FC_TASK_ATTEMPT_ID", job.tries);
  out.set("FC_FRAMEWORK_UID", job.in.job.str());
  out.set("FC_TASK_UID", job.in.job.str() + "." + role + "." + index);
  out.set("FC_POD_UID", job.try_id());
  out.set("FC_POD_NAME", framework + "-" + role + "-" + index);
  if (job.spec.completion.min_succeeded) {
    out.set("PAI_KILL_ALL_ON_COMPLETED_TASK_NUM", *job.spec.completion.min_succeeded);
  }
}

}  // namespace

void add_openpai(const JobFacts& job, Variables& out) {
  add_job(job, out);
  add_roles(job, out);
  add_host_lists(job, out);
  if (job.names_single_tasks()) add_tasks(job, out);
  add_own(job, out);
  if (job.spec.dialect == Dialect::OpenPaiV1 || job.spec.dialect == Dialect::OpenPaiV2) {
    add_controller(job, out);
  }
}

}  // namespace ty::model
