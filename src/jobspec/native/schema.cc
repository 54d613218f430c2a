#include <map>
#include <optional>

#include "jobspec/impl/readers.h"
#include "jobspec/native/fields.h"
#include "jobspec/print.h"

namespace ty::jobspec {
namespace {

using native::Field;
using native::Level;

/// The example's value as JSON.
std::string example_json(const Field& field) {
  Tree tree(field.example);
  (void)read_yaml(field.example, tree);
  for (const Ref document : tree.documents()) {
    if (const Ref value = document.find(field.key)) return to_json(value);
  }
  return "null";
}

std::string property(const Field& field) {
  std::string description;
  append_json_string(description, std::string(field.english) + "\n" + std::string(field.chinese));
  std::string out =
      "{\"description\":" + description + ",\"examples\":[" + example_json(field) + "],";
  // Draft-07 ignores what stands beside a $ref.
  if (field.schema.starts_with("{\"$ref\""))
    out += "\"allOf\":[" + std::string(field.schema) + "]}";
  else
    out += field.schema.substr(1);
  return out;
}

template <class Keep>
std::string properties(std::span<const Field> fields, Keep keep) {
  std::string out = "{";
  for (const Field& field : fields) {
    if (!keep(field)) continue;
    if (out.size() > 1) out += ",\n";
    append_json_string(out, field.key);
    out += ":" + property(field);
  }
  return out + "}";
}

constexpr std::string_view kDefinitions = R"("scalar":{"type":["string","number","boolean"]},
"duration":{"type":"string","pattern":"^(?=.)([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?$"},
"memory":{"type":"string","pattern":"^(0|[1-9][0-9]*)(\\.[0-9]+)?[KMGT]i?B?$"},
"cpus":{"anyOf":[{"type":"number","exclusiveMinimum":0,"maximum":1024},{"type":"string","pattern":"^(0|[1-9][0-9]*)((\\.[0-9]+)?|m)$"}]},
"source":{"type":"string","minLength":1,"maxLength":4096},
"alert_state":{"enum":["started","succeeded","failed","cancelled","retried","finished"]},
"event":{"enum":["task_failed","task_evicted","task_pending","role_done","role_failed","unplaceable","job_updated","any"]},
"metric_map":{"type":"object","maxProperties":64,"additionalProperties":{"anyOf":[{"type":"string"},{"$ref":"#/definitions/metric"}]}})";

/// Keys an object cannot do without.
std::string_view required(std::string_view object) {
  if (object == "metric") return R"(,"required":["regex"])";
  if (object == "policy")
    return R"(,"required":["do"],"oneOf":[{"required":["on"]},{"required":["exit_code"]}])";
  if (object == "alert") {
    return R"(,"oneOf":[{"required":["on"],"not":{"required":["every"]}},{"required":["after"]},{"required":["at"]}])";
  }
  if (object == "image") return R"(,"required":["name"])";
  if (object == "mount") return R"(,"required":["from"])";
  if (object == "done") return R"(,"required":["task"])";
  if (object == "sku") return R"(,"oneOf":[{"required":["type"]},{"required":["pinned_cell"]}])";
  if (object == "run_as") return R"(,"anyOf":[{"required":["user"]},{"required":["uid"]}])";
  return "";
}

}  // namespace

std::string json_schema() {
  const auto all = [](const Field&) { return true; };
  const auto of_role = [](const Field& field) { return field.level != Level::Job; };
  std::string out =
      "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\n"
      "\"$id\":\"https://trainyard.dev/schema/job.v1.json\",\n"
      "\"title\":\"Trainyard job\",\"type\":\"object\",\n\"properties\":" +
      properties(native::fields(), all) +
      ",\n\"patternProperties\":{\"^x-\":{}},\"additionalProperties\":false,\n"
      "\"anyOf\":[{\"required\":[\"trainyard\"]},{\"required\":[\"run\"]},{\"required\":[\"roles\"]"
      "}],\n"
      "\"definitions\":{" +
      std::string(kDefinitions) +
      ",\n\"role\":{\"type\":\"object\",\"additionalProperties\":false,\"properties\":" +
      properties(native::fields(), of_role) + "}";
  for (const native::Object& object : native::objects()) {
    out += ",\n\"" + std::string(object.name) +
           "\":{\"type\":\"object\",\"additionalProperties\":false,\"properties\":" +
           properties(object.fields, all) + std::string(required(object.name)) + "}";
  }
  return out + "}}\n";
}

namespace {

std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|')
      out += "\\|";
    else if (c == '\n')
      out += "<br>";
    else
      out += c;
  }
  return out.empty() ? "–" : out;
}

/// What holds without the key, in Chinese; values in backquotes and numbers are the same in both.
std::string_view fallback_in_chinese(std::string_view fallback) {
  static const std::map<std::string_view, std::string_view> words{
      {"`job-` and part of the id", "`job-` 加编号的一部分"},
      {"empty", "空"},
      {"true when the priority is below 0", "优先级小于 0 时为 true"},
      {"none", "无"},
      {"not used", "不使用"},
      {"the site's", "站点的设置"},
      {"the site's rule", "站点的规定"},
      {"one role called `main`", "一个名为 `main` 的角色"},
      {"the image's command", "镜像自带的命令"},
      {"the code folder, else the image's", "代码文件夹，没有则为镜像的"},
      {"all of them", "全部"},
      {"1, with GPUs 4 per GPU", "1；有 GPU 时每块 GPU 4 个"},
      {"2GB, with GPUs 16GB per GPU", "2GB；有 GPU 时每块 GPU 16GB"},
      {"half of the memory", "内存的一半"},
      {"`http` and `ssh`, one each", "`http` 和 `ssh` 各一个"},
      {"a folder of the platform's", "平台的一个文件夹"},
      {"main role: `all`", "主角色：`all`"},
      {"true, but for parameter servers and evaluators", "true，参数服务器和评估器除外"},
      {"any", "任意"},
      {"once", "一次"},
      {"the owner", "所有者"},
      {"the user's", "该用户的"},
      {"`if_missing`; `always` for `latest` or no tag",
       "`if_missing`；`latest` 或没有标签时为 `always`"},
      {"`/code` for code", "代码为 `/code`"}};
  const auto found = words.find(fallback);
  return found == words.end() ? fallback : found->second;
}

