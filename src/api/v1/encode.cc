#include "api/v1/encode.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/words.h"

namespace ty::api {

using model::to_word;

namespace {

/// One sentence about why the job stands where it stands; empty when there is nothing to say.
std::string_view reason_of(const model::Job& job, std::string_view waiting_for) {
  const model::JobLife& life = job.life;
  switch (life.state) {
    case model::JobState::Queued:
      return waiting_for;
    case model::JobState::Stopping:
    case model::JobState::Paused:
    case model::JobState::Failed:
    case model::JobState::Cancelled:
      return life.decision.message;
    case model::JobState::Starting:
    case model::JobState::Running:
    case model::JobState::Succeeded:
      break;
  }
  return {};
}

std::optional<int> exit_code_of(const model::JobLife& life) {
  if (life.state == model::JobState::Succeeded) return 0;
  if (model::is_final(life.state)) return life.decision.exit_code;
  return std::nullopt;
}

template <class E>
std::string_view word_or_empty(E value) {
  return value == E::None ? std::string_view() : to_word(value);
}

/// The kind of what `reason_of` says about a decision: pages word it in the reader's language.
std::string_view reason_code_of(const model::JobLife& life) {
  switch (life.state) {
    case model::JobState::Stopping:
    case model::JobState::Paused:
    case model::JobState::Failed:
    case model::JobState::Cancelled:
      return word_or_empty(life.decision.reason);
    default:
      return {};
  }
}

void write_summary_fields(JsonWriter& out, const model::Job& job, std::string_view waiting_for) {
  const model::JobLife& life = job.life;
  std::optional<std::string_view> ending_as;
  if (life.ending_as) ending_as = to_word(*life.ending_as);
  out.field("id", job.id.str())
      .field("name", job.name)
      .field("handle", job.handle)
      .field("owner", job.owner_name)
      .field("workspace", job.workspace_name)
      .field("dialect", to_word(job.dialect))
      .field("state", to_word(life.state))
      .field("ending_as", ending_as)
      .field("reason", reason_of(job, waiting_for))
      .field("reason_code", reason_code_of(life))
      .field("exit_code", exit_code_of(life))
      .field("priority", job.priority)
      .field("attempt", life.attempt)
      .field("tasks", job.tasks_total)
      .field("gpus", job.gpus_total)
      .field("created_at", job.created_at)
      .field("queued_at", life.queued_at)
      .field("not_before", life.not_before)
      .field("started_at", life.started_at)
      .field("decided_at", life.decided_at)
      .field("ended_at", life.ended_at)
      .field("time_limit", life.time_limit);
}

void write_decision(JsonWriter& out, const model::Decision& decision, const model::JobSpec* spec) {
  if (decision.rule.empty()) {
    out.null();
    return;
  }
  std::optional<std::string> task;
  if (decision.task && spec != nullptr) task = task_name(*spec, *decision.task);
  out.object()
      .field("rule", decision.rule)
      .field("message", decision.message)
      .field("task", task)
      .field("reason", word_or_empty(decision.reason))
      .field("class", word_or_empty(decision.failure))
      .field("exit_code", decision.exit_code)
      .end_object();
}

void write_task_fields(JsonWriter& out, const model::JobSpec& spec, const model::Task& task) {
  const model::Placement* place = task.placement ? &*task.placement : nullptr;
  out.field("name", task_name(spec, task.ref))
      .field("index", task.ref.index)
      .field("state", to_word(task.state))
      .field("tries", task.tries)
      .key("node");
  place != nullptr ? out.value(place->node) : out.null();
  out.key("address");
  place != nullptr ? out.value(place->address) : out.null();
  out.key("gpus").array();
  if (place != nullptr) {
    for (const int gpu : place->gpus) out.value(gpu);
  }
  out.end_array().key("ports").object();
  if (place != nullptr) {
    const auto ports = model::all_ports(spec.roles[static_cast<std::size_t>(task.ref.role)]);
    for (std::size_t i = 0; i < std::min(ports.size(), place->ports.size()); ++i)
      out.field(ports[i].label, place->ports[i]);
  }
  out.end_object()
      .field("started_at", task.started_at)
      .field("ended_at", task.ended_at)
      .field("exit_code", task.ending.exit_code)
      .field("signal", task.ending.signal)
      .field("reason", word_or_empty(task.ending.reason))
      .field("message", task.ending.message)
      .field("hold_until", task.hold_until);
}

void write_role(JsonWriter& out, const control::JobView& view, std::size_t number) {
  const model::RoleSpec& role = view.spec->roles[number];
  out.object()
      .field("name", role.name)
      .field("count", role.count)
      .field("image", role.image)
      .field("cpus", static_cast<double>(role.resources.cpu_milli) / 1000)
      .field("memory", role.resources.memory)
      .field("shm", role.resources.shm)
      .field("gpus", role.resources.gpus)
      .field("gpu_types", role.resources.gpu_types)
      .key("tasks")
      .array();
  for (const model::Task& task : view.job.life.tasks) {
    if (task.ref.role != static_cast<int>(number)) continue;
    out.object();
    write_task_fields(out, *view.spec, task);
    out.end_object();
  }
  out.end_array().end_object();
}

void write_statement(JsonWriter& out, const sched::Statement& statement) {
  out.object().field("code", statement.code).field("text", statement.text).key("data").object();
  for (const auto& [name, value] : statement.data)
    std::visit([&](const auto& v) { out.field(name, v); }, value);
  out.end_object().end_object();
}

/// All that would have to change at once, as one statement: its sentence names every part.
void write_change(JsonWriter& out, const std::vector<sched::Statement>& parts) {
  if (parts.empty()) {
    out.null();
    return;
  }
  sched::Statement whole = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    whole.text += "; and " + parts[i].text;
    whole.data.insert(parts[i].data.begin(), parts[i].data.end());
  }
  write_statement(out, whole);
}

std::string_view verdict_word(sched::Explanation::Verdict verdict) {
  switch (verdict) {
    case sched::Explanation::Verdict::StartsNow:
      return "starts_now";
    case sched::Explanation::Verdict::Waits:
      return "waits";
    case sched::Explanation::Verdict::Held:
      return "held";
    case sched::Explanation::Verdict::Impossible:
      return "impossible";
    case sched::Explanation::Verdict::Unknown:
      break;
  }
  return "unknown";
}

/// One line about a job that is not waiting.
std::string line_about(const model::Job& job) {
  const model::JobLife& life = job.life;
  if (!life.decision.message.empty() && life.state != model::JobState::Succeeded)
    return life.decision.message;
  switch (life.state) {
    case model::JobState::Starting:
      return "its tasks are being started";
    case model::JobState::Running:
      return life.started_at ? fmt::format("it runs since {}", to_rfc3339(*life.started_at))
                             : std::string("it runs");
    case model::JobState::Stopping:
      return "its tasks are being stopped";
    case model::JobState::Paused:
      return "somebody paused it; resume it to queue it again";
    case model::JobState::Succeeded:
      return life.ended_at ? fmt::format("it succeeded at {}", to_rfc3339(*life.ended_at))
                           : std::string("it succeeded");
    case model::JobState::Queued:
    case model::JobState::Failed:
    case model::JobState::Cancelled:
      break;
  }
  return std::string(to_word(life.state));
}

}  // namespace

