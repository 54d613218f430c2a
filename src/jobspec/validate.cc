#include "jobspec/impl/validate.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "jobspec/impl/limits.h"
#include "jobspec/impl/names.h"
#include "jobspec/impl/quantity.h"

namespace ty::jobspec {
namespace {

using model::Dialect;
using model::JobSpec;
using model::RoleSpec;

std::string bytes_over(std::size_t size, std::size_t most) {
  return std::to_string(size) + " bytes are too many; write at most " + std::to_string(most);
}

bool is_platform_variable(std::string_view name) {
  constexpr std::array<std::string_view, 19> kNames = {"RANK",
                                                       "NODE_RANK",
                                                       "WORLD_SIZE",
                                                       "NNODES",
                                                       "MASTER_ADDR",
                                                       "MASTER_PORT",
                                                       "LOCAL_RANK",
                                                       "LOCAL_WORLD_SIZE",
                                                       "TF_CONFIG",
                                                       "MPI_HOST",
                                                       "LEARNER_ID",
                                                       "NUM_LEARNERS",
                                                       "LEARNER_NAME_PREFIX",
                                                       "TRAINING_ID",
                                                       "TASKROLE_NAME",
                                                       "TASKROLE_REPLICA_INDEX",
                                                       "VK_TASK_INDEX",
                                                       "TASKSET_NAME",
                                                       "TASKSET_NAMESPACE"};
  constexpr std::array<std::string_view, 3> kPrefixes = {"PAI_", "VC_", "PET_"};
  return std::ranges::find(kNames, name) != kNames.end() ||
         std::ranges::any_of(kPrefixes,
                             [&](std::string_view prefix) { return name.starts_with(prefix); });
}

bool looks_like_a_secret(std::string_view name) {
  const std::string lower = to_lower(name);
  constexpr std::array<std::string_view, 6> kWords = {
      "password", "passwd", "token", "secret", "api_key", "access_key"};
  return std::ranges::any_of(
      kWords, [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

class Validator {
 public:
  Validator(const JobSpec& spec, const Origin& origin, Report& report)
      : spec_(spec), origin_(origin), report_(report) {}

  void run() {
    job();
    for (std::size_t i = 0; i < spec_.roles.size(); ++i) role(static_cast<int>(i));
    role_names();
    sums();
    cycles();
  }

 private:
  void error(const Subject& subject, std::string_view code, std::string message) {
    report_.error(origin_.locate(subject), code, std::move(message));
  }
  void error_at_key(const Subject& subject, std::string_view code, std::string message) {
    report_.error_at_key(origin_.locate(subject), code, std::move(message));
  }
  void refuse(const Subject& subject, const std::optional<Refusal>& refusal) {
    if (refusal) error(subject, refusal->code, refusal->message);
  }
  void refuse_key(const Subject& subject, const std::optional<Refusal>& refusal) {
    if (refusal) error_at_key(subject, refusal->code, refusal->message);
  }
  void at_most(const Subject& subject, std::size_t count, std::size_t most, std::string_view what) {
    if (count <= most) return;
    error_at_key(subject,
                 "range",
                 count_of(static_cast<std::int64_t>(count), what) +
                     " are too many; write at most " + std::to_string(most));
  }

  void job() {
    if (!spec_.name.empty() && !origin_.doubtful(Part::Name, -1)) {
      refuse({Part::Name}, check_job_name(spec_.dialect, spec_.name));
    }
    if (spec_.description.size() > limits::kDescription) {
      const auto characters = std::ranges::count_if(
          spec_.description, [](unsigned char c) { return (c & 0xC0) != 0x80; });
      if (characters > static_cast<std::ptrdiff_t>(limits::kDescription)) {
        error({Part::Description},
              "range",
              std::to_string(characters) + " characters are too many; write at most " +
                  std::to_string(limits::kDescription));
      }
    }
    refuse({Part::Workspace}, check_workspace(spec_.workspace));
    if (spec_.priority < limits::kMinPriority) {
      error({Part::Priority},
            "range",
            too_small(std::to_string(spec_.priority), std::to_string(limits::kMinPriority)));
    } else if (spec_.priority > limits::kMaxPriority) {
      error({Part::Priority},
            "range",
            too_large(std::to_string(spec_.priority), std::to_string(limits::kMaxPriority)));
    }
    labels();
    environment(-1, spec_.env);
    secrets();
    at_most({Part::Alerts}, spec_.alerts.size(), limits::kAlerts, "alert");
    at_most({Part::Metrics}, spec_.metrics.size(), limits::kMetrics, "metric");
    at_most({Part::Policies}, spec_.policies.size(), limits::kPolicies, "policy");
    if (spec_.params.size() > limits::kParams) {
      error_at_key({Part::Params}, "range", bytes_over(spec_.params.size(), limits::kParams));
    }
    if (spec_.extras.size() > limits::kExtras) {
      error_at_key({Part::Extras}, "range", bytes_over(spec_.extras.size(), limits::kExtras));
    }
    at_most({Part::Role}, spec_.roles.size(), limits::kRoles, "role");
  }

  void labels() {
    at_most({Part::Labels}, spec_.labels.size(), limits::kLabels, "label");
    for (const auto& [key, value] : spec_.labels) {
      const Subject subject{Part::Labels, -1, key};
      if (key.empty())
        error_at_key(subject, "pattern", "a label needs a name; write for example team: vision");
      refuse_key(subject, check_visible(key));
      refuse(subject, check_visible(value));
      if (key.size() > limits::kLabelKey) {
        error_at_key(subject, "range", bytes_over(key.size(), limits::kLabelKey));
      }
      if (value.size() > limits::kLabelValue) {
        error(subject, "range", bytes_over(value.size(), limits::kLabelValue));
      }
    }
  }

  void secrets() {
    at_most({Part::Secrets}, spec_.secrets.size(), limits::kSecrets, "secret");
    if (spec_.dialect != Dialect::Native) return;  // elsewhere the keys are paths, not variables
    for (const auto& [name, ref] : spec_.secrets) {
      refuse_key({Part::Secrets, -1, name}, check_env_name(spec_.dialect, name));
    }
  }

  void environment(int role, const model::EnvMap& env) {
    std::size_t sum = 0;
    for (const auto& [name, value] : env) {
      const Subject subject{Part::Env, role, name};
      refuse_key(subject, check_env_name(spec_.dialect, name));
      if (!value) continue;
      sum += name.size() + value->size() + 2;
      if (value->size() > limits::kEnvValue) {
        error(subject, "range", bytes_over(value->size(), limits::kEnvValue));
      }
      if (value->find('\0') != std::string::npos) {
        error(subject, "nul", "NUL cannot be passed to a program; remove it");
      }
      const auto warn = [&](std::string_view code, std::string message) {
        report_.warn_at_key(origin_.locate(subject), code, std::move(message));
      };
      if (name == "NVIDIA_VISIBLE_DEVICES") {
        warn("device_env", name + " stays with the platform; ask for gpus instead");
      } else if (is_platform_variable(name)) {
        warn("shadows", "replaces the platform's " + name + " in this job");
      }
      if (!value->empty() && looks_like_a_secret(name)) {
        warn("secret", "looks like a secret; store it with trainyard secret set");
      }
    }
    if (sum > limits::kEnvSum)
      error_at_key({Part::Env, role}, "range", bytes_over(sum, limits::kEnvSum));
  }

  void role(int i) {
    const RoleSpec& role = spec_.roles[static_cast<std::size_t>(i)];
    refuse_key({Part::Role, i}, check_role_name(spec_.dialect, role.name));
    counts(i, role);
    resources(i, role);
    image(i, role);
    command(i, role);
    environment(i, role.env);
    ports(i, role);
    mounts(i, role);
    at_most({Part::Policies, i}, role.policies.size(), limits::kPolicies, "policy");
    at_most({Part::NodeLabels, i}, role.node_labels.size(), limits::kNodeLabels, "label");
    for (const model::After& after : role.after) {
      const bool known =
          std::ranges::any_of(spec_.roles, [&](const RoleSpec& r) { return r.name == after.role; });
      if (known) continue;
      std::vector<std::string> names;
      for (const RoleSpec& other : spec_.roles) names.push_back(other.name);
      error({Part::After, i, after.role},
            "reference",
            "no role is called \"" + shorten(after.role) + "\"; the roles are " +
                shorten(join(names, ", "), 200));
    }
  }

  std::string_view never_word() const {
    return spec_.dialect == Dialect::Native      ? "never"
           : spec_.dialect == Dialect::OpenPaiV2 ? "-1 for never"
                                                 : "null for never";
  }

  void counts(int i, const RoleSpec& role) {
    const std::int64_t least = spec_.dialect == Dialect::Volcano ? 0 : 1;
    if (origin_.doubtful(Part::Count, i)) return;
    if (role.count < least) {
      error(
          {Part::Count, i}, "range", too_small(std::to_string(role.count), std::to_string(least)));
      return;
    }
    if (role.count > limits::kTasks) {
      error({Part::Count, i},
            "range",
            too_large(std::to_string(role.count), std::to_string(limits::kTasks)));
      return;
    }
    const std::string tasks = count_of(role.count, "task");
    const auto within =
        [&](Part part, std::optional<std::int64_t> n, std::int64_t from, bool may_never) {
          if (!n || origin_.doubtful(part, i)) return;
          if (*n < from) {
            error({part, i}, "range", too_small(std::to_string(*n), std::to_string(from)));
          } else if (*n > role.count) {
            error({part, i},
                  "more_than_count",
                  std::to_string(*n) + " is more than the " + tasks + " of the role; write " +
                      (role.count == from ? "" : std::to_string(from) + " to ") +
                      std::to_string(role.count) +
                      (may_never ? ", or " + std::string(never_word()) : ""));
          }
        };
    within(Part::MinCount, role.min_available, 0, false);
    within(Part::FailWhen, role.completion.min_failed, 1, true);
    within(Part::DoneWhen, role.completion.min_succeeded, 1, spec_.dialect != Dialect::Native);
    if (role.completion.decider && !origin_.doubtful(Part::DoneWhen, i) &&
        (*role.completion.decider < 0 || *role.completion.decider >= role.count)) {
      error({Part::DoneWhen, i},
            "more_than_count",
            "there is no task " + std::to_string(*role.completion.decider) + " among the " + tasks +
                " of the role; the first is 0, the last " + std::to_string(role.count - 1));
    }
  }

  void resources(int i, const RoleSpec& role) {
    const model::Resources& r = role.resources;
    const auto within =
        [&](Part part, std::int64_t value, std::int64_t least, std::int64_t most, auto show) {
          if (origin_.doubtful(part, i)) return;
          if (value < least)
            error({part, i}, "range", too_small(show(value), show(least)));
          else if (value > most)
            error({part, i}, "range", too_large(show(value), show(most)));
        };
    within(Part::Cpus, r.cpu_milli, 1, limits::kCpuMilli, format_cpus);
    within(Part::Memory, r.memory, limits::kMinMemory, limits::kMaxMemory, format_memory);
    within(Part::Gpus, r.gpus, 0, limits::kGpus, [](std::int64_t n) { return std::to_string(n); });
    if (r.shm > r.memory && !origin_.doubtful(Part::Shm, i) && !origin_.doubtful(Part::Memory, i)) {
      error({Part::Shm, i},
            "shm_over_memory",
            format_memory(r.shm) + " of shared memory do not fit into " + format_memory(r.memory) +
                "; raise memory or lower shm");
    }
  }

  void image(int i, const RoleSpec& role) {
    const Subject subject{Part::Image, i};
    if (role.image.size() > limits::kImageBytes) {
      error(subject, "range", bytes_over(role.image.size(), limits::kImageBytes));
    }
    const bool blank =
        std::ranges::any_of(role.image, [](unsigned char c) { return c <= ' ' || c == 0x7F; });
    if (blank) {
      error(subject,
            "pattern",
            "\"" + shorten(role.image) + "\" is no image; write for example python:3.12");
    }
    refuse(subject, check_visible(role.image));
  }

  void command(int i, const RoleSpec& role) {
    const model::Command& command = role.command;
    const Subject subject{Part::Command, i};
    if (command.script.size() > limits::kScript) {
      error(subject, "range", bytes_over(command.script.size(), limits::kScript));
    }
    std::size_t sum = 0;
    for (const auto* list : {&command.argv, &command.args}) {
      for (const std::string& item : *list) {
        sum += item.size() + 1;
        if (item.size() > limits::kArgument) {
          error(subject, "range", bytes_over(item.size(), limits::kArgument));
        }
      }
    }
    if (sum > limits::kArguments) error(subject, "range", bytes_over(sum, limits::kArguments));
    if (role.workdir) {
      if (auto wrong = bad_path(*role.workdir)) error({Part::Workdir, i}, "target", *wrong);
    }
  }

  void ports(int i, const RoleSpec& role) {
    at_most({Part::Ports, i}, role.ports.size(), limits::kPortLabels, "port label");
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < role.ports.size(); ++k) {
      const model::Port& port = role.ports[k];
      const Subject subject{Part::Ports, i, port.label, k};
      refuse_key(subject, check_port_label(port.label));
      if (port.count < 1)
        error(subject, "range", too_small(std::to_string(port.count), "1"));
      else if (port.count > limits::kPorts) {
        error(subject,
              "range",
              too_large(std::to_string(port.count), std::to_string(limits::kPorts)));
      } else {
        sum += port.count;
        if (port.first < 0)
          error(subject, "range", too_small(std::to_string(port.first), "1"));
        else if (port.first > limits::kMaxPort || port.first + port.count - 1 > limits::kMaxPort) {
          error(subject,
                "range",
                too_large(std::to_string(port.first),
                          std::to_string(limits::kMaxPort - port.count + 1)));
        }
      }
      for (std::size_t before = 0; before < k && before < limits::kPortLabels; ++before) {
        const model::Port& other = role.ports[before];
        if (other.label == port.label) {
          error_at_key(
              subject, "duplicate_name", "two ports are called \"" + port.label + "\"; rename one");
          break;
        }
        const bool overlap = port.first > 0 && other.first > 0 &&
                             port.first < other.first + other.count &&
                             other.first < port.first + port.count;
        if (overlap) {
          error(subject,
                "duplicate_name",
                "port " + std::to_string(std::max(port.first, other.first)) +
                    " is asked for by \"" + other.label + "\" too; change one");
          break;
        }
      }
    }
    if (sum > limits::kPorts) {
      error_at_key({Part::Ports, i},
                   "range",
                   std::to_string(sum) + " ports are too many; write at most " +
                       std::to_string(limits::kPorts));
    }
  }

  static std::optional<std::string> bad_path(const std::string& path) {
    if (!path.starts_with('/')) {
      return path.empty() ? std::string("is empty; write an absolute path, for example /data")
                          : "\"" + shorten(path) + "\" is not absolute; write /" + shorten(path);
    }
    if (path.size() > limits::kPathBytes) return bytes_over(path.size(), limits::kPathBytes);
    if (auto hidden = check_visible(path)) return hidden->message;
    for (const std::string& step : split(path, '/')) {
      if (step == "..")
        return "\"" + shorten(path) + "\" climbs with \"..\"; write the path it means";
    }
    return std::nullopt;
  }

  /// `/data/` and `//data/.` are `/data`.
  static std::string tidy(const std::string& path) {
    std::string out;
    for (const std::string& step : split(path, '/')) {
      if (!step.empty() && step != ".") out += "/" + step;
    }
    return out.empty() ? "/" : out;
  }

  static bool is_reserved_target(const std::string& path) {
    const auto inside = [&](std::string_view folder) {
      return path == folder || (path.starts_with(folder) && path[folder.size()] == '/');
    };
    if (path == "/dev/shm") return false;
    return path == "/" || inside("/proc") || inside("/sys") || inside("/dev") ||
           inside("/etc/trainyard");
  }

  void mounts(int i, const RoleSpec& role) {
    at_most({Part::Mounts, i}, role.mounts.size(), limits::kMounts, "mount");
    std::vector<std::string> targets;
    for (std::size_t k = 0; k < role.mounts.size() && k <= limits::kMounts; ++k) {
      const model::Mount& mount = role.mounts[k];
      const Subject subject{Part::Mounts, i, mount.name, k};
      // Only a name in the environment, or a copy below wherever the command starts: no place of
      // its own to check.
      const bool below_start =
          mount.mode == model::MountMode::CopyIn && mount.target.starts_with("./");
      if (mount.mode == model::MountMode::ExportOnly || below_start) {
        targets.emplace_back();
        continue;
      }
      if (auto wrong = bad_path(mount.target)) {
        error(subject, "target", *wrong);
        targets.emplace_back();
        continue;
      }
      const std::string target = tidy(mount.target);
      if (is_reserved_target(target)) {
        error(subject,
              "target",
              target + " belongs to the system; choose another target, for example /data");
      } else if (const auto first = std::ranges::find(targets, target); first != targets.end()) {
        const Subject earlier{
            Part::Mounts, i, "", static_cast<std::size_t>(first - targets.begin())};
        const Ref at = origin_.locate(earlier);
        error(subject,
              "target",
              target + " is mounted twice, first in line " +
                  std::to_string(at.tree().position(at).line) + "; change one");
      }
      targets.push_back(target);
      refuse(subject, check_visible(mount.source));
    }
  }

  void role_names() {
    for (std::size_t b = 0; b < spec_.roles.size() && b <= limits::kRoles; ++b) {
      for (std::size_t a = 0; a < b; ++a) {
        if (spec_.roles[a].system_name != spec_.roles[b].system_name) continue;
        const Ref first = origin_.locate({Part::Role, static_cast<int>(a)});
        const Ref second = origin_.locate({Part::Role, static_cast<int>(b)});
        report_.error_at_key(second,
                             "duplicate_name",
                             "two roles are called \"" + shorten(spec_.roles[b].name) +
                                 "\" (lines " + std::to_string(first.tree().line(first)) + ", " +
                                 std::to_string(second.tree().line(second)) +
                                 "; case and \"_\" do not count); rename one");
        break;
      }
    }
  }

  void sums() {
    std::int64_t tasks = 0;
    __int128 gpus = 0, cpus = 0, memory = 0;
    bool sure = true;
    for (std::size_t i = 0; i < spec_.roles.size(); ++i) {
      const RoleSpec& role = spec_.roles[i];
      if (role.count > limits::kTasks || origin_.doubtful(Part::Count, static_cast<int>(i)))
        sure = false;
      tasks += std::clamp<std::int64_t>(role.count, 0, limits::kTasks);
      gpus += static_cast<__int128>(role.count) * role.resources.gpus;
      cpus += static_cast<__int128>(role.count) * role.resources.cpu_milli;
      memory += static_cast<__int128>(role.count) * role.resources.memory;
    }
    if (!sure) return;
    const auto sum = [&](std::int64_t n, std::string_view what, std::int64_t most) {
      if (n <= most) return;
      error_at_key({Part::Role},
                   "range",
                   "the roles have " + std::to_string(n) + " " + std::string(what) +
                       " together; write at most " + std::to_string(most));
    };
    sum(tasks, "tasks", limits::kTasks);
    sum(static_cast<std::int64_t>(std::min<__int128>(gpus, INT64_MAX)), "GPUs", limits::kJobGpus);
    if (cpus > INT64_MAX || memory > INT64_MAX) {
      error_at_key(
          {Part::Role}, "overflow", "the roles ask for more together than fits; write less");
    }
    const auto within = [&](Part part, std::optional<std::int64_t> n) {
      if (!n || *n <= tasks) return;
      error({part},
            "more_than_count",
            std::to_string(*n) + " is more than the " + count_of(tasks, "task") +
                " of the job; write " + (tasks > 1 ? "1 to " : "") + std::to_string(tasks));
    };
    within(Part::Gang, spec_.min_available);
    within(Part::SucceedAfter, spec_.completion.min_succeeded);
  }

  /// Each ring of `after` once, told from its first role in file order.
  void cycles() {
    if (spec_.roles.size() > limits::kRoles) return;
    const auto index_of = [&](const std::string& name) -> int {
      for (std::size_t i = 0; i < spec_.roles.size(); ++i) {
        if (spec_.roles[i].name == name) return static_cast<int>(i);
      }
      return -1;
    };
    enum class Mark : std::uint8_t { New, Open, Done };
    std::vector<Mark> marks(spec_.roles.size(), Mark::New);
    std::vector<int> way;
    const auto visit = [&](auto& self, int i) -> void {
      marks[static_cast<std::size_t>(i)] = Mark::Open;
      way.push_back(i);
      for (const model::After& after : spec_.roles[static_cast<std::size_t>(i)].after) {
        const int next = index_of(after.role);
        if (next < 0 || marks[static_cast<std::size_t>(next)] == Mark::Done) continue;
        if (marks[static_cast<std::size_t>(next)] == Mark::New) {
          self(self, next);
          continue;
        }
        std::string ring;
        for (auto step = std::ranges::find(way, next); step != way.end(); ++step) {
          ring += spec_.roles[static_cast<std::size_t>(*step)].name + " → ";
        }
        error_at_key({Part::After, i, after.role},
                     "cycle",
                     "waits for itself: " + ring + after.role + "; remove one \"after\"");
      }
      way.pop_back();
      marks[static_cast<std::size_t>(i)] = Mark::Done;
    };
    for (std::size_t i = 0; i < spec_.roles.size(); ++i) {
      if (marks[i] == Mark::New) visit(visit, static_cast<int>(i));
    }
  }

  const JobSpec& spec_;
  const Origin& origin_;
  Report& report_;
};

}  // namespace

void validate(const JobSpec& spec, const Origin& origin, Report& report) {
  Validator(spec, origin, report).run();
}

}  // namespace ty::jobspec
