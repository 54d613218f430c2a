#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "jobspec/read.h"

/// Every fault a native file can have, word for word: people read these, and programs match their
/// codes.
namespace ty::jobspec {
namespace {

struct Case {
  std::string_view file;
  std::string_view said;  ///< `[code] line:column: path: text`; warnings begin with `W`
};

std::string shown(const Issue& issue) {
  return (issue.severity == Severity::Warning ? "W[" : "[") + issue.code + "] " +
         format_issue(issue, "").substr(9);
}

std::vector<std::string> all_said(const ReadResult& result) {
  std::vector<std::string> out;
  for (const Issue& issue : result.errors) out.push_back(shown(issue));
  for (const ReadJob& job : result.jobs) {
    for (const Issue& issue : job.warnings) out.push_back(shown(issue));
  }
  return out;
}

constexpr Case kCases[] = {
    {"roles: {worker: {count: 2}}",
     "[missing] 1:9: roles.worker.run: missing; write for example run: python train.py"},
    {"image: {pull: never}\nrun: x",
     "[missing] 1:1: image.name: missing; write for example name: python:3.12"},
    {"run: x\ngpus:", "[missing] 2:1: gpus: has no value; write for example gpus: 2"},
    {"run: ''", "[missing] 1:6: run: is empty; write for example run: python train.py"},
    {"run: x\nroles:\n worker:\n  gpus: two",
     "[type] 4:9: roles.worker.gpus: expected a whole number, got \"two\"; write for example gpus: "
     "2"},
    {"run: x\ncount: \"2\"", "[type] 2:8: count: \"2\" is text; write count: 2 without quotes"},
    {"run: x\ncount: 012",
     "[type] 2:8: count: expected a whole number, got \"012\"; write for example count: 2"},
    {"run: x\ncount: 0x10",
     "[type] 2:8: count: expected a whole number, got \"0x10\"; write for example count: 2"},
    {"run: x\ncount: 1_000",
     "[type] 2:8: count: expected a whole number, got \"1_000\"; write for example count: 2"},
    {"run: x\ncount: 1.5",
     "[type] 2:8: count: expected a whole number, got 1.5; write for example count: 2"},
    {"run: x\npreemptible: yes",
     "[type] 2:14: preemptible: expected true or false, got \"yes\"; write for example "
     "preemptible: true"},
    {"run: x\nname: [a]",
     "[type] 2:7: name: expected text, got a list; write for example name: mnist"},
    {"run: {a: b}\ntrainyard: 1",
     "[type] 1:6: run: expected text or a list, got a map; write for example run: python train.py"},
    {"run: x\nenv: [A]",
     "[type] 2:6: env: expected a map, got a list; write for example env: {NCCL_DEBUG: WARN}"},
    {"run: x\ncount: 0", "[range] 2:8: count: 0 is too small; write 1 or more"},
    {"run: x\ncount: 5000", "[range] 2:8: count: 5000 is too large; write at most 4096"},
    {"run: x\nmemory: 1MB", "[range] 2:9: memory: 1MB is too small; write 4MB or more"},
    {"run: x\ncpus: 2000", "[range] 2:7: cpus: 2000 is too large; write at most 1024"},
    {"run: x\npriority: 1001", "[range] 2:11: priority: 1001 is too large; write at most 1000"},
    {"run: x\ntime_limit: 366d", "[range] 2:13: time_limit: 366d is too large; write at most 365d"},
    {"run: x\ncount: 99999999999999999999",
     "[overflow] 2:8: count: 99999999999999999999 does not fit; write at most 9223372036854775807"},
    {"run: x\ncount: 1e400",
     "[overflow] 2:8: count: 1e400 does not fit; write at most 9223372036854775807"},
    {"run: x\nmemory: 99999999999999999999999G",
     "[overflow] 2:9: memory: 99999999999999999999999G does not fit; write at most 64TB"},
    {"run: x\npriority: hihg",
     "[enum] 2:11: priority: \"hihg\" is not a valid priority; write low, normal, high, urgent or "
     "a number"},
    {"run: x\nnetwork: nat",
     "[enum] 2:10: network: \"nat\" is not a valid network; write bridge or host"},
    {"run: x\nname: my job",
     "[pattern] 2:7: name: \"my job\" may contain only letters, digits, \"-\", \"_\", \".\"; write "
     "for example my-job"},
    {"run: x\nname: -x",
     "[pattern] 2:7: name: \"-x\" must begin with a letter or a digit; write for example x"},
    {"run: x\nname: \"a\\u202Eb\"",
     "[pattern] 2:7: name: contains the invisible character U+202E; retype it"},
    {"run: x\nroles: {\"1st\": {}}",
     "[pattern] 2:9: roles.1st: \"1st\" must begin with a letter; write for example st"},
    {"run: x\nmemory: 16 Gigs",
     "[quantity] 2:9: memory: \"16 Gigs\" is not a valid amount of memory; write 16GB"},
    {"run: x\nmemory: 16", "[quantity] 2:9: memory: 16 has no unit; write 16GB"},
    {"run: x\nmemory: 512m",
     "[quantity] 2:9: memory: \"512m\" is not a valid amount of memory; write 512MB"},
    {"run: x\ncpus: -1",
     "[quantity] 2:7: cpus: \"-1\" is not a valid number of CPUs; write 4, 0.5 or 500m"},
    {"run: x\ngpus: 0.5",
     "[fraction] 2:7: gpus: 0.5 is not a whole number of GPUs; write 1, or 0 for none"},
    {"run: x\ntime_limit: 2 hours",
     "[duration] 2:13: time_limit: \"2 hours\" is not a valid duration; write 2h or 1h30m"},
    {"run: x\ntime_limit: 90", "[duration] 2:13: time_limit: 90 has no unit; write 90s"},
    {"run: x\n\n\nname: a\nname: b",
     "[duplicate_key] 5:1: name: is written twice, first in line 4; keep one"},
    {"{\"run\": \"x\",\n \"env\": {\"A\": 1,\n \"A\": 2}}",
     "[duplicate_key] 3:2: env.A: is written twice, first in line 2; keep one"},
    {"run: x\nroles:\n  worker: {}\n  Worker: {}",
     "[duplicate_name] 4:3: roles.Worker: two roles are called \"Worker\" (lines 3 and 4; case and "
     "\"_\" do not count); rename one"},
    {"run: x\ngpu: 2", "[unknown_key] 2:1: gpu: unknown key; did you mean gpus?"},
    {"run: x\nzzzzzzzz: 2",
     "[unknown_key] 2:1: zzzzzzzz: unknown key; remove it, or put notes under a top-level key x-…"},
    {"run: x\nretry: {zzzzzz: 2}",
     "[unknown_key] 2:9: retry.zzzzzz: unknown key; the keys here are count, on, exit_codes, "
     "backoff, max_backoff"},
    {"image:\n  name: x:1\n  run: y\nroles: {a: {}}",
     "[misplaced_key] 3:3: image.run: belongs beside \"image\"; remove the extra blanks before it"},
    {"run: x\nroles: {a: {retry: 2}}",
     "[misplaced_key] 2:13: roles.a.retry: belongs to the job, not to a role; move it to the top "
     "level"},
    {"run: x\nroles: {ps: {after: wroker}, worker: {}}",
     "[reference] 2:21: roles.ps.after: no role is called \"wroker\"; the roles are ps, worker"},
    {"run: x\nroles: {train: {after: eval}, eval: {after: [train]}}",
     "[cycle] 2:46: roles.eval.after[0]: waits for itself: train → eval → train; remove one "
     "\"after\""},
    {"run: x\nroles: {a: {after: a}}",
     "[cycle] 2:13: roles.a.after: waits for itself: a → a; remove one \"after\""},
    {"run: x\ncount: 4\nfail_when: 5",
     "[more_than_count] 3:12: fail_when: 5 is more than the 4 tasks of the role; write 1 to 4, or "
     "never"},
    {"run: x\ncount: 4\ndone_when: 5",
     "[more_than_count] 3:12: done_when: 5 is more than the 4 tasks of the role; write 1 to 4"},
    {"run: x\ncount: 4\nmin_count: 5",
     "[more_than_count] 3:12: min_count: 5 is more than the 4 tasks of the role; write 0 to 4"},
    {"run: x\ncount: 4\ndone_when: {task: 4}",
     "[more_than_count] 3:12: done_when: there is no task 4 among the 4 tasks of the role; the "
     "first is 0, the last 3"},
    {"run: x\ngang: 2",
     "[more_than_count] 2:7: gang: 2 is more than the 1 task of the job; write 1"},
    {"run: x\nmemory: 4GB\nshm: 8GB",
     "[shm_over_memory] 3:6: shm: 8GB of shared memory does not fit into 4GB; raise memory or "
     "lower shm"},
    {"run: x\nalerts: [{on: failed, after: 1h}]",
     "[two_of] 2:23: alerts[0].after: give only one of on and after"},
    {"run: x\npolicies: [{on: any, exit_code: 1, do: fail_job}]",
     "[two_of] 2:22: policies[0].exit_code: give only one of on and exit_code"},
    {"run: x\nroles: {ps: {main: true}, worker: {main: true}}",
     "[main_twice] 2:42: roles.worker.main: ps and worker are marked main; mark only the role "
     "whose end ends the job"},
    {"run: x\nenv: {TRAINYARD_X: 1}",
     "[reserved_env] 2:7: env.TRAINYARD_X: TRAINYARD_* is reserved for the platform; choose "
     "another name"},
    {"run: x\nenv: {1A: 1}",
     "[env_name] 2:7: env.1A: \"1A\" is not a valid variable name; use letters, digits and \"_\", "
     "not beginning with a digit"},
    {"run: x\nenv: {MASTER_ADDR: h}",
     "W[shadows] 2:7: env.MASTER_ADDR: replaces the platform's MASTER_ADDR in this job"},
    {"run: x\nenv: {NVIDIA_VISIBLE_DEVICES: all}",
     "W[device_env] 2:7: env.NVIDIA_VISIBLE_DEVICES: NVIDIA_VISIBLE_DEVICES is set by the "
     "platform; request gpus instead"},
    {"run: x\nenv: {DB_PASSWORD: hunter2}",
     "W[secret] 2:7: env.DB_PASSWORD: looks like a secret; everyone who can see this "
     "job can read it"},
    {"run: x\nworkdir: data",
     "[target] 2:10: workdir: \"data\" is not an absolute path; write /data"},
    {"run: x\nmounts:\n - {from: team, to: data}",
     "[target] 3:21: mounts[0].to: \"data\" is not an absolute path; write /data"},
    {"run: x\nmounts:\n - a:/data\n - b:/data/",
     "[target] 4:4: mounts[1]: /data is mounted twice, first in line 3; change one"},
    {"run: x\nmounts: ['a:/proc/x']",
     "[target] 2:10: mounts[0]: /proc/x belongs to the system; choose another target, for example "
     "/data"},
    {"run: x\nmounts: ['a:/x/../etc']",
     "[target] 2:10: mounts[0]: \"/x/../etc\" goes up with \"..\"; write the path it means"},
    {"run: x\ncode: ./src",
     "[local_path] 2:7: code: ./src is on your machine; submit with the trainyard command, which "
     "uploads it"},
    {"run: x\ndata: a b",
     "[source] 2:7: data: \"a b\" is not a valid source; write for example cifar10@V2, "
     "storage:team/pile or https://git.example.org/team/code.git@v1"},
    {"run: x ${{ lrate }}",
     "[template] 1:6: run: ${{ lrate }} has no value; add it under params or pass -p lrate=…"},
    {"run: x ${{ lrate",
     "[template] 1:6: run: ${{ is not closed; write ${{ name }}, or $${{ for these characters "
     "themselves"},
    {"run: x\nmetrics: {loss: '(?<=x)y'}",
     "[regex] 2:17: metrics.loss: look-behind is not supported; write x(y) for (?<=x)y"},
    {"run: x\nmetrics: {loss: 'loss'}",
     "[regex] 2:17: metrics.loss: has no group for the value; write for example loss=([0-9.]+)"},
    {"run: x\nmetrics: {loss: '(a)(b)'}",
     "[regex] 2:17: metrics.loss: has several groups; name the one to keep (?P<value>…)"},
    {"run: x\nmetrics: {loss: '(a{2000})'}",
     "[regex] 2:17: metrics.loss: {2000} repeats too often; write a smaller number"},
    {"run: x\nmetrics: {loss: '(a'}",
     "[regex] 2:17: metrics.loss: missing ): (a; put \\ before a bracket that stands for itself"},
    {"run: x\nsecrets: [a, 's3cr3t value!']",
     "[secret] 2:14: secrets[1]: expected the name of a stored secret, not its value; write "
     "for example WANDB_API_KEY"},
    {"run: x\nports: {web: 8080, api: 8080}",
     "[duplicate_name] 2:25: ports.api: port 8080 is requested by \"web\" too; change one"},
    {"run: x\nports: [70000]", "[range] 2:9: ports[0]: 70000 is too large; write at most 65535"},
    {"run: x\nroles: {a: {count: 4000}, b: {count: 4000}}",
     "[range] 2:1: roles: the roles have 8000 tasks together; write at most 4096"},
    {"run: x\ncount: 4096\ngpus: 8",
     "[range] 1:1: the roles have 32768 GPUs together; write at most 16384"},
    {"run: x\nroles: {}",
     "[range] 2:8: roles: is empty; write for example roles: {worker: {count: 2}}"},
    {"trainyard: 2\nrun: x", "[range] 1:12: trainyard: 2 is too large; write at most 1"},
};

TEST(NativeMessages, AreWordForWord) {
  for (const Case& c : kCases) {
    const std::vector<std::string> said = all_said(read(c.file));
    EXPECT_TRUE(std::ranges::find(said, c.said) != said.end())
        << c.file << "\nwanted: " << c.said << "\n   got: " << join(said, "\n        ");
    EXPECT_EQ(said.size(), 1U) << c.file << "\n" << join(said, "\n");
  }
}

TEST(NativeMessages, AreToldInChineseToo) {
  const ReadResult result = read("run: x\ngpus: two\nnetwork: nat");
  ASSERT_EQ(result.errors.size(), 2U);
  EXPECT_EQ(format_issue(result.errors[0], "", Language::Chinese),
            "作业文件:2:7: gpus: 应为整数，实际是\"two\"；例如写 gpus: 2");
  EXPECT_EQ(format_issue(result.errors[1], "a.yaml", Language::Chinese),
            "a.yaml:3:10: network: \"nat\" 不是有效的网络；请写 bridge 或 host");
}

/// yaml-cpp calls all of these an illegal map value.
TEST(NativeMessages, AColonInTheWrongPlaceIsExplainedByItsCause) {
  const auto said = [](std::string_view file) {
    const ReadResult result = read(file);
    return result.ok() ? std::string("ok") : result.errors[0].message.text();
  };
  EXPECT_EQ(said("run: echo a: b\n"),
            "a value cannot contain a colon followed by a blank; put the text in quotes");
  EXPECT_EQ(said("name:mnist\nrun: x\n"), "line 1 has no blank after its colon; write name: value");
  EXPECT_EQ(said("name mnist\nrun: x\n"),
            "line 1 above is not a key with a value; write key: value");
  EXPECT_EQ(said("name: mnist\n  run: x\n"),
            "this line is indented deeper than line 1, which has a value already; give both the "
            "same number of blanks");
}

TEST(NativeMessages, ComeAllAtOnceButNoMoreThanAHundred) {
  std::string file = "run: x\nenv:\n";
  for (int i = 0; i < 500; ++i) file += "  " + std::to_string(i) + "A: x\n";
  const ReadResult result = read(file);
  EXPECT_EQ(result.errors.size(), 100U);
  EXPECT_EQ(result.errors[0].line, 3);
}

TEST(NativeMessages, CarryPointersForPrograms) {
  const ReadResult result = read("run: x\nroles: {w: {env: {\"a/b~c\": 1}}}");
  ASSERT_EQ(result.errors.size(), 1U);
  EXPECT_EQ(result.errors[0].pointer, "/roles/w/env/a~1b~0c");
  const Error error = to_error(result.errors, "job.yaml");
  EXPECT_EQ(error.code, Errc::Invalid);
  ASSERT_EQ(error.details.size(), 1U);
  EXPECT_EQ(error.details[0].line, 2);
}

TEST(NativeMessages, ColumnsCountCharactersNotBytes) {
  const ReadResult result = read("run: x\nenv: {A: 训练, 1B: x}");
  ASSERT_EQ(result.errors.size(), 1U);
  EXPECT_EQ(result.errors[0].column, 14);
}

TEST(NativeMessages, NeverRepeatASecret) {
  const ReadResult result = read("run: x\nsecrets: {API: 'the secret, pasted'}");
  ASSERT_EQ(result.errors.size(), 1U);
  EXPECT_EQ(result.errors[0].message.text().find("pasted"), std::string::npos);
}

TEST(NativeMessages, UnknownParametersOfTheCommandLineAreNamed) {
  ReadOptions options;
  options.params = {{"lrr", "1"}};
  const ReadResult result = read("run: x ${{ lr }}\nparams: {lr: 1, batch: 2}", options);
  ASSERT_EQ(result.errors.size(), 1U);
  EXPECT_EQ(result.errors[0].message.text(),
            "no parameter is called \"lrr\"; the parameters are batch, lr");
}

TEST(NativeMessages, ParametersMayComeFromTheCommandLineAlone) {
  ReadOptions options;
  options.params = {{"cmd", "a\\,b,c"}};
  const ReadResult result = read("run: echo ${{cmd}}", options);
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result.jobs.size(), 2U);
  EXPECT_EQ(result.jobs[0].spec.roles[0].command.script, "echo a,b");
  EXPECT_EQ(result.jobs[1].spec.roles[0].command.script, "echo c");
  EXPECT_EQ(result.jobs[1].spec.params, "{\"cmd\":\"c\"}");
}

}  // namespace
}  // namespace ty::jobspec