std::string task_name(const model::JobSpec& spec, model::TaskRef task) {
  return fmt::format("{}-{}", spec.roles[static_cast<std::size_t>(task.role)].name, task.index);
}

std::string_view role_word(model::WorkspaceRole role) {
  switch (role) {
    case model::WorkspaceRole::Viewer:
      return "viewer";
    case model::WorkspaceRole::Member:
      return "member";
    case model::WorkspaceRole::Manager:
      return "manager";
  }
  return "viewer";
}

void write_summary(JsonWriter& out, const model::Job& job, std::string_view waiting_for) {
  out.object();
  write_summary_fields(out, job, waiting_for);
  out.end_object();
}

void write_job(JsonWriter& out, const control::JobView& view) {
  const model::RetryCount& retries = view.job.life.retries;
  out.object();
  write_summary_fields(out, view.job, view.waiting_for);
  out.field("description", view.spec->description).key("labels").object();
  for (const auto& [name, value] : view.labels) out.field(name, value);
  out.end_object()
      .key("retries")
      .object()
      .field("counted", retries.counted)
      .field("platform", retries.platform)
      .field("conflict", retries.conflict)
      .field("preempted", retries.preempted)
      .end_object()
      .key("decision");
  write_decision(out, view.job.life.decision, view.spec.get());
  out.key("roles").array();
  for (std::size_t i = 0; i < view.spec->roles.size(); ++i) write_role(out, view, i);
  out.end_array().end_object();
}

