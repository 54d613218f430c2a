#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "jobspec/impl/defaults.h"
#include "jobspec/print.h"
#include "jobspec/read.h"
#include "model/environment.h"
#include "model/spec_json.h"

/// read(print_native(spec)) == spec, for specs as strange as the limits allow.
namespace ty::jobspec {
namespace {

using model::JobSpec;
using model::RoleSpec;
namespace gen = rc::gen;

/// What breaks writers of YAML: quotes, colons, comments, indentation, words that mean something,
/// line ends.
std::string nasty_text(bool may_be_empty = true) {
  static const std::vector<std::string> kParts = {
      "a",    "run",  " ",    "  ",   "\n", "\n\n", "\t",       ": ",
      ":",    " #",   "#",    "'",    "\"", "\\",   "- ",       "-",
      "--",   "---",  "...",  "{",    "}",  "[",    "]",        ",",
      "&a",   "*a",   "!",    "|",    ">",  "%",    "@",        "`",
      "true", "null", "~",    "yes",  "1",  "0.5",  "1e3",      "0x1",
      "${{",  "}}",   "$",    "$$",   "=",  "<<",   "\r",       "\r\n",
      "\x07", "\x1b", "\x7f", "训练", "é",  "😀",   "\xC2\x85", "\xE2\x80\xA8",
      "/",    "?",    "? ",   "x: y"};
  const auto parts = *gen::container<std::vector<std::string>>(gen::elementOf(kParts));
  std::string out;
  for (const std::string& part : parts) out += part;
  if (out.empty() && !may_be_empty) out = "x";
  return out;
}

std::string word() {
  const auto tail = *gen::container<std::string>(gen::elementOf(std::string("abcXYZ019_")));
  return std::string(1, *gen::elementOf(std::string("abcxyzABC"))) + tail.substr(0, 12);
}

template <class T>
std::optional<T> maybe(T value) {
  return *gen::arbitrary<bool>() ? std::optional<T>(std::move(value)) : std::nullopt;
}
std::int64_t between(std::int64_t from, std::int64_t to) {
  return *gen::inRange<std::int64_t>(from, to + 1);
}
Seconds seconds(std::int64_t from, std::int64_t to) { return Seconds{between(from, to)}; }

model::EnvMap environment() {
  model::EnvMap env;
  for (std::int64_t i = between(0, 4); i > 0; --i) env["V_" + word()] = maybe(nasty_text());
  return env;
}

std::vector<model::Policy> policies() {
  std::vector<model::Policy> out;
  for (std::int64_t i = between(0, 2); i > 0; --i) {
    model::Policy policy;
    if (*gen::arbitrary<bool>())
      policy.exit_code = between(1, 255);
    else
      policy.events = {static_cast<model::PolicyEvent>(between(0, 7)),
                       static_cast<model::PolicyEvent>(between(0, 7))};
    policy.action = static_cast<model::PolicyAction>(between(0, 7));
    policy.delay = maybe(seconds(0, 100'000));
    out.push_back(std::move(policy));
  }
  return out;
}

void give_command(RoleSpec& role) {
  role.command.entrypoint = model::Entrypoint::Clear;
  if (*gen::arbitrary<bool>()) {
    role.command.shell = model::Shell::BashOrSh;
    role.command.errexit = role.command.pipefail = true;
    role.command.script = "x" + nasty_text();
  } else {
    role.command.argv = {nasty_text(false), nasty_text(), nasty_text()};
  }
  for (std::int64_t i = between(0, 3); i > 0; --i) role.command.args.push_back(nasty_text());
}

void give_mounts(RoleSpec& role) {
  const auto source = [] {
    return *gen::elementOf(std::vector<std::string>{"storage:team/pile",
                                                    "dataset:cifar10@V2",
                                                    "s3://bucket/a b",
                                                    "host:/mnt/x y",
                                                    "git+https://h/x.git@v1",
                                                    "scratch:",
                                                    "upload:abc",
                                                    "https://h/a?b=${{c}}",
                                                    "hdfs:/a",
                                                    "nfs://s/p: q"});
  };
  if (*gen::arbitrary<bool>()) {
    model::Mount code{.kind = model::MountKind::Code,
                      .source = source(),
                      .target = "/code",
                      .mode = model::MountMode::CopyIn};
    code.read_only = *gen::arbitrary<bool>();
    if (code.read_only) code.mode = model::MountMode::Mount;
    role.mounts.push_back(std::move(code));
  }
  if (*gen::arbitrary<bool>()) {
    role.mounts.push_back(
        {.kind = model::MountKind::Data, .source = source(), .target = "/data", .read_only = true});
  } else {
    role.mounts.push_back({.kind = model::MountKind::Data,
                           .name = "a b",
                           .source = source(),
                           .target = "/data/a b",
                           .read_only = true});
    role.mounts.push_back({.kind = model::MountKind::Data,
                           .name = "null",
                           .source = source(),
                           .target = "/data/null",
                           .read_only = true});
  }
  if (*gen::arbitrary<bool>()) {
    role.mounts.push_back(
        {.kind = model::MountKind::Output, .source = source(), .target = "/output"});
  }
  for (std::int64_t i = between(0, 2); i > 0; --i) {
    role.mounts.push_back({.source = source(),
                           .target = "/m" + std::to_string(i) + ": #'",
                           .read_only = *gen::arbitrary<bool>()});
  }
}

RoleSpec role(std::string name) {
  RoleSpec role;
  role.name = std::move(name);
  role.system_name = model::dns_name(role.name, {});
  role.count = between(1, 9);
  role.min_available = maybe(between(0, role.count));
  role.image = *gen::elementOf(std::vector<std::string>{
      "", "busybox", "python:3.12", "r.example.org:5000/a/b:latest", "x@sha256:12"});
  role.pull = default_pull(role.image);
  if (!role.image.empty()) {
    role.pull = static_cast<model::PullPolicy>(between(0, 2));
    if (*gen::arbitrary<bool>()) role.image_auth = model::ImageAuth{.stored_name = word()};
  }
  give_command(role);
  role.workdir = maybe("/w" + word());
  role.resources.gpus = between(0, 3);
  if (*gen::arbitrary<bool>()) role.resources.gpu_types = {"A100", "1e5", "v-100"};
  if (*gen::arbitrary<bool>())
    role.resources.gpu_types = {*gen::elementOf(std::vector<std::string>{"A100", "1e5", "T4"})};
  role.resources.cpu_milli = between(1, 1'024'000);
  role.resources.memory = between(4'194'304, 70'000'000'000'000);
  role.resources.shm = between(0, role.resources.memory);
  for (std::int64_t i = between(0, 3); i > 0; --i) {
    const std::int64_t first = *gen::arbitrary<bool>() ? 0 : i * 1000;
    const std::string label = first > 0 && *gen::arbitrary<bool>() ? "p" + std::to_string(first)
                                                                   : "l" + std::to_string(i);
    role.ports.push_back({label, between(1, 5), first});
  }
  give_mounts(role);
  role.env = environment();
  role.policies = policies();
  role.completion.ends_job = false;
  role.completion.min_failed = maybe(between(1, role.count));
  if (*gen::arbitrary<bool>()) {
    role.completion.min_succeeded = between(1, role.count);
    role.completion.need = *role.completion.min_succeeded;
  } else if (*gen::arbitrary<bool>()) {
    role.completion.decider = between(0, role.count - 1);
    role.completion.need = role.count;
  }
  role.restart = {
      between(-1, 5), static_cast<model::RestartOn>(between(0, 1)), *gen::arbitrary<bool>()};
  role.ranked = *gen::arbitrary<bool>();
  role.network = static_cast<model::Network>(between(0, 1));
  if (*gen::arbitrary<bool>()) role.node_labels = {{nasty_text(), nasty_text()}};
  role.task_limit = maybe(seconds(1, 1'000'000));
  return role;
}

JobSpec job() {
  JobSpec spec;
  spec.name =
      *gen::elementOf(std::vector<std::string>{"", "a", "训练.1", "0", "true", "null", "1.0"});
  spec.description = nasty_text();
  spec.workspace = *gen::elementOf(std::vector<std::string>{"default", "team-a", "7"});
  spec.priority = between(-100, 1000);
  spec.preemptible = maybe(*gen::arbitrary<bool>());
  if (*gen::arbitrary<bool>()) spec.labels = {{"a: b", ""}, {"x", "null"}};
  if (*gen::arbitrary<bool>()) spec.labels = {{"tag", ""}, {"~", ""}};
  if (*gen::arbitrary<bool>()) spec.params = R"({"lr":0.10,"t":"a \"b\"","f":true,"n":"1"})";
  if (*gen::arbitrary<bool>()) spec.extras = R"({"a":[1,{"b":null}],"<<":"x","c":"\u0007é: #"})";
  if (*gen::arbitrary<bool>())
    spec.secrets = {{"A", {.stored_name = "A"}},
                    {"B", {.stored_name = *gen::elementOf(std::vector<std::string>{"B", "c-d"})}}};
  spec.retry.budget = between(-2, 9);
  spec.retry.backoff = seconds(1, 2000);
  spec.retry.max_backoff = std::max(spec.retry.backoff, seconds(1, 5000));
  if (*gen::arbitrary<bool>()) spec.retry.exit_codes = {1, 255};
  if (*gen::arbitrary<bool>()) {
    spec.retry.on = {};
    spec.retry.counted = {model::FailureClass::User, model::FailureClass::Platform};
  }
  spec.policies = policies();
  spec.time_limit = maybe(seconds(1, 31'536'000));
  spec.wait_limit = maybe(seconds(1, 31'536'000));
  spec.ttl = maybe(seconds(0, 315'360'000));
  spec.debug_hold = maybe(seconds(1, 604'800));
  spec.stop_grace = seconds(0, 3600);
  spec.completion.linger = seconds(0, 3600);
  spec.env = environment();
  for (std::int64_t i = between(0, 2); i > 0; --i) {
    model::Alert alert;
    if (*gen::arbitrary<bool>())
      alert.states = {"failed", "started"};
    else {
      alert.after = seconds(1, 1000);
      alert.every = maybe(seconds(60, 1000));
    }
    alert.level = static_cast<model::AlertLevel>(between(0, 4));
    if (*gen::arbitrary<bool>()) alert.to = {"alice", "https://h/x?y=z:w"};
    spec.alerts.push_back(std::move(alert));
  }
  for (std::int64_t i = between(0, 3); i > 0; --i) {
    model::MetricRule rule;
    rule.kind = static_cast<model::MetricKind>(between(0, 2));
    if (rule.kind == model::MetricKind::Regex) {
      rule.name = *gen::elementOf(std::vector<std::string>{"loss", "a: b", "tensorboard"});
      rule.pattern = "x: '\"#{}(\\d+)";
      rule.value = "1";
      rule.window = between(1, 100);
      rule.group = nasty_text();
    }
    spec.metrics.push_back(std::move(rule));
  }
  spec.services.tensorboard = maybe(nasty_text(false));
  spec.services.ssh = *gen::arbitrary<bool>();
  if (*gen::arbitrary<bool>())
    spec.run_as = model::RunAs{"alice", maybe(between(0, 99)), maybe(between(0, 99))};

  const std::int64_t count = between(1, 3);
  for (std::int64_t i = 0; i < count; ++i) {
    spec.roles.push_back(role(count == 1
                                  ? *gen::elementOf(std::vector<std::string>{"main", "ps", "w"})
                                  : "r_" + std::to_string(i)));
    if (i > 0)
      spec.roles.back().after = {
          {spec.roles[0].name, static_cast<model::AfterWhen>(between(0, 1))}};
  }
  if (*gen::arbitrary<bool>()) {
    spec.roles[0].completion.ends_job = true;
    if (!spec.roles[0].completion.min_succeeded && !spec.roles[0].completion.decider) {
      spec.roles[0].completion.min_succeeded = spec.roles[0].completion.need = spec.roles[0].count;
    }
  }
  if (*gen::arbitrary<bool>()) spec.min_available = between(0, model::task_count(spec));
  if (*gen::arbitrary<bool>()) spec.completion.min_succeeded = between(1, model::task_count(spec));
  return spec;
}

RC_GTEST_PROP(PrintNative, IsReadBackAsTheSameJob, ()) {
  const JobSpec spec = job();
  const std::string printed = print_native(spec);
  const ReadResult again = read(printed);
  RC_LOG() << printed;
  for (const Issue& issue : again.errors) RC_LOG() << format_issue(issue, "printed") << "\n";
  RC_ASSERT(again.ok());
  RC_ASSERT(again.jobs.size() == 1U);
  RC_LOG() << model::to_json(spec) << "\n" << model::to_json(again.jobs[0].spec) << "\n";
  RC_ASSERT(again.jobs[0].spec == spec);
}

}  // namespace
}  // namespace ty::jobspec
