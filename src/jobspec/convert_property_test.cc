#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "jobspec/impl/carry.h"
#include "jobspec/impl/dialect.h"
#include "jobspec/impl/document.h"
#include "jobspec/print.h"
#include "jobspec/read.h"
#include "model/spec_json.h"

/// Files of OpenPAI as strange as their dialects allow: printed and read again they mean the same,
/// and in every other dialect whatever became different is named.
namespace ty::jobspec {
namespace {

namespace gen = rc::gen;
using model::Dialect;

/// What breaks writers of YAML and JSON, and templates.
std::string nasty(bool may_be_empty = true) {
  static const std::vector<std::string> kParts = {
      "a",  " ",   "\n", "\t", ": ", " #", "'", "\"",   "\\",   "- ",  "---",
      "{",  "]",   "&a", "*a", "!",  "|",  "%", "true", "null", "1",   "0x1",
      "$x", "${{", "}}", "<%", "%>", "//", "é", "训练", "\r\n", "yes", "<% $parameters.a %>"};
  const auto parts = *gen::container<std::vector<std::string>>(gen::elementOf(kParts));
  std::string text = may_be_empty ? "" : "x";
  for (const std::string& part : parts) text += part;
  return text;
}
bool often() { return *gen::inRange(0, 3) != 0; }
bool seldom() { return *gen::inRange(0, 4) == 0; }
std::int64_t number(std::int64_t from, std::int64_t to) { return *gen::inRange(from, to + 1); }

Doc strange_map() {
  Doc out = Doc::map();
  for (std::int64_t i = number(0, 3); i > 0; --i) {
    const std::string key = "k" + std::to_string(i);
    switch (number(0, 4)) {
      case 0:
        out.set(key, Doc::number(number(-5, 99)));
        break;
      case 1:
        out.set(key, Doc::flag(often()));
        break;
      case 2:
        out.set(key, Doc::texts({nasty(), nasty()}));
        break;
      default:
        out.set(key, Doc::text(nasty()));
    }
  }
  return out;
}

std::string v1_file() {
  Doc out = Doc::map();
  out.set("jobName", Doc::text(*gen::elementOf(std::vector<std::string>{"a", "x-1_2.3~4", "7"})));
  out.set("image", Doc::text("python:3.12"));
  if (seldom()) out.set("authFile", Doc::text("/auth/x"));
  if (seldom()) out.set("dataDir", Doc::text("$PAI_DEFAULT_FS_URI/data"));
  if (seldom()) out.set("outputDir", Doc::text("hdfs://h:9000/out"));
  if (seldom()) out.set("codeDir", Doc::text("/srv/code/"));
  if (seldom()) out.set("virtualCluster", Doc::text("vc1"));
  if (seldom()) out.set("gpuType", Doc::text("V100,A100"));
  if (seldom()) out.set("retryCount", Doc::number(number(-2, 9)));
  if (seldom()) out.set("killAllOnCompletedTaskNumber", Doc::number(number(0, 1)));
  if (seldom()) {
    Doc& env = out.set("jobEnvs", strange_map());
    if (often()) env.set("isDebug", Doc::flag(often()));
    if (often()) env.set("paiAzRDMA", Doc::flag(often()));
  }
  if (seldom()) out.set("extras", strange_map());
  if (seldom()) out.set("futureKey", Doc::text(nasty()));
  Doc& roles = out.set("taskRoles", Doc::list());
  const std::int64_t count = number(1, 3);
  for (std::int64_t i = 0; i < count; ++i) {
    Doc& role = roles.push(Doc::map());
    const std::int64_t tasks = number(1, 4);
    role.set("name", Doc::text("role." + std::to_string(i)));
    role.set("taskNumber", Doc::number(tasks));
    if (often()) role.set("cpuNumber", Doc::number(number(1, 9)));
    role.set("memoryMB", Doc::number(number(100, 9999)));
    if (seldom()) role.set("shmMB", Doc::number(number(0, 100)));
    if (seldom()) role.set("gpuNumber", Doc::number(number(0, 8)));
    if (seldom()) {
      Doc& port = role.set("portList", Doc::list()).push(Doc::map());
      port.set("label", Doc::text("web"));
      port.set("beginAt", Doc::number(number(0, 1) * 8000));
      port.set("portNumber", Doc::number(number(1, 3)));
    }
    role.set("command", Doc::text(nasty(false)));
    if (seldom())
      role.set("minFailedTaskCount", seldom() ? Doc::null() : Doc::number(number(1, tasks)));
    if (seldom())
      role.set("minSucceededTaskCount", seldom() ? Doc::null() : Doc::number(number(1, tasks)));
  }
  return out.to_json();
}

std::string v2_file() {
  Doc out = Doc::map();
  out.set("protocolVersion", Doc::number(2));
  out.set("name", Doc::text("job_1"));
  out.set("type", Doc::text("job"));
  if (seldom()) out.set("description", Doc::text(nasty()));
  Doc& images = out.set("prerequisites", Doc::list());
  for (const char* name : {"image", "image2"}) {
    Doc& image = images.push(Doc::map());
    image.set("type", Doc::text("dockerimage"));
    image.set("name", Doc::text(name));
    image.set("uri", Doc::text(std::string(name) + ":1"));
  }
  if (seldom()) out.set_if("parameters", strange_map());
  if (seldom()) out.set("secrets", Doc::map()).set("a", Doc::text(nasty(false)));
  if (seldom()) out.set("jobRetryCount", Doc::number(number(0, 5)));
  Doc& roles = out.set("taskRoles", Doc::map());
  const std::int64_t count = number(1, 3);
  Doc deployed = Doc::map();
  for (std::int64_t i = 0; i < count; ++i) {
    const std::string name = "role_" + std::to_string(i);
    Doc& role = roles.set(name, Doc::map());
    const std::int64_t tasks = number(1, 4);
    role.set("instances", Doc::number(tasks));
    role.set("dockerImage", Doc::text(seldom() ? "image2" : "image"));
    if (seldom()) role.set("taskRetryCount", Doc::number(number(0, 3)));
    if (seldom())
      role.set("completion", Doc::map()).set("minFailedInstances", Doc::number(number(-1, tasks)));
    Doc& resources = role.set("resourcePerInstance", Doc::map());
    resources.set("cpu", Doc::number(number(1, 9)));
    resources.set("memoryMB", Doc::number(number(100, 9999)));
    resources.set("gpu", Doc::number(number(0, 2)));
    if (seldom()) resources.set("ports", Doc::map()).set("web", Doc::number(number(0, 2)));
    if (seldom())
      role.set("extraContainerOptions", Doc::map()).set("shmMB", Doc::number(number(0, 100)));
    role.set("commands", Doc::texts({nasty(false), nasty(false)}));
    if (seldom()) {
      Doc& steps = deployed.set(name, Doc::map());
      steps.set("preCommands", Doc::texts({nasty(false)}));
      if (often()) steps.set("postCommands", Doc::texts({nasty(false)}));
    }
  }
  if (!deployed.empty()) {
    Doc& one = out.set("deployments", Doc::list()).push(Doc::map());
    one.set("name", Doc::text("d"));
    one.set("taskRoles", std::move(deployed));
    out.set("defaults", Doc::map()).set("deployment", Doc::text("d"));
  }
  if (seldom()) {
    Doc& extras = out.set("extras", strange_map());
    if (often()) extras.set("gangAllocation", Doc::flag(often()));
    if (often())
      extras.set("hivedScheduler", Doc::map()).set("jobPriorityClass", Doc::text("prod"));
    if (seldom())
      extras.set("storages", Doc::list()).push(Doc::map()).set("name", Doc::text("team"));
  }
  return often() ? out.to_yaml() : out.to_json();
}

ReadOptions as(Dialect dialect) {
  ReadOptions options;
  options.dialect = dialect;
  options.local_sources = LocalSources::Keep;
  options.allow_covered = true;
  return options;
}

void comes_back(const std::string& file, Dialect dialect) {
  const ReadResult first = read(file, as(dialect));
  RC_PRE(first.ok());  // a random template may be no YAML, a random text no variable
  const model::JobSpec& spec = first.jobs.front().spec;
  const Printed printed = print(spec, dialect);
  RC_ASSERT(printed.complete());
  const ReadResult again = read(printed.text, as(dialect));
  RC_ASSERT(again.ok());
  RC_ASSERT(model::to_json(again.jobs.front().spec) == model::to_json(spec));
}

/// Whatever is not named in the list of issues is as it was.
void is_told(const std::string& file, Dialect from) {
  const ReadResult first = read(file, as(from));
  RC_PRE(first.ok());
  const model::JobSpec& spec = first.jobs.front().spec;
  for (const DialectEntry* const entry : dialects()) {
    if (entry->print == nullptr) continue;
    const Printed printed = print(spec, entry->dialect);
    if (!printed.complete()) continue;
    const ReadResult again = read(printed.text, as(entry->dialect));
    RC_ASSERT(again.ok());
    Notes notes;
    for (const Issue& issue : printed.issues) {
      if (issue.code != "convert.carried") notes.issues.push_back(issue);
    }
    for (const Difference& one : differences(spec, again.jobs.front().spec))
      RC_ASSERT(notes.covers(one.path));
  }
}

RC_GTEST_PROP(OpenPaiV1, IsReadBackAsTheSameJob, ()) { comes_back(v1_file(), Dialect::OpenPaiV1); }
RC_GTEST_PROP(OpenPaiV2, IsReadBackAsTheSameJob, ()) { comes_back(v2_file(), Dialect::OpenPaiV2); }
RC_GTEST_PROP(OpenPaiV1, NothingIsLostWithoutAWord, ()) { is_told(v1_file(), Dialect::OpenPaiV1); }
RC_GTEST_PROP(OpenPaiV2, NothingIsLostWithoutAWord, ()) { is_told(v2_file(), Dialect::OpenPaiV2); }

}  // namespace
}  // namespace ty::jobspec
