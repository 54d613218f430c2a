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

template <class Keep>
std::string table(std::span<const Field> fields, Keep keep) {
  std::string out = "| Key | Example | Without it | Meaning | 含义 |\n|---|---|---|---|---|\n";
  for (const Field& field : fields) {
    if (!keep(field)) continue;
    out += "| `" + std::string(field.key) + "` | `" + cell(field.example) + "` | " +
           cell(field.fallback) + " | " + cell(field.english) + " | " + cell(field.chinese) +
           " |\n";
  }
  return out + "\n";
}

}  // namespace

std::string reference_page() {
  std::string out = R"(# The native job file

<!-- Printed from src/jobspec/native/fields.cc; change it there, then run the tests with TY_BLESS=1. -->

A map of keys in YAML or JSON; one map per job, several separated by `---` are submitted all or none. Keys of a role may stand
at the top level: without `roles` they describe the only role, called `main`; with `roles` they are defaults for each of them.
Unknown keys are faults, so that a typo in `gpus` does not start a job without GPUs; top-level keys that begin with `x-` are free.
`yes no on off` are text. `trainyard check FILE` says what is wrong, with line and column, or what the job means.

)";
  out += "## Keys of the job\n\n" +
         table(native::fields(), [](const Field& f) { return f.level != Level::Role; });
  out += "## Keys of a role\n\n" +
         table(native::fields(), [](const Field& f) { return f.level != Level::Job; });
  out += R"(## Sources

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

)";
  for (const native::Object& object : native::objects()) {
    out += "### " + std::string(object.name) + "\n\n" +
           table(object.fields, [](const Field&) { return true; });
  }
  return out;
}

}  // namespace ty::jobspec
