#include "api/v1/encode/jobs.h"

#include <optional>

#include "api/v1/encode/tasks.h"
#include "model/words.h"

namespace ty::api::v1 {

using model::to_word;

namespace {

/// One sentence about why the job stands where it stands; empty when there is nothing to say.
Message reason_of(const model::Job& job, const Message& waiting_for) {
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

void write_summary_fields(JsonWriter& out, const model::Job& job, const Message& waiting_for) {
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
    write_task(out, *view.spec, task);
  }
  out.end_array().end_object();
}

}  // namespace

void write_summary(JsonWriter& out, const model::Job& job, const Message& waiting_for) {
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

void write_attempt(JsonWriter& out, const control::AttemptView& attempt) {
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

}  // namespace ty::api::v1