void write_try(JsonWriter& out, const model::JobSpec& spec, int attempt, const model::Task& task) {
  out.object().field("attempt", attempt);
  write_task_fields(out, spec, task);
  out.end_object();
}

void write_attempt(JsonWriter& out, const store::Attempt& attempt) {
  out.object()
      .field("attempt", attempt.attempt)
      .field("queued_at", attempt.queued_at)
      .field("placed_at", attempt.placed_at)
      .field("started_at", attempt.started_at)
      .field("decided_at", attempt.decided_at)
      .field("ended_at", attempt.ended_at)
      .field("rule", attempt.decision.rule)
      .field("message", attempt.decision.message)
      .end_object();
}

void write_event(JsonWriter& out, const model::Event& event) {
  out.object()
      .field("id", event.id.value)
      .field("at", event.at)
      .field("kind", event.kind)
      .field("job", event.job.str())
      .field("actor", event.actor)
      .key("data")
      .raw(event.data.empty() ? std::string_view("{}") : std::string_view(event.data))
      .end_object();
}

void write_log_lines(JsonWriter& out, const control::LogLines& lines) {
  out.object()
      .field("task", lines.task)
      .field("attempt", lines.attempt)
      .field("total", lines.total)
      .field("first", lines.first)
      .key("lines")
      .array();
  for (const control::LogLine& line : lines.lines)
    out.object().field("at", line.at).field("text", line.text).field("cut", line.cut).end_object();
  out.end_array().end_object();
}

void write_log_hits(JsonWriter& out, const telemetry::SearchPage& page) {
  out.object().key("hits").array();
  for (const telemetry::SearchHit& hit : page.hits) {
    out.object()
        .field("line", hit.line)
        .field("at", hit.time)
        .field("text", hit.text)
        .field("cut", hit.cut)
        .end_object();
  }
  out.end_array().field("next", page.next).field("searched", page.searched).end_object();
}

namespace {

/// The fields of a forecast, into an object that is open.
void write_forecast_fields(JsonWriter& out, const sched::Explanation& told) {
  out.field("text", told.text()).field("verdict", verdict_word(told.verdict)).key("reasons");
  out.array();
  for (const sched::Statement& reason : told.reasons) write_statement(out, reason);
  out.end_array().field("position", told.position).field("waiting", told.waiting).key("estimate");
  if (told.estimate) {
    out.object()
        .field("early", told.estimate->early)
        .field("likely", told.estimate->likely)
        .field("late", told.estimate->late)
        .end_object();
  } else {
    out.null();
  }
  out.key("change");
  write_change(out, {told.change.begin(), told.change.end()});
}

}  // namespace

void write_why(JsonWriter& out, const control::Why& why) {
  const model::JobLife& life = why.job.life;
  out.object().field("state", to_word(life.state));
  if (life.state == model::JobState::Queued) {
    write_forecast_fields(out, why.explanation);
  } else {
    out.field("text", line_about(why.job));
  }
  out.key("decision");
  write_decision(out, life.decision, nullptr);
  out.key("clue");
  if (const auto& clue = why.clue) {
    out.object()
        .field("code", clue->code)
        .field("text", clue->text)
        .field("task", clue->task)
        .field("line", clue->line)
        .field("said", clue->said)
        .end_object();
  } else {
    out.null();
  }
  out.end_object();
}

