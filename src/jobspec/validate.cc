#include "jobspec/impl/validate.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "jobspec/impl/limits.h"
#include "jobspec/impl/names.h"
#include "jobspec/impl/quantity.h"
#include "jobspec/messages.h"

namespace ty::jobspec {
namespace {

using model::Dialect;
using model::JobSpec;
using model::RoleSpec;

Message bytes_over(std::size_t size, std::size_t most) {
  return say::too_many_bytes({.size = size, .most = most});
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
  void error(const Subject& subject, std::string_view code, Message message) {
    report_.error(origin_.locate(subject), code, std::move(message));
  }
  void error_at_key(const Subject& subject, std::string_view code, Message message) {
    report_.error_at_key(origin_.locate(subject), code, std::move(message));
  }
  void refuse(const Subject& subject, const std::optional<Refusal>& refusal) {
    if (refusal) error(subject, refusal->code, refusal->message);
  }
  void refuse_key(const Subject& subject, const std::optional<Refusal>& refusal) {
    if (refusal) error_at_key(subject, refusal->code, refusal->message);
  }
  void at_most(const Subject& subject, std::size_t count, std::size_t most, Message (*what)()) {
    if (count <= most) return;
    error_at_key(
        subject, "range", say::too_many_of({.count = count, .what = what(), .most = most}));
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
              say::too_many_characters(
                  {.count = static_cast<std::int64_t>(characters), .most = limits::kDescription}));
      }
    }
    refuse({Part::Workspace}, check_workspace(spec_.workspace));
    if (spec_.priority < limits::kMinPriority) {
      error({Part::Priority},
            "range",
            say::value_too_small({.value = spec_.priority, .least = limits::kMinPriority}));
    } else if (spec_.priority > limits::kMaxPriority) {
      error({Part::Priority},
            "range",
            say::value_too_large({.value = spec_.priority, .most = limits::kMaxPriority}));
    }
    labels();
    environment(-1, spec_.env);
    secrets();
    at_most({Part::Alerts}, spec_.alerts.size(), limits::kAlerts, say::noun_alerts);
    at_most({Part::Metrics}, spec_.metrics.size(), limits::kMetrics, say::noun_metrics);
    at_most({Part::Policies}, spec_.policies.size(), limits::kPolicies, say::noun_policies);
    if (spec_.params.size() > limits::kParams) {
      error_at_key({Part::Params}, "range", bytes_over(spec_.params.size(), limits::kParams));
    }
    if (spec_.extras.size() > limits::kExtras) {
      error_at_key({Part::Extras}, "range", bytes_over(spec_.extras.size(), limits::kExtras));
    }
    at_most({Part::Role}, spec_.roles.size(), limits::kRoles, say::noun_roles);
  }

  void labels() {
    at_most({Part::Labels}, spec_.labels.size(), limits::kLabels, say::noun_labels);
    for (const auto& [key, value] : spec_.labels) {
      const Subject subject{Part::Labels, -1, key};
      if (key.empty()) error_at_key(subject, "pattern", say::label_without_name());
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
    at_most({Part::Secrets}, spec_.secrets.size(), limits::kSecrets, say::noun_secrets);
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
        error(subject, "nul", say::contains_nul());
      }
      const auto warn = [&](std::string_view code, Message message) {
        report_.warn_at_key(origin_.locate(subject), code, std::move(message));
      };
      if (name == "NVIDIA_VISIBLE_DEVICES") {
        warn("device_env", say::device_variable({.name = name}));
      } else if (is_platform_variable(name)) {
        warn("shadows", say::shadows_variable({.name = name}));
      }
      if (!value->empty() && looks_like_a_secret(name)) {
        warn("secret", say::looks_like_a_secret());
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
    at_most({Part::Policies, i}, role.policies.size(), limits::kPolicies, say::noun_policies);
    at_most({Part::NodeLabels, i}, role.node_labels.size(), limits::kNodeLabels, say::noun_labels);
    for (const model::After& after : role.after) {
      const bool known =
          std::ranges::any_of(spec_.roles, [&](const RoleSpec& r) { return r.name == after.role; });
      if (known) continue;
      Words names;
      for (const RoleSpec& other : spec_.roles) names.push_back(other.name);
      error({Part::After, i, after.role},
            "reference",
            say::no_role_called({.name = shorten(after.role), .names = some_of(names)}));
    }
  }

  Message never_word() const {
    return spec_.dialect == Dialect::Native      ? say::never_native()
           : spec_.dialect == Dialect::OpenPaiV2 ? say::never_minus_one()
                                                 : say::never_null();
  }

  Message more_than_count(std::int64_t value,
                          std::int64_t count,
                          std::int64_t least,
                          bool may_never) const {
    Message range = count == least ? say::exactly_count({.count = count})
                                   : say::from_least_to_most({.least = least, .most = count});
    if (may_never) range = say::range_or_never({.range = std::move(range), .never = never_word()});
    return say::more_than_tasks_of_role(
        {.value = value, .count = count, .range = std::move(range)});
  }

  void counts(int i, const RoleSpec& role) {
    const std::int64_t least = spec_.dialect == Dialect::Volcano ? 0 : 1;
    if (origin_.doubtful(Part::Count, i)) return;
    if (role.count < least) {
      error({Part::Count, i}, "range", say::value_too_small({.value = role.count, .least = least}));
      return;
    }
    if (role.count > limits::kTasks) {
      error({Part::Count, i},
            "range",
            say::value_too_large({.value = role.count, .most = limits::kTasks}));
      return;
    }
    const auto within =
        [&](Part part, std::optional<std::int64_t> n, std::int64_t from, bool may_never) {
          if (!n || origin_.doubtful(part, i)) return;
          if (*n < from) {
            error({part, i}, "range", say::value_too_small({.value = *n, .least = from}));
          } else if (*n > role.count) {
            error({part, i}, "more_than_count", more_than_count(*n, role.count, from, may_never));
          }
        };
    within(Part::MinCount, role.min_available, 0, false);
    within(Part::FailWhen, role.completion.min_failed, 1, true);
    within(Part::DoneWhen, role.completion.min_succeeded, 1, spec_.dialect != Dialect::Native);
    if (role.completion.decider && !origin_.doubtful(Part::DoneWhen, i) &&
        (*role.completion.decider < 0 || *role.completion.decider >= role.count)) {
      error({Part::DoneWhen, i},
            "more_than_count",
            say::no_task_with_index(
                {.index = *role.completion.decider, .count = role.count, .last = role.count - 1}));
    }
  }

  void resources(int i, const RoleSpec& role) {
    const model::Resources& r = role.resources;
    const auto within = [&](Part part,
                            std::int64_t value,
                            std::int64_t least,
                            std::int64_t most,
                            auto show) {
      if (origin_.doubtful(part, i)) return;
      if (value < least)
        error(
            {part, i}, "range", say::value_too_small({.value = show(value), .least = show(least)}));
      else if (value > most)
        error({part, i}, "range", say::value_too_large({.value = show(value), .most = show(most)}));
    };
    within(Part::Cpus, r.cpu_milli, 1, limits::kCpuMilli, format_cpus);
    within(Part::Memory, r.memory, limits::kMinMemory, limits::kMaxMemory, format_memory);
    within(Part::Gpus, r.gpus, 0, limits::kGpus, [](std::int64_t n) { return std::to_string(n); });
    if (r.shm > r.memory && !origin_.doubtful(Part::Shm, i) && !origin_.doubtful(Part::Memory, i)) {
      error({Part::Shm, i},
            "shm_over_memory",
            say::shm_over_memory({.shm = format_memory(r.shm), .memory = format_memory(r.memory)}));
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
            say::invalid_value({.value = in_quotes(role.image),
                                .what = say::noun_image(),
                                .example = "python:3.12"}));
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
    at_most({Part::Ports, i}, role.ports.size(), limits::kPortLabels, say::noun_port_labels);
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < role.ports.size(); ++k) {
      const model::Port& port = role.ports[k];
      const Subject subject{Part::Ports, i, port.label, k};
      refuse_key(subject, check_port_label(port.label));
      if (port.count < 1)
        error(subject, "range", say::value_too_small({.value = port.count, .least = 1}));
      else if (port.count > limits::kPorts) {
        error(
            subject, "range", say::value_too_large({.value = port.count, .most = limits::kPorts}));
      } else {
        sum += port.count;
        if (port.first < 0)
          error(subject, "range", say::value_too_small({.value = port.first, .least = 1}));
        else if (port.first > limits::kMaxPort || port.first + port.count - 1 > limits::kMaxPort) {
          error(subject,
                "range",
                say::value_too_large(
                    {.value = port.first, .most = limits::kMaxPort - port.count + 1}));
        }
      }
      for (std::size_t before = 0; before < k && before < limits::kPortLabels; ++before) {
        const model::Port& other = role.ports[before];
        if (other.label == port.label) {
          error_at_key(subject, "duplicate_name", say::two_ports_called({.name = port.label}));
          break;
        }
        const bool overlap = port.first > 0 && other.first > 0 &&
                             port.first < other.first + other.count &&
                             other.first < port.first + port.count;
        if (overlap) {
          error(subject,
                "duplicate_name",
                say::port_requested_twice(
                    {.port = std::max(port.first, other.first), .name = other.label}));
          break;
        }
      }
    }
    if (sum > limits::kPorts) {
      error_at_key(
          {Part::Ports, i},
          "range",
          say::too_many_of({.count = sum, .what = say::noun_ports(), .most = limits::kPorts}));
    }
  }

  static std::optional<Message> bad_path(const std::string& path) {
    if (!path.starts_with('/')) {
      return path.empty() ? say::path_is_empty()
                          : say::path_not_absolute(
                                {.path = in_quotes(path), .example = "/" + shorten(path)});
    }
    if (path.size() > limits::kPathBytes) return bytes_over(path.size(), limits::kPathBytes);
    if (auto hidden = check_visible(path)) return hidden->message;
    for (const std::string& step : split(path, '/')) {
      if (step == "..") return say::path_climbs({.path = in_quotes(path)});
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
    at_most({Part::Mounts, i}, role.mounts.size(), limits::kMounts, say::noun_mounts);
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
        error(subject, "target", say::system_path({.path = target}));
      } else if (const auto first = std::ranges::find(targets, target); first != targets.end()) {
        const Subject earlier{
            Part::Mounts, i, "", static_cast<std::size_t>(first - targets.begin())};
        const Ref at = origin_.locate(earlier);
        error(subject,
              "target",
              say::mounted_twice({.path = target, .line = at.tree().position(at).line}));
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
                             say::two_roles_called({.name = shorten(spec_.roles[b].name),
                                                    .first = first.tree().line(first),
                                                    .second = second.tree().line(second)}));
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
    const auto sum = [&](std::int64_t n, Message (*what)(), std::int64_t most) {
      if (n <= most) return;
      error_at_key({Part::Role},
                   "range",
                   say::too_many_together({.count = n, .what = what(), .most = most}));
    };
    sum(tasks, say::noun_tasks, limits::kTasks);
    sum(static_cast<std::int64_t>(std::min<__int128>(gpus, INT64_MAX)),
        say::noun_gpus,
        limits::kJobGpus);
    if (cpus > INT64_MAX || memory > INT64_MAX) {
      error_at_key({Part::Role}, "overflow", say::too_much_together());
    }
    const auto within = [&](Part part, std::optional<std::int64_t> n) {
      if (!n || *n <= tasks) return;
      error({part},
            "more_than_count",
            tasks > 1 ? say::more_than_tasks_of_job({.value = *n, .count = tasks})
                      : say::more_than_task_of_job({.value = *n}));
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
        Words ring;
        for (auto step = std::ranges::find(way, next); step != way.end(); ++step) {
          ring.push_back(spec_.roles[static_cast<std::size_t>(*step)].name);
        }
        ring.push_back(after.role);
        error_at_key({Part::After, i, after.role},
                     "cycle",
                     say::waits_for_itself({.ring = join(ring, " → ")}));
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
