#include "model/impl/job_facts.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace ty::model {

namespace {

template <std::size_t N>
bool is_one_of(const std::string& name, const std::array<std::string_view, N>& words) {
  return std::ranges::find(words, std::string_view(name)) != words.end();
}

/// Roles that serve or watch the training instead of taking part in it.
constexpr std::array<std::string_view, 7> kServants = {
    "ps", "pserver", "psserver", "parameter_server", "evaluator", "eval", "tensorboard"};
constexpr std::array<std::string_view, 3> kLeaders = {"master", "chief", "launcher"};

RoleFacts facts_of(const RoleSpec& role) {
  RoleFacts facts;
  facts.spec = &role;
  facts.ident = ident_name(role.name);
  facts.upper = to_upper(facts.ident);
  // As written if legal is the same text as ident; otherwise only ident can be used.
  facts.spellings = {facts.ident};
  if (std::string squeezed = squeezed_name(role.name);
      !squeezed.empty() && squeezed != facts.ident) {
    facts.spellings.push_back(std::move(squeezed));
  }
  return facts;
}

std::string host_of(const EnvironmentInput& in, const Task& task, const std::string& address) {
  switch (in.runtime) {
    case RuntimeKind::Process:
    case RuntimeKind::Fake:
      return address;
    case RuntimeKind::Kubernetes:
      return in.kube_object + "-" + task_host(in.spec, task.ref) + "." + in.kube_object;
    case RuntimeKind::Docker:
    case RuntimeKind::Oci:
      return task_host(in.spec, task.ref);
  }
  return address;
}

}  // namespace

JobFacts::JobFacts(const EnvironmentInput& input) : in(input), spec(input.spec) {
  roles.reserve(spec.roles.size());
  for (const RoleSpec& role : spec.roles) roles.push_back(facts_of(role));
  peers.reserve(in.tasks.size());
  int role_before = -1;
  for (const Task& task : in.tasks) {
    if (task.ref.role != role_before) {
      role_before = task.ref.role;
      roles[static_cast<std::size_t>(role_before)].first_task = peers.size();
    }
    roles[static_cast<std::size_t>(task.ref.role)].end_task = peers.size() + 1;
    if (task.ref == in.self) {
      self = peers.size();
      tries = task.tries;
    }
    PeerFacts peer{.ref = task.ref};
    if (task.placement) {
      peer.placement = &*task.placement;
      peer.address = task.placement->address;
    }
    peer.host = host_of(in, task, peer.address);
    peers.push_back(std::move(peer));
  }
  for (const bool leaders : {true, false}) {
    for (std::size_t at = 0; at < peers.size(); ++at) {
      const RoleSpec& role = spec.roles[static_cast<std::size_t>(peers[at].ref.role)];
      if (!role.ranked || is_one_of(part_of(role), kServants)) continue;
      if (is_one_of(part_of(role), kLeaders) != leaders) continue;
      peers[at].rank = static_cast<int>(rank_order.size());
      rank_order.push_back(at);
    }
  }
}

std::string JobFacts::try_id() const {
  return in.job.str() + "." + std::to_string(in.attempt) + "." + own_role().ident + "." +
         std::to_string(own().ref.index) + "." + std::to_string(tries);
}

std::string JobFacts::file_path(std::string_view file) const {
  return (is_process() ? in.run_dir + "/" : std::string("/etc/trainyard/")).append(file);
}

std::string join_ports(const std::vector<int>& ports) {
  std::string text;
  for (const int port : ports) {
    if (!text.empty()) text += ',';
    text += std::to_string(port);
  }
  return text;
}

std::int64_t mebibytes(std::int64_t bytes) { return bytes >> 20; }

}  // namespace ty::model