namespace {

void write_one_submitted(JsonWriter& out, const control::Submitted& job) {
  out.field("id", job.id.str())
      .field("name", job.name)
      .field("handle", job.handle)
      .key("warnings")
      .array();
  for (const jobspec::Issue& issue : job.warnings) write_issue(out, issue);
  out.end_array();
  if (job.forecast) {
    out.key("forecast").object();
    write_forecast_fields(out, *job.forecast);
    out.end_object();
  }
}

}  // namespace

void write_submitted(JsonWriter& out, const std::vector<control::Submitted>& jobs) {
  out.object();
  write_one_submitted(out, jobs.front());
  if (jobs.size() > 1) {
    out.key("jobs").array();
    for (const control::Submitted& job : jobs) {
      out.object();
      write_one_submitted(out, job);
      out.end_object();
    }
    out.end_array();
  }
  out.end_object();
}

void write_issue(JsonWriter& out, const jobspec::Issue& issue) {
  out.object()
      .field("severity", issue.severity == jobspec::Severity::Error ? "error" : "warning")
      .field("code", issue.code)
      .field("pointer", issue.pointer)
      .field("path", issue.path)
      .field("line", issue.line)
      .field("column", issue.column)
      .field("message", issue.message)
      .end_object();
}

void write_node(JsonWriter& out, const control::NodeView& node) {
  out.object()
      .field("name", node.info.name)
      .field("address", node.info.address)
      .field("healthy", node.info.healthy)
      .field("draining", node.draining)
      .field("problem", node.info.problem)
      .field("runtime", to_word(node.info.able.runtime))
      .field("images", node.info.able.images)
      .field("warnings", node.info.able.warnings)
      .key("labels")
      .object();
  for (const auto& [name, value] : node.info.labels) out.field(name, value);
  out.end_object()
      .field("cpus", static_cast<double>(node.info.cpu_milli) / 1000)
      .field("cpus_used", static_cast<double>(node.use.cpu_milli) / 1000)
      .field("memory", node.info.memory)
      .field("memory_used", node.use.memory)
      .key("gpus")
      .array();
  const auto known = [](int value) {
    return value < 0 ? std::nullopt : std::optional<std::int64_t>(value);
  };
  for (std::size_t i = 0; i < node.info.gpus.size(); ++i) {
    const bool used = std::ranges::find(node.use.gpus, static_cast<int>(i)) != node.use.gpus.end();
    const engine::Gpu& gpu = node.info.gpus[i];
    out.object()
        .field("index", static_cast<std::int64_t>(i))
        .field("type", gpu.type)
        .field("used", used)
        .field("model", gpu.model)
        .field("uuid", gpu.uuid)
        .field("link_group", gpu.link_group)
        .field("healthy", gpu.healthy)
        .field("problem", gpu.problem)
        .field("memory", gpu.memory)
        .field("memory_used", gpu.memory_used)
        .field("load_percent", known(gpu.load_percent))
        .field("celsius", known(gpu.celsius))
        .field("watts", known(gpu.watts))
        .end_object();
  }
  out.end_array().key("jobs").array();
  for (const JobId& job : node.use.jobs) out.value(job.str());
  out.end_array().end_object();
}

void write_user(JsonWriter& out, const model::User& user, const std::string* link) {
  out.object()
      .field("name", user.name)
      .field("display_name", user.display_name)
      .field("email", user.email)
      .field("administrator", user.administrator)
      .field("disabled", user.disabled)
      .field("created_at", user.created_at)
      .field("last_seen_at", user.last_seen_at);
  if (link != nullptr) out.field("link", *link);
  out.end_object();
}

void write_registry(JsonWriter& out, const control::RegistryService::Shown& login) {
  std::optional<std::string> workspace;
  if (!login.workspace.empty()) workspace = login.workspace;
  out.object()
      .field("server", login.server)
      .field("username", login.username)
      .field("workspace", workspace)
      .end_object();
}

void write_token(JsonWriter& out, const model::Token& token, const Secret* text) {
  out.object()
      .field("id", token.id.value)
      .field("name", token.name)
      .field("scopes", token.scopes)
      .field("created_at", token.created_at)
      .field("expires_at", token.expires_at)
      .field("last_used_at", token.last_used_at);
  if (text != nullptr) out.field("token", text->reveal());
  out.end_object();
}

}  // namespace ty::api
