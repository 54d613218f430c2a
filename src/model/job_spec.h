#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

/// What a person asked for, whatever dialect they wrote it in (job-model §1). Plain values: parsers
/// fill them, `jobspec/validate.cc` checks them, everything after only reads.
namespace ty::model {

enum class Dialect : std::uint8_t {
  Native,
  OpenPaiV1,
  OpenPaiV2,
  Ffdl,
  GpuManager,
  Volcano,
  Pumpkin,  ///< its word is `octopus`, the platform Pumpkin is made of
};

enum class PullPolicy : std::uint8_t { IfMissing, Always, Never };
enum class Network : std::uint8_t { Bridge, Host };

/// A JSON document kept as text: the model carries it, it never looks inside.
using JsonText = std::string;

/// null removes a variable of the platform's.
using EnvMap = std::map<std::string, std::optional<std::string>>;
using TextMap = std::map<std::string, std::string>;

struct Resources {
  std::int64_t cpu_milli = 0;  ///< 0 only before defaults are filled in
  std::int64_t memory = 0;     ///< bytes
  std::int64_t shm = 0;        ///< bytes, inside `memory`
  std::int64_t gpus = 0;
  std::vector<std::string> gpu_types;  ///< any of these; empty: any
  std::map<std::string, std::int64_t> devices;
  std::optional<std::int64_t> disk;
  std::optional<std::string> spec_id;
  bool operator==(const Resources&) const = default;
};

struct Port {
  std::string label;
  std::int64_t count = 1;
  std::int64_t first = 0;  ///< 0: any
  bool operator==(const Port&) const = default;
};

enum class MountKind : std::uint8_t { Code, Data, Output, Model, Storage, Home, Scratch };
enum class MountMode : std::uint8_t { Mount, CopyIn, CopyInOut, ExportOnly };

struct Mount {
  MountKind kind = MountKind::Storage;
  std::string name;
  std::string source;  ///< `upload:<sha256>`, `host:/path`, `storage:name/sub`, `git+url@ref`, …
  std::string target;  ///< absolute, inside the task
  bool read_only = false;
  MountMode mode = MountMode::Mount;
  std::optional<std::int64_t> size_limit;
  std::optional<std::string> secret;
  bool operator==(const Mount&) const = default;
};

enum class Shell : std::uint8_t { None, Sh, Bash, BashOrSh };
enum class Entrypoint : std::uint8_t { Keep, Clear };

struct Command {
  Shell shell = Shell::None;
  std::vector<std::string> argv;  ///< with Shell::None; empty: the image's own command
  std::string script;             ///< otherwise; travels as a file, never as one argument
  std::vector<std::string> args;
  std::string pre;
  std::string post;  ///< only after success
  bool errexit = false;
  bool nounset = false;
  bool pipefail = false;
  Entrypoint entrypoint = Entrypoint::Keep;
  bool operator==(const Command&) const = default;
};

struct RoleCompletion {
  std::optional<std::int64_t> min_failed = 1;  ///< null: never
  std::optional<std::int64_t> min_succeeded;   ///< null: never
  bool ends_job = false;
  std::optional<std::int64_t> decider;  ///< index of the task whose success makes the role done
  std::int64_t need = 0;
  bool operator==(const RoleCompletion&) const = default;
};

enum class AtEnd : std::uint8_t { Succeed, CheckRole, CheckJob };

struct JobCompletion {
  std::optional<std::int64_t> min_succeeded;
  AtEnd at_end = AtEnd::CheckRole;
  std::int64_t need = 0;
  Seconds linger{0};
  bool operator==(const JobCompletion&) const = default;
};

/// Whose fault an end was; decides what a retry does (job-model §6.4, §8).
enum class FailureClass : std::uint8_t { None, User, Platform, Conflict, Permanent };

struct Retry {
  std::int64_t budget = 0;  ///< -1 no limit, -2 also after success
  /// Classes that lead to another attempt when the budget allows (§6.4), and those that use it up.
  std::vector<FailureClass> on = {
      FailureClass::User, FailureClass::Platform, FailureClass::Conflict};
  std::vector<FailureClass> counted = {FailureClass::User};
  std::int64_t platform_cap = 20;
  Seconds backoff{10};
  Seconds max_backoff{600};
  std::vector<std::int64_t> exit_codes;  ///< empty: any
  bool operator==(const Retry&) const = default;
};

enum class RestartOn : std::uint8_t { Failure, Any };

struct Restart {
  std::int64_t budget = 0;  ///< -1: no limit
  RestartOn on = RestartOn::Failure;
  bool lost = false;
  bool operator==(const Restart&) const = default;
};

enum class PolicyEvent : std::uint8_t {
  TaskFailed,
  TaskEvicted,
  TaskPending,
  RoleDone,
  RoleFailed,
  Unplaceable,
  JobUpdated,
  Any
};
enum class PolicyAction : std::uint8_t {
  RestartJob,
  RestartRole,
  RestartTask,
  RestartPartition,
  PauseJob,
  ResumeJob,
  FailJob,
  SucceedJob
};

struct Policy {
  std::vector<PolicyEvent> events;
  std::optional<std::int64_t> exit_code;
  PolicyAction action = PolicyAction::RestartJob;
  std::optional<Seconds> delay;
  bool operator==(const Policy&) const = default;
};

enum class AlertLevel : std::uint8_t { Critical, Major, Minor, Warning, Info };

struct Alert {
  std::vector<std::string> states;  ///< started succeeded failed cancelled retried
  std::optional<std::string> at;    ///< "YYYY-MM-DD HH:MM", the server's zone
  std::optional<Seconds> after;
  AlertLevel level = AlertLevel::Warning;
  std::vector<std::string> to;
  std::optional<Seconds> every;
  bool operator==(const Alert&) const = default;
};

enum class MetricKind : std::uint8_t { Regex, Tensorboard, File };

struct MetricRule {
  MetricKind kind = MetricKind::Regex;
  std::string name;
  std::string group;
  std::string pattern;
  std::string value;
  std::string step;
  std::int64_t window = 1;
  bool operator==(const MetricRule&) const = default;
};

struct Services {
  std::optional<std::string> tensorboard;  ///< log folder
  bool ssh = false;                        ///< tasks get keys for each other
  std::optional<std::string> ssh_folder;   ///< where the keys are found; null: `/root/.ssh`
  std::optional<std::int64_t> ssh_port;    ///< where tasks with a network listen; null: 22
  bool mpi = false;
  std::optional<std::int64_t> master_port;      ///< of MASTER_PORT where tasks have a network
  std::optional<std::int64_t> tensorflow_port;  ///< of TF_CONFIG where tasks have a network
  bool operator==(const Services&) const = default;
};

/// A value sealed at rest, or the name of a stored secret. Exactly one is set.
struct SecretRef {
  std::optional<std::string> stored_name;
  std::optional<std::string> sealed;
  bool operator==(const SecretRef&) const = default;
};

struct ImageAuth {
  std::string server;
  std::string username;
  SecretRef password;
  std::optional<std::string> stored_name;
  std::optional<std::string> file;
  bool operator==(const ImageAuth&) const = default;
};

struct RunAs {
  std::string user;
  std::optional<std::int64_t> uid;
  std::optional<std::int64_t> gid;
  bool operator==(const RunAs&) const = default;
};

struct Sku {
  std::string type;
  std::int64_t count = 0;
  std::string pinned_cell;
  std::string affinity_group;
  bool operator==(const Sku&) const = default;
};

enum class AfterWhen : std::uint8_t { Started, Succeeded };

struct After {
  std::string role;
  AfterWhen when = AfterWhen::Succeeded;
  bool any = false;  ///< one task of the role is enough
  bool operator==(const After&) const = default;
};

struct RoleSpec {
  std::string name;
  std::string system_name;  ///< used in host names
  std::int64_t count = 1;
  std::optional<std::int64_t> min_available;  ///< null: count
  std::string image;
  PullPolicy pull = PullPolicy::IfMissing;
  std::optional<ImageAuth> image_auth;
  Command command;
  std::optional<std::string> workdir;
  Resources resources;
  std::vector<Port> ports;
  std::vector<Mount> mounts;
  EnvMap env;
  std::vector<Policy> policies;
  RoleCompletion completion;
  Restart restart;
  std::vector<After> after;
  bool ranked = true;
  std::string part;  ///< master, worker, ps, …: played in a training where the name does not say it
  Network network = Network::Bridge;
  TextMap node_labels;
  std::optional<Sku> sku;
  std::vector<std::string> caps;  ///< ptrace ipc_lock sys_admin net_admin
  std::optional<Seconds> task_limit;
  bool operator==(const RoleSpec&) const = default;
};

/// A key the dialect does not know, kept so that it can be printed back.
struct UnknownKey {
  std::string pointer;
  JsonText value;
  bool operator==(const UnknownKey&) const = default;
};

struct JobSpec {
  Dialect dialect = Dialect::Native;
  std::string name;  ///< empty: `job-` + first 7 of the id
  std::string description;
  std::string workspace = "default";
  std::int64_t priority = 10;       ///< low -1, normal 10, high 100, urgent 120
  std::optional<bool> preemptible;  ///< null: priority < 0
  TextMap labels;
  std::vector<RoleSpec> roles;
  std::optional<std::int64_t> min_available;  ///< null: all (gang); 0: each alone
  JobCompletion completion;
  Retry retry;
  std::vector<Policy> policies;
  std::optional<Seconds> time_limit;
  std::optional<Seconds> wait_limit;
  std::optional<Seconds> ttl;
  std::optional<Seconds> debug_hold;
  Seconds stop_grace{30};
  EnvMap env;
  std::map<std::string, SecretRef> secrets;
  JsonText params = "{}";
  TextMap links;
  JsonText extras = "{}";
  std::vector<Alert> alerts;
  std::vector<MetricRule> metrics;
  Services services;
  std::optional<RunAs> run_as;
  std::vector<UnknownKey> unknown;
  std::optional<JsonText> kube;
  bool operator==(const JobSpec&) const = default;
};

/// `worker`, `ps`: what frameworks call the role.
inline const std::string& part_of(const RoleSpec& role) {
  return role.part.empty() ? role.name : role.part;
}
/// In Kubernetes' formats a port says where a container listens on an address of its own. Tasks
/// that share one address cannot all have it, and then need not.
bool only_declares_ports(const JobSpec& spec);
bool is_preemptible(const JobSpec& spec);
std::int64_t task_count(const JobSpec& spec);
std::int64_t gpu_count(const JobSpec& spec);
/// Tasks that must start together; 0 when each starts alone.
std::int64_t gang_size(const JobSpec& spec);

}  // namespace ty::model
