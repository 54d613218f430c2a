#include "jobspec/impl/detect.h"

#include <gtest/gtest.h>

#include "jobspec/impl/readers.h"
#include "jobspec/read.h"
#include "model/words.h"

namespace ty::jobspec {
namespace {

std::string kind_of(std::string_view text) {
  std::optional<Tree> tree;
  const Syntax syntax = read_tree(text, tree);
  EXPECT_FALSE(syntax.fatal) << text;
  const Detection found = detect(*tree->documents().begin());
  return found.dialect ? std::string(model::to_word(*found.dialect))
                       : "[" + found.code + "] " + found.message.text();
}

std::string first_fault(std::string_view text, std::optional<model::Dialect> dialect = {}) {
  ReadOptions options;
  options.dialect = dialect;
  const ReadResult result = read(text, options);
  return result.ok() ? "ok" : format_issue(result.errors.front(), "f");
}

TEST(Detection, KnowsAllSevenDialects) {
  EXPECT_EQ(kind_of("run: x"), "native");
  EXPECT_EQ(kind_of("run: [x]"), "native");
  EXPECT_EQ(kind_of("roles: {a: {}}"), "native");
  EXPECT_EQ(kind_of("trainyard: 1\nimage: x"), "native");
  EXPECT_EQ(
      kind_of(R"({"jobName": "a", "image": "i", "taskRoles": [{"name": "w", "command": "x"}]})"),
      "openpai-v1");
  EXPECT_EQ(kind_of("protocolVersion: 2\nname: a\ntaskRoles: {w: {instances: 1}}"), "openpai-v2");
  EXPECT_EQ(kind_of("taskRoles: {w: {commands: [x]}}"), "openpai-v2");
  EXPECT_EQ(kind_of("name: a\nframework: {name: tensorflow}"), "ffdl");
  EXPECT_EQ(kind_of("name: a\ndata_stores: [{id: x}]"), "ffdl");
  EXPECT_EQ(kind_of("jobname: a\ntasks: [{image: x}]"), "gpu-manager");
  EXPECT_EQ(kind_of("apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nspec: {}"), "volcano");
  EXPECT_EQ(kind_of("name: a\nimageId: b\nconfig: [{command: x}]"), "octopus");
  EXPECT_EQ(kind_of("name: a\nconfig: [{resourceSpecId: x}]"), "octopus");
}

TEST(Detection, NamesWhatBelongsToOtherTools) {
  const auto said = [](std::string_view file, std::string_view words) {
    const std::string kind = kind_of(file);
    EXPECT_NE(kind.find(words), std::string::npos) << kind;
    EXPECT_EQ(kind.substr(0, 16), "[foreign_format]") << kind;
  };
  said("apiVersion: v1\nkind: Service", "this is a Kubernetes Service, not a job file");
  said("apiVersion: batch/v1\nkind: CronJob", "from your own cron");
  said("apiVersion: kubeflow.org/v1\nkind: TFJob", "write its replicas as roles:");
  said("apiVersion: kubeflow.org/v1\nkind: PyTorchJob", "write its replicas as roles:");
  said("apiVersion: batch/v1\nkind: Job\nspec: {}",
       "write apiVersion: batch.volcano.sh/v1alpha1 with tasks");
  said("protocol_version: 1\nrun: x", "OpenPAI 0.8 marketplace");
  said("version: 1\ntaskRoles: {w: {taskNumber: 1}}",
       "framework descriptor of the OpenPAI launcher");
  said("entrypoint: x\nsearcher: {name: single}", "Determined experiment");
  said("type: task\ncommands: [x]", "dstack configuration");
  said("resources: {accelerators: A100}\nrun: x", "SkyPilot task");
  said("num_nodes: 2\nrun: x", "SkyPilot task");
  said("services: {web: {image: x}}", "Compose file");
  said("on: push\njobs: {a: {}}", "CI workflow");
  said("jobStatus: {state: RUNNING}", "the status of a job, not its configuration");
}

TEST(Detection, SaysWhatAnUnknownFileComesClosestTo) {
  EXPECT_EQ(kind_of("job_name: a\ntasks: [{image: x}]"),
            "[unknown_format] cannot tell which dialect this job file has; its keys are job_name, "
            "tasks; the closest is the GPU manager dialect, with jobname instead of job_name in "
            "line 1; name the dialect with --dialect");
  EXPECT_EQ(kind_of("name: a\nimage: b\nrum: c"),
            "[unknown_format] cannot tell which dialect this job file has; its keys are name, "
            "image, rum; the closest is the native dialect, with run instead of rum in line 3; "
            "name the dialect with --dialect");
  EXPECT_EQ(kind_of("qqqqqq: 1"),
            "[unknown_format] cannot tell which dialect this job file has; its keys are qqqqqq; "
            "name the dialect with --dialect");
}

TEST(Detection, SaysWhatAnAmbiguousFileFits) {
  EXPECT_EQ(kind_of("jobname: a\n\ntaskRoles: [{name: b}]\n\n\n\n\n\ntasks: []"),
            "[ambiguous_format] fits several dialects; remove the keys of one, or name the dialect "
            "with --dialect: OpenPAI v1 (line 3: taskRoles); GPU manager (lines 1, 9: jobname, "
            "tasks)");
}

TEST(Detection, ANamedFormatIsHeldAgainstTheFile) {
  EXPECT_EQ(
      first_fault("protocolVersion: 2\ntaskRoles: {w: {commands: [x]}}", model::Dialect::Native),
      "f:1:1: this is an OpenPAI v2 job; send it to /rest-server/api/v2/jobs");
  EXPECT_EQ(first_fault("image: x:1", model::Dialect::Native), "ok");
}

TEST(Detection, DocumentsMustBeJobsOfOneDialect) {
  EXPECT_EQ(first_fault("run: x\n---\napiVersion: v1\nkind: Service\n"),
            "f:3:1: document 2 (line 3) is not a job: its kind is Service");
  EXPECT_EQ(first_fault("run: x\n---\njobname: a\ntasks: []\n"),
            "f:3:1: document 2 is a GPU manager job, the first is a native job; submit them in "
            "separate files");
  EXPECT_EQ(first_fault("run: x\n---\n- a\n"),
            "f:3:1: a job file is a map of keys; this starts with a list");
}

TEST(Detection, UnrenderedTemplatesAreNamed) {
  EXPECT_EQ(first_fault("name: {{ .Values.name }}\nrun: x"),
            "f:1:7: this is an unrendered template; render it first and submit the result");
  EXPECT_EQ(first_fault("{% if x %}\nrun: x"),
            "f:1:1: this is an unrendered template; render it first and submit the result");
}

}  // namespace
}  // namespace ty::jobspec
