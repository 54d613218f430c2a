#include <algorithm>

#include "base/text.h"
#include "model/impl/job_facts.h"
#include "model/impl/json_text.h"
#include "model/words.h"

namespace ty::model {

namespace {

/// `4`, `0.5`.
std::string cores(std::int64_t milli) {
  std::string text = std::to_string(milli / 1000);
  if (const std::int64_t rest = milli % 1000; rest != 0) {
    std::string digits = std::to_string(1000 + rest).substr(1);
    while (digits.back() == '0') digits.pop_back();
    text += "." + digits;
  }
  return text;
}

std::string peers_json(const JobFacts& job) {
  std::string out = "[";
  for (const PeerFacts& peer : job.peers) {
    const RoleSpec& role = *job.roles[static_cast<std::size_t>(peer.ref.role)].spec;
    JsonObject one;
    one.add("role", role.name).add("index", peer.ref.index).add("host", peer.host);
    one.add("ip", peer.address);
    if (peer.placement != nullptr) {
      std::string ports = "{";
      const std::vector<Port> declared = all_ports(role);
      for (std::size_t i = 0; i < std::min(declared.size(), peer.placement->ports.size()); ++i) {
        if (i > 0) ports += ',';
        append_json_string(ports, declared[i].label);
        ports += ":[" + join_ports(peer.placement->ports[i]) + "]";
      }
      one.add_json("ports", ports + "}");
    }
    if (peer.rank >= 0) one.add("rank", peer.rank);
    if (out.size() > 1) out += ",\n ";
    out += one.text();
  }
  return out + "]\n";
}

std::string mpi_hostfile(const JobFacts& job) {
  std::string out;
  for (const std::size_t at : job.rank_order) {
    const PeerFacts& peer = job.peers[at];
    if (peer.host.empty()) continue;
    const RoleSpec& role = *job.roles[static_cast<std::size_t>(peer.ref.role)].spec;
    out += peer.host + " slots=" + std::to_string(std::max<std::int64_t>(1, role.resources.gpus)) +
           "\n";
  }
  return out;
}

std::string host_lines(const JobFacts& job, int role) {
  std::string out;
  for (const PeerFacts& peer : job.peers) {
    if (peer.ref.role != role) continue;
    out += (job.is_process() ? peer.address : volcano_host(job.spec, job.in.job, peer.ref)) + "\n";
  }
  return out;
}

}  // namespace

void add_native(const JobFacts& job, Variables& out) {
  const EnvironmentInput& in = job.in;
  const RoleSpec& role = *job.own_role().spec;
  out.set("TRAINYARD_JOB_ID", in.job.str());
  out.set("TRAINYARD_JOB_NAME", shown_name(in.spec, in.job));
  out.set("TRAINYARD_USER", in.owner);
  out.set("TRAINYARD_WORKSPACE", in.workspace);
  out.set("TRAINYARD_RUNTIME", std::string(to_word(in.runtime)));

  out.set("TRAINYARD_ROLE", role.name);
  std::vector<std::string> names;
  names.reserve(job.roles.size());
  for (const RoleFacts& one : job.roles) names.push_back(one.spec->name);
  out.set("TRAINYARD_ROLES", join(names, ","));
  out.set("TRAINYARD_INDEX", job.own().ref.index);
  out.set("TRAINYARD_COUNT", role.count);
  out.set("TRAINYARD_TASKS", static_cast<std::int64_t>(job.peers.size()));

  out.set("TRAINYARD_ATTEMPT", in.attempt);
  out.set("TRAINYARD_TASK_ATTEMPT", job.tries);
  if (in.deadline) out.set("TRAINYARD_DEADLINE", to_millis(*in.deadline) / 1000);

  out.set("TRAINYARD_HOST", job.own().host);
  if (job.own().placement != nullptr) out.set_if("TRAINYARD_NODE", job.own().placement->node);
  for (std::size_t r = 0; r < job.roles.size(); ++r) {
    std::string hosts;
    for (const PeerFacts& peer : job.peers) {
      if (peer.ref.role != static_cast<int>(r) || peer.host.empty()) continue;
      if (!hosts.empty()) hosts += ',';
      hosts += peer.host;
    }
    out.set_list("TRAINYARD_HOSTS_" + job.roles[r].upper, std::move(hosts));
  }
  if (const Placement* placement = job.own().placement) {
    const std::vector<Port> declared = all_ports(role);
    for (std::size_t i = 0; i < std::min(declared.size(), placement->ports.size()); ++i) {
      if (placement->ports[i].empty()) continue;
      const std::string label = to_upper(ident_name(declared[i].label));
      out.set("TRAINYARD_PORT_" + label, placement->ports[i].front());
      out.set("TRAINYARD_PORTS_" + label, join_ports(placement->ports[i]));
    }
    out.set_if("TRAINYARD_GPU_TYPE", placement->gpu_type);
  }
  out.set("TRAINYARD_CPUS", cores(role.resources.cpu_milli));
  out.set("TRAINYARD_MEMORY_MB", mebibytes(role.resources.memory));
  out.set("TRAINYARD_GPUS", role.resources.gpus);
  out.set_if("TRAINYARD_CODE_DIR", in.code_dir);
  out.set_if("TRAINYARD_DATA_DIR", in.data_dir);
  out.set_if("TRAINYARD_OUTPUT_DIR", in.output_dir);
  out.set_if("TRAINYARD_MODEL_DIR", in.model_dir);
  out.set("TRAINYARD_PEERS_FILE", job.file_path("peers.json"));
  out.set("TRAINYARD_HOSTFILE", job.file_path("hostfile"));
}

std::vector<std::pair<std::string, std::string>> make_files(const JobFacts& job) {
  std::vector<std::pair<std::string, std::string>> files;
  files.emplace_back("peers.json", peers_json(job));
  files.emplace_back("hostfile", mpi_hostfile(job));
  for (std::size_t r = 0; r < job.roles.size(); ++r) {
    const std::string hosts = host_lines(job, static_cast<int>(r));
    const std::string name =
        job.spec.dialect == Dialect::Pumpkin ? "task" + std::to_string(r) : job.roles[r].ident;
    files.emplace_back("volcano/" + name + ".host", hosts);
    files.emplace_back("taskInfo/" + name + ".host", hosts);
  }
  return files;
}

}  // namespace ty::model