template <class Keep>
std::string table(std::span<const Field> fields, Language language, Keep keep) {
  const bool english = language == Language::English;
  std::string out = english ? "| Key | Example | Without it | Meaning |\n|---|---|---|---|\n"
                            : "| 键 | 示例 | 不写时 | 含义 |\n|---|---|---|---|\n";
  for (const Field& field : fields) {
    if (!keep(field)) continue;
    out += "| `" + std::string(field.key) + "` | `" + cell(field.example) + "` | " +
           cell(english ? field.fallback : fallback_in_chinese(field.fallback)) + " | " +
           cell(english ? field.english : field.chinese) + " |\n";
  }
  return out + "\n";
}

/// What stands around the tables.
struct Prose {
  std::string_view head, job_keys, role_keys, sources;
};

constexpr Prose kEnglish{.head = R"(# The native job file

<!-- Printed from src/jobspec/native/fields.cc; change it there, then run `make bless`. -->

A map of keys in YAML or JSON; one map per job, several separated by `---` are submitted all or none. Keys of a role may stand
at the top level: without `roles` they describe the only role, called `main`; with `roles` they are defaults for each of them.
Unknown keys are faults, so that a typo in `gpus` does not start a job without GPUs; top-level keys that begin with `x-` are free.
`yes no on off` are text. `trainyard check FILE` says what is wrong, with line and column, or what the job means.

)",
                         .job_keys = "## Keys of the job\n\n",
                         .role_keys = "## Keys of a role\n\n",
                         .sources = R"(## Sources

`code`, `data`, `model`, `output` and `mounts` take a source:

| Written | Means |
|---|---|
| `.`, `./dir` | a folder on your machine, packed and uploaded by the `trainyard` command |
| `cifar10`, `cifar10@V2` | an asset of the kind the key asks for (dataset, algorithm, model; `output` and `mounts`: a storage), newest version if none is given |
| `/abs`, `host:/abs` | a folder of the machines, inside a storage an administrator defined |
| `https://…/code.git@v1`, `git@host:team/code.git` | a Git repository, at a branch, tag or commit |
| `storage:team/pile`, `dataset:…`, `algorithm:…`, `model:…`, `volume:…` | by full name |
| `https://…`, `s3://bucket/prefix`, `hdfs:…`, `nfs://server/path` | fetched or mounted |
| `upload:<sha256>`, `scratch:`, `memory:` | something uploaded before, an empty folder on disk or in memory |

## Maps inside

)"};

constexpr Prose kChinese{.head = R"(# 原生作业文件

<!-- Printed from src/jobspec/native/fields.cc; change it there, then run `make bless`. -->

YAML 或 JSON 写成的一组键；一个作业一组，多组用 `---` 隔开，要么全部提交，要么都不提交。角色的键可以写在顶层：没有 `roles` 时
它们描述唯一的角色 `main`；有 `roles` 时它们是每个角色的默认值。未知的键是错误，这样把 `gpus` 写错时不会启动一个没有 GPU 的作业；
以 `x-` 开头的顶层键可以随意使用。`yes no on off` 是文本。`trainyard check FILE` 指出错误所在的行和列，或说明作业的含义。

)",
                         .job_keys = "## 作业的键\n\n",
                         .role_keys = "## 角色的键\n\n",
                         .sources = R"(## 来源

`code`、`data`、`model`、`output` 和 `mounts` 的值是一个来源：

| 写法 | 含义 |
|---|---|
| `.`、`./dir` | 你机器上的文件夹，由 `trainyard` 命令打包上传 |
| `cifar10`、`cifar10@V2` | 键所要求种类的资产（数据集、算法、模型；`output` 和 `mounts` 为存储），不写版本则为最新版本 |
| `/abs`、`host:/abs` | 节点上的文件夹，位于管理员定义的存储之内 |
| `https://…/code.git@v1`、`git@host:team/code.git` | Git 仓库的某个分支、标签或提交 |
| `storage:team/pile`、`dataset:…`、`algorithm:…`、`model:…`、`volume:…` | 用完整名称指定 |
| `https://…`、`s3://bucket/prefix`、`hdfs:…`、`nfs://server/path` | 下载或挂载 |
| `upload:<sha256>`、`scratch:`、`memory:` | 之前上传的内容，磁盘上或内存中的空文件夹 |

## 内部的映射

)"};

}  // namespace

std::string reference_page(Language language) {
  const Prose& prose = language == Language::English ? kEnglish : kChinese;
  std::string out(prose.head);
  out += prose.job_keys;
  out += table(native::fields(), language, [](const Field& f) { return f.level != Level::Role; });
  out += prose.role_keys;
  out += table(native::fields(), language, [](const Field& f) { return f.level != Level::Job; });
  out += prose.sources;
  for (const native::Object& object : native::objects()) {
    out += "### " + std::string(object.name) + "\n\n" +
           table(object.fields, language, [](const Field&) { return true; });
  }
  return out;
}

}  // namespace ty::jobspec
