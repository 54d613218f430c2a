#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <boost/json.hpp>
#include <map>
#include <set>

#include "api/embedded.h"
#include "api/faces.h"
#include "api/v1/encode/accounts.h"
#include "api/v1/encode/events.h"
#include "api/v1/encode/jobs.h"
#include "api/v1/encode/logs.h"
#include "api/v1/encode/nodes.h"
#include "api/v1/encode/registries.h"
#include "api/v1/encode/submitted.h"
#include "api/v1/encode/tasks.h"
#include "api/v1/encode/why.h"
#include "api/v1/problem.h"
#include "base/text.h"

/// The contracts, the tables of operations and what we write, compared with each other.
namespace ty::api::v1 {
namespace {

namespace json = boost::json;

YAML::Node contract() {
  static const YAML::Node loaded = YAML::Load(std::string(embedded("openapi.yaml")));
  return loaded;
}

YAML::Node schema(const std::string& name) { return contract()["components"]["schemas"][name]; }

YAML::Node resolved(const YAML::Node& node) {
  if (!node["$ref"]) return node;
  const std::string path = node["$ref"].as<std::string>();
  return schema(path.substr(path.rfind('/') + 1));
}

/// Properties of an object schema, those of `allOf` included.
void collect(const YAML::Node& given,
             std::map<std::string, YAML::Node>& properties,
             std::set<std::string>& required) {
  const YAML::Node node = resolved(given);
  for (const auto& part : node["allOf"]) collect(part, properties, required);
  for (const auto& entry : node["properties"])
    properties[entry.first.as<std::string>()] = entry.second;
  for (const auto& name : node["required"]) required.insert(name.as<std::string>());
}

/// Faults of a value against a schema, as `path: what`. Stricter than the contract's "clients pass
/// over unknown fields": what we write must be written down.
void check(const json::value& value,
           const YAML::Node& given,
           const std::string& path,
           std::vector<std::string>& faults) {
  const YAML::Node node = resolved(given);
  if (value.is_null()) {
    if (!node["nullable"] || !node["nullable"].as<bool>())
      faults.push_back(path + ": may not be null");
    return;
  }
  if (node["enum"]) {
    const auto words = node["enum"].as<std::vector<std::string>>();
    const std::string word =
        value.is_string() ? std::string(value.get_string()) : json::serialize(value);
    if (std::ranges::find(words, word) == words.end())
      faults.push_back(path + ": " + word + " is no such word");
  }
  const std::string type = node["type"] ? node["type"].as<std::string>() : "";
  if (type == "string" && !value.is_string()) faults.push_back(path + ": not text");
  if (type == "boolean" && !value.is_bool()) faults.push_back(path + ": not a truth value");
  if (type == "integer" && !value.is_int64()) faults.push_back(path + ": not a whole number");
  if (type == "number" && !value.is_number()) faults.push_back(path + ": not a number");
  if (type == "array") {
    if (!value.is_array()) return faults.push_back(path + ": not a list");
    for (const json::value& item : value.get_array())
      check(item, node["items"], path + "[]", faults);
  }
  const bool is_object_schema = type == "object" || (node["allOf"] && value.is_object());
  if (!is_object_schema) return;
  if (!value.is_object()) return faults.push_back(path + ": not an object");
  std::map<std::string, YAML::Node> properties;
  std::set<std::string> required;
  collect(node, properties, required);
  for (const std::string& name : required) {
    if (!value.get_object().contains(name)) faults.push_back(path + "." + name + ": missing");
  }
  for (const auto& [name, field] : value.get_object()) {
    const auto known = properties.find(std::string(name));
    if (known != properties.end())
      check(field, known->second, path + "." + std::string(name), faults);
    else if (node["additionalProperties"])
      check(field, node["additionalProperties"], path + "." + std::string(name), faults);
    else if (!properties.empty())
      faults.push_back(path + "." + std::string(name) + ": not in the contract");
  }
}

template <class Write>
void expect_conforms(const std::string& name, Write write) {
  JsonWriter out;
  write(out);
  const std::string text = std::move(out).finish();
  std::vector<std::string> faults;
  check(json::parse(text), schema(name), name, faults);
  EXPECT_TRUE(faults.empty()) << join(faults, "\n") << "\n" << text;
}

/// `GET /api/v1/jobs list_jobs`, with ` open` when no token is needed: of the paths that are this
/// face's own, since faces may share a document.
std::set<std::string> in_contract(const Face& face) {
  std::set<std::string> all;
  const YAML::Node document = YAML::Load(std::string(embedded(face.contract)));
  for (const auto& path : document["paths"]) {
    if (owner_of(path.first.as<std::string>(), faces()) != &face) continue;
    for (const auto& entry : path.second) {
      const std::string method = to_upper(entry.first.as<std::string>());
      if (net::method_from(method) == net::Method::Other) continue;  // `parameters`
      const bool open = entry.second["security"] && entry.second["security"].size() == 0;
      all.insert(method + " " + path.first.as<std::string>() + " " +
                 entry.second["operationId"].as<std::string>() + (open ? " open" : ""));
    }
  }
  return all;
}

std::set<std::string> in_table(const Face& face) {
  std::set<std::string> all;
  for (const Operation& operation : face.operations) {
    all.insert(std::string(net::to_string(operation.method)) + " " + std::string(operation.path) +
               " " + std::string(operation.id) +
               (operation.caller == Caller::Anyone ? " open" : ""));
  }
  return all;
}

TEST(Contract, EveryPathHasAnOperationAndEveryOperationAPathInEachFace) {
  for (const Face* face : faces()) EXPECT_EQ(in_table(*face), in_contract(*face)) << face->name;
}

TEST(Contract, EveryOperationHasAnActionAndLiesWithinItsFace) {
  for (const Face* face : faces()) {
    for (const Operation& operation : face->operations) {
      EXPECT_NE(operation.action, nullptr) << operation.id;
      EXPECT_EQ(owner_of(operation.path, faces()), face) << operation.id;
    }
  }
}

TEST(Contract, EveryPathOfEveryDocumentBelongsToAFaceThatNamesIt) {
  for (const Face* face : faces()) {
    const YAML::Node document = YAML::Load(std::string(embedded(face->contract)));
    for (const auto& path : document["paths"]) {
      const Face* owner = owner_of(path.first.as<std::string>(), faces());
      ASSERT_NE(owner, nullptr) << path.first;
      EXPECT_EQ(owner->contract, face->contract) << path.first;
    }
  }
}

TEST(Contract, EveryExampleFitsItsSchema) {
  int seen = 0;
  const auto look = [&](const YAML::Node& content, const std::string& where) {
    for (const auto& media : content) {
      const YAML::Node example = media.second["example"];
      if (!example || !example.IsMap()) continue;
      // Examples are plain values; quoted ones are text whatever they look like.
      const std::function<json::value(const YAML::Node&)> as_json =
          [&](const YAML::Node& node) -> json::value {
        if (node.IsMap()) {
          json::object object;
          for (const auto& field : node)
            object[field.first.as<std::string>()] = as_json(field.second);
          return object;
        }
        if (node.IsSequence()) {
          json::array list;
          for (const auto& item : node) list.push_back(as_json(item));
          return list;
        }
        if (node.IsNull()) return nullptr;
        const std::string text = node.Scalar();
        boost::system::error_code ec;
        json::value plain = json::parse(text, ec);
        return node.Tag() == "?" && !ec ? plain : json::value(text);
      };
      std::vector<std::string> faults;
      check(as_json(example), media.second["schema"], where, faults);
      EXPECT_TRUE(faults.empty()) << join(faults, "\n");
      ++seen;
    }
  };
  for (const auto& path : contract()["paths"]) {
    for (const auto& entry : path.second) {
      if (!entry.second.IsMap()) continue;
      const std::string where = path.first.as<std::string>();
      if (entry.second["requestBody"]) look(entry.second["requestBody"]["content"], where);
      for (const auto& response : entry.second["responses"]) {
        if (response.second["content"]) look(response.second["content"], where);
      }
    }
  }
  EXPECT_GE(seen, 5);
}

TEST(Contract, EveryProblemWordIsListed) {
  for (int i = 0; i <= static_cast<int>(Errc::Internal); ++i) {
    net::Request request;
    request.id = "r1";
    const Error error{static_cast<Errc>(i),
                      plain("why"),
                      {{"/a", plain("wrong"), "type", 3, 4}, {"?b", plain("wrong")}}};
    const net::Response response = problem(error, request);
    EXPECT_GE(response.status, 400);
    std::vector<std::string> faults;
    check(json::parse(std::get<std::string>(response.body)), schema("Problem"), "Problem", faults);
    EXPECT_TRUE(faults.empty()) << join(faults, "\n");
  }
}

control::JobView sample_view() {
  control::JobView view;
  model::JobSpec spec;
  spec.description = "a \"job\"";
  spec.roles.resize(2);
  spec.roles[0].name = "ps";
  spec.roles[1].name = "worker";
  spec.roles[1].count = 2;
  spec.roles[1].ports = {{.label = "nccl", .count = 2}};
  view.spec = std::make_shared<const model::JobSpec>(spec);
  view.labels = {{"team", "vision"}};
  view.waiting_for = plain("needs 4 GPUs");
  model::Job& job = view.job;
  job.id = JobId("k41f09c2ab7d34e8899d0c51e2f7a6b3");
  job.name = job.handle = "bert";
  job.owner_name = "ann";
  job.workspace_name = "default";
  model::Task task{.ref = {.role = 1, .index = 1}, .state = model::TaskState::Failed};
  task.placement = model::Placement{.node = "n1",
                                    .address = "127.0.0.1",
                                    .gpus = {3},
                                    .gpu_type = "A100",
                                    .ports = {{20000}, {20001}, {20002, 20003}}};
  task.started_at = from_millis(1);
  task.ended_at = from_millis(2);
  task.ending = {.outcome = model::Outcome::Failed,
                 .reason = model::Reason::Exit,
                 .failure = model::FailureClass::User,
                 .exit_code = 3,
                 .message = plain("exit code 3")};
  job.life.tasks = {{.ref = {.role = 0}}, {.ref = {.role = 1}}, task};
  job.life.decision = {.task = task.ref,
                       .rule = "min_failed",
                       .message = plain("worker-1: exit code 3"),
                       .reason = model::Reason::Exit,
                       .failure = model::FailureClass::User,
                       .exit_code = 3};
  job.life.time_limit = Seconds{90};
  return view;
}

TEST(Encode, AJobIsAsTheContractSaysInEveryState) {
  control::JobView view = sample_view();
  for (int i = 0; i <= static_cast<int>(model::JobState::Cancelled); ++i) {
    view.job.life.state = static_cast<model::JobState>(i);
    if (view.job.life.state == model::JobState::Stopping)
      view.job.life.ending_as = model::JobState::Failed;
    expect_conforms("Job", [&](JsonWriter& out) { write_job(out, view); });
    expect_conforms("JobSummary", [&](JsonWriter& out) { write_summary(out, view.job); });
    expect_conforms("Why", [&](JsonWriter& out) {
      write_why(out, {.state = view.job.life.state, .decision = view.job.life.decision});
    });
  }
  view.job.life.decision = {};
  expect_conforms("Job", [&](JsonWriter& out) { write_job(out, view); });
}

TEST(Encode, AJobSaysItsReasonAndCode) {
  control::JobView view = sample_view();
  const auto field = [&](const char* name) {
    JsonWriter out;
    write_job(out, view);
    return json::serialize(json::parse(std::move(out).finish()).as_object().at(name));
  };
  view.job.life.state = model::JobState::Queued;
  EXPECT_EQ(field("reason"), "\"needs 4 GPUs\"");
  EXPECT_EQ(field("exit_code"), "null");
  view.job.life.state = model::JobState::Failed;
  EXPECT_EQ(field("reason"), "\"worker-1: exit code 3\"");
  EXPECT_EQ(field("exit_code"), "3");
  EXPECT_EQ(json::parse(field("decision")).as_object().at("task"), "worker-1");
  view.job.life.state = model::JobState::Succeeded;
  EXPECT_EQ(field("reason"), "\"\"");
  EXPECT_EQ(field("exit_code"), "0");
  const json::value roles = json::parse(field("roles"));
  const json::value& task = roles.at(1).at("tasks").at(1);
  EXPECT_EQ(json::serialize(task.at("ports")),
            R"({"http":[20000],"ssh":[20001],"nccl":[20002,20003]})");
}

TEST(Encode, TheRestIsAsTheContractSays) {
  const control::JobView view = sample_view();
  expect_conforms(
      "Try", [&](JsonWriter& out) { write_try(out, *view.spec, 1, view.job.life.tasks.back()); });
  expect_conforms("LogLines", [](JsonWriter& out) {
    write_log_lines(out, {.task = "worker-0", .total = 1, .lines = {{.text = "a"}}});
  });
  expect_conforms("LogHits", [](JsonWriter& out) {
    write_log_hits(out, {.hits = {{.line = 1, .text = "a"}}, .next = 7});
  });
  expect_conforms("Attempt", [](JsonWriter& out) { write_attempt(out, {.attempt = 1}); });
  expect_conforms("Event", [](JsonWriter& out) {
    write_event(out,
                {.id = EventId{7}, .kind = "job.running", .actor = "ann", .data = "{\"x\":1}"});
  });
  expect_conforms("Submitted", [](JsonWriter& out) {
    write_submitted(out,
                    {{.id = JobId("a"), .name = "n", .warnings = {{.code = "x", .line = 1}}},
                     {.id = JobId("b"), .name = "m"}});
  });
  control::NodeView node;
  node.gpus = {{.type = "A100"}, {.type = "A100", .load_percent = 40, .celsius = 60, .watts = 300}};
  node.runtime = "process";
  node.labels = {{"zone", "a"}};
  node.gpus[1].used = true;
  node.jobs = {JobId("a")};
  expect_conforms("Node", [&](JsonWriter& out) { write_node(out, node); });
  const std::string link = "http://x/signin#tyl_1";
  expect_conforms("User", [](JsonWriter& out) { write_user(out, {.name = "ann"}); });
  expect_conforms("NewUser", [&](JsonWriter& out) { write_user(out, {.name = "ann"}, &link); });
  expect_conforms("RegistryLogin", [](JsonWriter& out) {
    write_registry(out, {.server = "docker.io", .username = "ann"});
  });
  const Secret text("ty_secret");
  expect_conforms("Token", [](JsonWriter& out) { write_token(out, {.scopes = {"read"}}); });
  expect_conforms("NewToken", [&](JsonWriter& out) { write_token(out, {}, &text); });
  control::Why why;
  control::Forecast& forecast = why.forecast.emplace();
  forecast.verdict = control::Forecast::Verdict::Waits;
  forecast.reasons = {Message{"free_gpus", {{"n", Value(4)}, {"s", Value("x")}}}};
  forecast.estimate.emplace();
  forecast.change = joined(plain("t"), plain("u"));
  expect_conforms("Why", [&](JsonWriter& out) { write_why(out, why); });
  why.clue = {
      .task = "main-0", .line = 7, .said = "MemoryError", .code = "oom", .text = plain("t")};
  expect_conforms("Why", [&](JsonWriter& out) { write_why(out, why); });
}

TEST(Access, EveryRuleIsKept) {
  auth::Principal nobody{.name = "ann", .scopes = {auth::Scope::Read}};
  auth::Principal writer{.name = "ann", .scopes = {auth::Scope::Write}};
  auth::Principal admin_reading{
      .name = "root", .administrator = true, .scopes = {auth::Scope::Read}};
  auth::Principal pretender{.name = "ann", .scopes = auth::Scopes::all()};
  auth::Principal admin{.name = "root", .administrator = true, .scopes = auth::Scopes::all()};
  std::vector<Operation> operations;
  for (const Face* face : faces())
    operations.insert(operations.end(), face->operations.begin(), face->operations.end());
  for (const Operation& operation : operations) {
    const bool open = operation.caller == Caller::Anyone;
    const bool for_administrators = operation.caller == Caller::Administrator;
    EXPECT_TRUE(may_call(operation, admin)) << operation.id;
    EXPECT_EQ(may_call(operation, pretender).has_value(), !for_administrators) << operation.id;
    EXPECT_EQ(may_call(operation, writer).has_value(), open || !for_administrators) << operation.id;
    EXPECT_EQ(may_call(operation, nobody).has_value(),
              open || (operation.scope == auth::Scope::Read && !for_administrators))
        << operation.id;
    EXPECT_EQ(may_call(operation, admin_reading).has_value(),
              open || operation.scope == auth::Scope::Read)
        << operation.id;
    // What changes things needs more than a token that may only look.
    const bool changes = operation.method != net::Method::Get && operation.id != "check_job_file" &&
                         operation.id != "convert_job_file" && operation.id != "sign_out";
    if (changes && !open) EXPECT_NE(operation.scope, auth::Scope::Read) << operation.id;
  }
}

}  // namespace
}  // namespace ty::api::v1
