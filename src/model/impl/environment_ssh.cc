#include <algorithm>

#include "base/text.h"
#include "model/impl/job_facts.h"

/// Keys and names for ssh among the tasks of a job, as Volcano's `ssh` plugin and OpenPAI's
/// `jobssh` give them.
namespace ty::model {

namespace {

constexpr std::string_view kUsualFolder = "/root/.ssh";
constexpr std::int64_t kUsualPort = 22;

/// As processes all tasks share one address, so each has an ssh port of its own.
std::int64_t port_of(const JobFacts& job, const PeerFacts& peer) {
  if (!job.is_process()) return job.spec.services.ssh_port.value_or(kUsualPort);
  const std::vector<Port> ports =
      all_ports(*job.roles[static_cast<std::size_t>(peer.ref.role)].spec);
  const auto ssh = std::ranges::find(ports, "ssh", &Port::label);
  const auto at = static_cast<std::size_t>(ssh - ports.begin());
  if (peer.placement == nullptr || at >= peer.placement->ports.size()) return kUsualPort;
  return peer.placement->ports[at].empty() ? kUsualPort : peer.placement->ports[at].front();
}

std::string client_config(const JobFacts& job, const std::string& folder) {
  // Every task makes its host key itself, so there is none to compare with.
  std::string out =
      "StrictHostKeyChecking no\nUserKnownHostsFile /dev/null\nLogLevel ERROR\nIdentityFile " +
      folder + "/id_rsa\n";
  for (const PeerFacts& peer : job.peers) {
    if (peer.host.empty()) continue;
    out += "Host " + join(task_aliases(job.spec, job.in.job, peer.ref), " ") + "\n  HostName " +
           peer.host + "\n";
    if (const std::int64_t port = port_of(job, peer); port != kUsualPort)
      out += "  Port " + std::to_string(port) + "\n";
  }
  return out;
}

}  // namespace

std::optional<SshFolder> make_ssh_folder(const JobFacts& job) {
  const EnvironmentInput& in = job.in;
  if (in.ssh_private_key.empty()) return std::nullopt;
  SshFolder made;
  // A process has its run folder for a home.
  made.path = job.is_process() ? in.run_dir + "/.ssh"
                               : job.spec.services.ssh_folder.value_or(std::string(kUsualFolder));
  const bool is_taken = std::ranges::any_of(
      job.own_role().spec->mounts, [&](const Mount& mount) { return mount.target == made.path; });
  if (is_taken) return std::nullopt;  // the job brings its own
  made.files = {{"id_rsa", in.ssh_private_key},
                {"id_rsa.pub", in.ssh_public_key},
                {"authorized_keys", in.ssh_public_key},
                {"config", client_config(job, made.path)}};
  return made;
}

}  // namespace ty::model
