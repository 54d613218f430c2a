#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "jobspec/impl/defaults.h"
#include "jobspec/impl/quantity.h"
#include "jobspec/print.h"
#include "jobspec/read.h"
#include "model/names.h"
#include "model/spec_json.h"

/// What the GPU manager, Volcano, FfDL and Pumpkin can say comes back as it was: read(print(spec))
/// == spec, and nothing is complained about.
namespace ty::jobspec {
namespace {

using model::Dialect;
using model::JobSpec;
using model::RoleSpec;
namespace gen = rc::gen;

std::int64_t between(std::int64_t from, std::int64_t to) {
  return *gen::inRange<std::int64_t>(from, to + 1);
}
bool coin() { return *gen::arbitrary<bool>(); }

/// What breaks writers of YAML and JSON: quotes, colons, indentation, words that mean something.
std::string nasty() {
  static const std::vector<std::string> kParts = {
      "a",  " ",  "  ",   "\n", "\t",   ": ",    ":",    " #",   "'",   "\"", "\\",   "- ",
      "-",  "--", "---",  "{",  "}",    "[",     "]",    ",",    "&a",  "*a", "!",    "|",
      ">",  "%",  "true", "~",  "on",   "1",     "0.5",  "1e3",  "0x1", "=",  "\x07", "\x7f",
      "训", "é",  "😀",   "?",  "1:30", "1_000", "null", "$(A)", "$$(", "\r"};
  const auto parts = *gen::container<std::vector<std::string>>(gen::elementOf(kParts));
  std::string out;
  for (const std::string& part : parts) out += part;
  return out;
}
std::string one_line() {
  std::string out = nasty();
  std::erase_if(out, [](char c) { return c == '\n' || c == '\r'; });
  return out;
}

std::string word() {
  const auto tail = *gen::container<std::string>(gen::elementOf(std::string("abcxyz019")));
  return std::string(1, *gen::elementOf(std::string("abcxyz"))) + tail.substr(0, 10);
}

std::vector<std::string> words(std::int64_t least) {
  std::vector<std::string> out;
  for (std::int64_t i = between(least, 4); i > 0; --i) out.push_back(nasty());
  return out;
}

model::EnvMap environment() {
  model::EnvMap env;
  for (std::int64_t i = between(0, 3); i > 0; --i) env["V_" + word()] = nasty();
  return env;
}

model::Resources resources() {
  model::Resources out;
  out.gpus = between(0, 3);
  out.cpu_milli = between(1, 9999);
  out.memory = between(4, 4096) * kMiB + between(0, 1) * between(0, kMiB - 1);
  out.shm = default_shm(out.memory);
  return out;
}

std::vector<model::Port> ports() {
  std::vector<model::Port> out;
  for (std::int64_t i = 0; i < between(0, 2); ++i) {
    const std::int64_t number = 1000 + i;
    out.push_back({.label = coin() ? "p" + std::to_string(number) : "x" + std::to_string(i),
                   .first = number});
  }
  return out;
}

std::vector<model::Policy> policies() {
  using model::PolicyAction;
  using model::PolicyEvent;
  std::vector<model::Policy> out;
  std::vector<PolicyEvent> left = {PolicyEvent::TaskFailed,
                                   PolicyEvent::TaskEvicted,
                                   PolicyEvent::RoleDone,
                                   PolicyEvent::Unplaceable};
  for (std::int64_t i = between(0, 2); i > 0; --i) {
    model::Policy policy;
    if (coin()) {
      policy.exit_code = between(1, 255);
    } else {
      for (std::int64_t n = between(1, 2); n > 0 && !left.empty(); --n) {
        policy.events.push_back(left.back());
        left.pop_back();
      }
      if (policy.events.empty()) continue;
    }
    policy.action = *gen::element(PolicyAction::RestartJob,
                                  PolicyAction::RestartRole,
                                  PolicyAction::RestartTask,
                                  PolicyAction::PauseJob,
                                  PolicyAction::FailJob,
                                  PolicyAction::SucceedJob);
    if (coin()) policy.delay = Seconds{between(1, 100'000)};
    out.push_back(std::move(policy));
  }
  return out;
}

void add_roles(JobSpec& spec, std::int64_t most) {
  const std::int64_t count = between(1, most);
  for (std::int64_t i = 0; i < count; ++i) {
    RoleSpec role;
    role.name = word() + std::to_string(i);
    role.system_name = model::dns_name(role.name, {});
    role.image = word() + ":" + word();
    role.pull = default_pull(role.image);
    role.resources = resources();
    spec.roles.push_back(std::move(role));
  }
}

JobSpec gpu_manager_job() {
  JobSpec spec;
  spec.dialect = Dialect::GpuManager;
  spec.name = word();
  spec.retry.on.clear();
  add_roles(spec, 3);
  for (RoleSpec& role : spec.roles) {
    role.count = between(1, 5);
    role.completion.need = role.count;
    role.restart.lost = true;
    role.ports = ports();
    if (coin()) role.workdir = "/" + word();
    if (coin()) {
      role.command.argv = words(1);
      role.command.args = words(0);
      role.command.entrypoint = model::Entrypoint::Clear;
    } else if (coin()) {
      role.command.args = words(0);
    } else {
      role.command.shell = model::Shell::Sh;
      role.command.script = "run " + nasty();
      role.command.entrypoint = model::Entrypoint::Clear;
    }
  }
  return spec;
}

JobSpec volcano_job() {
  JobSpec spec;
  spec.dialect = Dialect::Volcano;
  spec.name = word();
  if (coin()) spec.workspace = word();
  spec.priority = *gen::element<std::int64_t>(-1, 10, 100, 120);
  if (coin()) spec.labels[word()] = word();
  spec.retry.on.clear();
  spec.retry.counted = {model::FailureClass::User, model::FailureClass::Platform};
  spec.retry.budget = between(0, 9);
  spec.policies = policies();
  if (coin()) spec.ttl = Seconds{between(0, 1'000'000)};
  if (coin()) spec.stop_grace = Seconds{between(0, 3600)};
  if (coin())
    spec.run_as = model::RunAs{.user = "", .uid = between(0, 65535), .gid = between(0, 9)};
  add_roles(spec, 3);
  std::int64_t total = 0, least = 0;
  for (std::size_t i = 0; i < spec.roles.size(); ++i) {
    RoleSpec& role = spec.roles[i];
    role.count = between(0, 5);
    if (role.count > 0 && coin()) role.min_available = between(0, role.count - 1);
    role.policies = policies();
    role.ports = ports();
    role.env = environment();
    role.restart.lost = true;
    if (coin()) {
      role.restart.budget = *gen::element<std::int64_t>(3, 5, -1);
      role.restart.on = coin() ? model::RestartOn::Any : model::RestartOn::Failure;
    }
    role.completion.min_failed.reset();
    if (i > 0 && coin())
      role.after.push_back(
          {.role = spec.roles[0].name, .when = model::AfterWhen::Started, .any = coin()});
    if (coin()) role.node_labels[word()] = nasty();
    if (coin()) role.task_limit = Seconds{between(1, 100'000)};
    if (coin()) role.pull = model::PullPolicy::Never;
    if (coin()) role.resources.devices["example.org/" + word()] = between(1, 4);
    if (coin()) role.resources.shm = between(1, 3) * kMiB;
    if (coin()) role.caps = {"ptrace"};
    if (coin())
      role.mounts.push_back(
          {.name = "in", .source = "host:/" + word(), .target = "/in", .read_only = coin()});
    if (coin())
      role.mounts.push_back(
          {.kind = model::MountKind::Scratch, .name = "tmp", .source = "scratch:", .target = "/t"});
    if (coin()) {
      role.command.argv = words(1);
      role.command.entrypoint = model::Entrypoint::Clear;
    }
    role.command.args = words(0);
    total += role.count;
    least += role.min_available.value_or(role.count);
  }
  std::int64_t available = least;
  if (total > 1 && coin()) available = between(1, total);
  if (available == 0) available = least;
  if (available != total) spec.min_available = available;
  if (total > 0 && coin()) spec.completion.min_succeeded = between(1, total);
  spec.completion.at_end = model::AtEnd::CheckJob;
  spec.completion.need = spec.completion.min_succeeded.value_or(available);
  for (RoleSpec& role : spec.roles)
    role.completion.need = available >= least ? role.min_available.value_or(role.count) : 0;
  return spec;
}

JobSpec pumpkin_job() {
  JobSpec spec;
  spec.dialect = Dialect::Pumpkin;
  spec.name = word();
  spec.description = nasty();
  spec.retry.on.clear();
  add_roles(spec, 3);
  const bool distributed = spec.roles.size() > 1;
  const RoleSpec first = spec.roles.front();
  std::vector<model::Mount> mounts;
  if (coin())
    mounts.push_back({.kind = model::MountKind::Code,
                      .source = "algorithm:" + word() + "@V2",
                      .target = "/code"});
  mounts.push_back({.kind = model::MountKind::Output, .source = "scratch:", .target = "/model"});
  if (coin())
    mounts.push_back(
        {.source = "nfs://" + word() + "/" + word(), .target = "/nas", .read_only = coin()});
  for (std::size_t i = 0; i < spec.roles.size(); ++i) {
    RoleSpec& role = spec.roles[i];
    role.system_name = "task" + std::to_string(i);
    role.image = first.image;
    role.pull = first.pull;
    role.mounts = mounts;
    role.env = environment();
    fill_defaults(role.resources, 0, SiteDefaults{});
    role.resources.gpus = 0;
    role.resources.shm = default_shm(role.resources.memory);
    role.resources.spec_id = word();
    role.count = distributed ? between(1, 5) : 1;
    role.completion.min_failed = between(1, role.count);
    role.completion.min_succeeded = between(1, role.count);
    role.completion.need = *role.completion.min_succeeded;
    role.completion.ends_job = distributed && coin();
    role.command.shell = model::Shell::Sh;
    role.command.entrypoint = model::Entrypoint::Clear;
    role.command.script = "run " + nasty() + "x";
  }
  return spec;
}

JobSpec read_back(const std::string& text, Dialect dialect) {
  ReadOptions options;
  options.dialect = dialect;
  options.local_sources = LocalSources::Keep;
  const ReadResult result = read(text, options);
  if (!result.ok()) RC_FAIL(format_issue(result.errors.front(), "printed") + "\n" + text);
  RC_ASSERT(result.jobs.size() == 1U);
  JobSpec spec = result.jobs.front().spec;
  spec.kube.reset();  // the whole document, which only its own reader makes
  return spec;
}

void comes_back(const JobSpec& spec) {
  const Printed printed = print(spec, spec.dialect);
  for (const Issue& issue : printed.issues)
    RC_FAIL(issue.code + " " + issue.path + ": " + issue.message.text() + "\n" + printed.text);
  const JobSpec found = read_back(printed.text, spec.dialect);
  if (!(found == spec))
    RC_FAIL(printed.text + "\n" + model::to_json(spec) + "\n" + model::to_json(found));
}

RC_GTEST_PROP(RoundTrip, GpuManagerJobsComeBack, ()) { comes_back(gpu_manager_job()); }
RC_GTEST_PROP(RoundTrip, VolcanoJobsComeBack, ()) { comes_back(volcano_job()); }
RC_GTEST_PROP(RoundTrip, PumpkinJobsComeBack, ()) { comes_back(pumpkin_job()); }

RC_GTEST_PROP(RoundTrip, FfdlManifestsComeBack, ()) {
  // Built from a manifest: its reader adds how FfDL starts a command.
  const std::string command = "run " + one_line() + "x";
  JobSpec learners = read_back(
      "{name: job, memory: 64MiB, framework: {name: tensorflow, version: 1, command: train}}",
      Dialect::Ffdl);
  learners.name = word();
  learners.description = one_line();
  RoleSpec& role = learners.roles.front();
  role.count = between(1, 4);
  role.image = word() + "/" + word() + ":" + word();
  role.pull = default_pull(role.image);
  role.command.script = command;
  role.resources.cpu_milli = between(1, 9999);
  role.resources.gpus = between(0, 4);
  role.resources.memory = between(4, 4096) * kMiB;
  role.resources.shm = default_shm(role.resources.memory);
  if (coin()) role.resources.gpu_types = {"V100"};
  comes_back(learners);
}

/// The words of another dialect say what they can, and the free place holds the rest.
RC_GTEST_PROP(RoundTrip, AVolcanoJobCarriesWhatItHasNoWordsFor, ()) {
  JobSpec spec = pumpkin_job();
  const Printed printed = print(spec, Dialect::Volcano);
  const JobSpec found = read_back(printed.text, Dialect::Volcano);
  for (std::size_t i = 0; i < spec.roles.size(); ++i)
    RC_ASSERT(found.roles[i].completion == spec.roles[i].completion);
  RC_ASSERT(found.completion == spec.completion);
  RC_ASSERT(found.retry == spec.retry);
  RC_ASSERT(found.description == spec.description);
}

}  // namespace
}  // namespace ty::jobspec
