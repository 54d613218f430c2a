#include "control/jobs/job_service.h"

#include <fmt/format.h>

#include <algorithm>

#include "auth/permission.h"
#include "base/text.h"
#include "control/controller.h"
#include "control/event_hub.h"
#include "control/jobs/deletions.h"
#include "control/jobs/job_finder.h"
#include "control/jobs/job_line.h"
#include "control/jobs/names_of_others.h"
#include "control/logs/log_service.h"
#include "control/messages.h"
#include "control/uploads/uploads.h"
#include "engine/engine.h"
#include "model/spec_json.h"
#include "model/state_words.h"
#include "rt/log.h"
#include "store/job_store.h"
#include "store/user_store.h"
#include "store/workspace_store.h"
#include "telemetry/task_records.h"

namespace ty::control {

namespace asio = boost::asio;

namespace {

std::string name_and_id(const model::Job& job) {
  return fmt::format("{} ({})", job.name, job.id.str().substr(0, 8));
}

std::unexpected<Error> too_late(const model::Job& job, const Message& verb) {
  return fail(Errc::Conflict,
              say::job_has_ended_already(
                  {.job = name_and_id(job), .state = in_words(job.life.state), .verb = verb}));
}

/// The file with `******` where its secrets are.
std::string covered(store::Original original) {
  std::ranges::sort(original.secret_ranges, std::greater<>{});
  const auto size = static_cast<std::int64_t>(original.bytes.size());
  for (const auto& [offset, length] : original.secret_ranges) {
    if (offset < 0 || length < 0 || offset > size) continue;
    original.bytes.replace(
        static_cast<std::size_t>(offset), static_cast<std::size_t>(length), "******");
  }
  return std::move(original.bytes);
}

}  // namespace

asio::awaitable<Result<JobView>> JobService::show(auth::Principal who, std::string job) {
  TY_CO_TRY(model::Job found, co_await p_.finder.find(who, std::move(job), auth::Action::ShowJob));
  TY_CO_TRY(const std::string json, co_await p_.jobs.spec(found.seq));
  TY_CO_TRY(model::JobSpec spec, model::spec_from_json(json));
  JobView view;
  TY_CO_TRY(view.labels, co_await p_.jobs.labels(found.seq));
  if (found.life.state == model::JobState::Queued) {
    Forecast told = to_forecast(co_await p_.controller.explain(found.id));
    view.waiting_for = (co_await for_reader(std::move(who), std::move(told))).whole();
  }
  if (found.life.state == model::JobState::Starting ||
      found.life.state == model::JobState::Running) {
    const auto progress = co_await p_.controller.progress_of(found.id);
    for (model::Task& task : found.life.tasks) {
      const auto told = progress.find(task.ref);
      if (told != progress.end() && task.state == model::TaskState::Starting)
        task.ending.message = told->second;
    }
  }
  view.job = std::move(found);
  view.spec = std::make_shared<const model::JobSpec>(std::move(spec));
  co_return view;
}

asio::awaitable<Result<model::JobPage>> JobService::list(auth::Principal who,
                                                         model::JobQuery query,
                                                         std::string workspace_name,
                                                         std::string owner_name) {
  query.workspaces = who.visible_workspaces();
  if (!workspace_name.empty()) {
    Result<model::Workspace> workspace = co_await p_.workspaces.find_by_name(workspace_name);
    const bool visible =
        workspace && auth::may(who, auth::Action::ListJobs, {.workspace = workspace->id});
    if (!visible) {
      co_return fail(Errc::NotFound, say::no_workspace_for_you({.name = shorten(workspace_name)}));
    }
    query.workspaces = {workspace->id};
  }
  if (!owner_name.empty()) {
    TY_CO_TRY(query.owner, co_await owner_id(who, owner_name));
  }
  co_return co_await p_.jobs.list(std::move(query));
}

asio::awaitable<Result<UserId>> JobService::owner_id(auth::Principal who, std::string name) {
  if (name == "me") co_return who.user;
  Result<model::User> user = co_await p_.users.find_by_name(name);
  // Whether a name exists is nobody's business: a stranger's jobs are an empty list.
  co_return user ? user->id : UserId{-1};
}

asio::awaitable<Result<std::map<model::JobState, std::int64_t>>> JobService::counts(
    auth::Principal who) {
  TY_CO_TRY(const std::vector<store::JobCount> counts,
            co_await p_.jobs.counts(who.visible_workspaces()));
  std::map<model::JobState, std::int64_t> by_state;
  for (const store::JobCount& count : counts) by_state[count.state] += count.jobs;
  co_return by_state;
}

asio::awaitable<Result<JobFile>> JobService::file(auth::Principal who, std::string job) {
  TY_CO_TRY(const model::Job found,
            co_await p_.finder.find(std::move(who), std::move(job), auth::Action::ShowJob));
  TY_CO_TRY(store::Original original, co_await p_.jobs.original(found.seq));
  co_return JobFile{.media_type = original.media_type, .text = covered(std::move(original))};
}

asio::awaitable<Result<std::vector<model::EndedTry>>> JobService::task_history(auth::Principal who,
                                                                               std::string job) {
  TY_CO_TRY(const model::Job found,
            co_await p_.finder.find(std::move(who), std::move(job), auth::Action::ShowJob));
  co_return co_await p_.jobs.task_history(found.seq);
}

asio::awaitable<Result<std::vector<AttemptView>>> JobService::attempts(auth::Principal who,
                                                                       std::string job) {
  TY_CO_TRY(const model::Job found,
            co_await p_.finder.find(std::move(who), std::move(job), auth::Action::ShowJob));
  TY_CO_TRY(std::vector<store::Attempt> attempts, co_await p_.jobs.attempts(found.seq));
  std::vector<AttemptView> views;
  for (store::Attempt& attempt : attempts) {
    views.push_back({.attempt = attempt.attempt,
                     .queued_at = attempt.queued_at,
                     .placed_at = attempt.placed_at,
                     .started_at = attempt.started_at,
                     .decided_at = attempt.decided_at,
                     .ended_at = attempt.ended_at,
                     .decision = std::move(attempt.decision)});
  }
  co_return views;
}

asio::awaitable<Forecast> JobService::for_reader(auth::Principal who, Forecast forecast) {
  if (who.acts_as_administrator()) co_return forecast;
  std::vector<Message> told = forecast.reasons;
  told.push_back(forecast.change);
  std::vector<JobId> named = jobs_named_in(told);
  if (named.empty()) co_return forecast;
  const auto owners = co_await p_.controller.owners_of(std::move(named));
  const auto may_see = [&](const JobId& job) {
    const auto found = owners.find(job);
    return found != owners.end() && auth::may(who, auth::Action::ShowJob, found->second);
  };
  co_return without_names_of_others(std::move(forecast), may_see);
}

asio::awaitable<Result<Why>> JobService::why(auth::Principal who, std::string job) {
  TY_CO_TRY(model::Job found, co_await p_.finder.find(who, std::move(job), auth::Action::ShowJob));
  Why why{.state = found.life.state, .decision = found.life.decision};
  if (found.life.state == model::JobState::Queued) {
    Forecast told = to_forecast(co_await p_.controller.explain_fully(found.id, p_.pool));
    why.forecast = co_await for_reader(who, std::move(told));
    why.text = why.forecast->whole();
  } else {
    why.text = line_about(found);
  }
  if (found.life.state == model::JobState::Failed) {
    // A log that cannot be read costs its hint, not the answer.
    if (auto clue = co_await p_.logs.clue(std::move(who), found.id.str()))
      why.clue = *std::move(clue);
  }
  co_return why;
}

// Wishes
// ---------------------------------------------------------------------------------------------

asio::awaitable<Result<model::Job>> JobService::tell(
    auth::Principal who, std::string job, auth::Action action, model::Fact fact, Message verb) {
  TY_CO_TRY(const model::Job found, co_await p_.finder.find(who, std::move(job), action));
  if (model::is_final(found.life.state)) co_return too_late(found, verb);
  Result<void> told = co_await p_.controller.tell(found.id, std::move(fact));
  if (!told && told.error().code == Errc::NotFound) {
    // It ended between our look and the wish; say so in the words of its end.
    TY_CO_TRY(const model::Job now, co_await p_.jobs.find(found.id));
    co_return too_late(now, verb);
  }
  if (!told) co_return std::unexpected(std::move(told).error());
  co_return co_await p_.jobs.find(found.id);
}

asio::awaitable<Result<model::Job>> JobService::stop(auth::Principal who, std::string job) {
  model::fact::CancelAsked fact{.by = who.name};
  return tell(
      std::move(who), std::move(job), auth::Action::StopJob, std::move(fact), say::verb_stopped());
}

asio::awaitable<Result<model::Job>> JobService::pause(auth::Principal who, std::string job) {
  model::fact::PauseAsked fact{.by = who.name};
  return tell(
      std::move(who), std::move(job), auth::Action::StopJob, std::move(fact), say::verb_paused());
}

asio::awaitable<Result<model::Job>> JobService::resume(auth::Principal who, std::string job) {
  TY_CO_TRY(const model::Job found, co_await p_.finder.find(who, job, auth::Action::StopJob));
  if (!model::is_final(found.life.state) && found.life.state != model::JobState::Paused) {
    co_return fail(
        Errc::Conflict,
        say::job_not_paused({.job = name_and_id(found), .state = in_words(found.life.state)}));
  }
  model::fact::ResumeAsked fact{.by = who.name};
  co_return co_await tell(
      std::move(who), std::move(job), auth::Action::StopJob, std::move(fact), say::verb_resumed());
}

asio::awaitable<Result<model::Job>> JobService::set_limit(auth::Principal who,
                                                          std::string job,
                                                          std::optional<Seconds> limit) {
  const auto& cap = p_.config.jobs.max_time_limit;
  constexpr Seconds least = 1s;
  constexpr Seconds most = std::chrono::days{365};
  if (limit && (*limit < least || *limit > most)) {
    co_return fail(Errc::Invalid,
                   say::time_limit_range({.least = least, .most = most}),
                   {{"/time_limit", say::for_example({.example = "12h"}), "range"}});
  }
  if (cap && (!limit || *limit > *cap)) {
    co_return fail(Errc::Invalid,
                   say::site_allows_at_most({.limit = *cap}),
                   {{"/time_limit", say::limit_at_most({.limit = *cap}), "range"}});
  }
  model::fact::LimitSet fact{.time_limit = limit, .by = who.name};
  co_return co_await tell(std::move(who),
                          std::move(job),
                          auth::Action::SetTimeLimit,
                          std::move(fact),
                          say::verb_given_a_limit());
}

asio::awaitable<Result<void>> JobService::remove(auth::Principal who, std::string job, bool force) {
  TY_CO_TRY(model::Job found,
            co_await p_.finder.find(who, std::move(job), auth::Action::DeleteJob));
  if (!model::is_final(found.life.state)) {
    if (!force) {
      co_return fail(
          Errc::Conflict,
          say::job_is_not_over({.job = name_and_id(found), .state = in_words(found.life.state)}));
    }
    model::fact::CancelAsked fact{.by = who.name};
    Result<void> told = co_await p_.controller.tell(found.id, std::move(fact));
    if (!told && told.error().code != Errc::NotFound) co_return told;
    co_await p_.controller.wait_final(found.id);
  }
  co_return co_await remove_found(std::move(found), who.name);
}

asio::awaitable<Result<void>> JobService::remove_found(model::Job job, std::string actor) {
  co_return co_await p_.deletions.remove(
      job.seq, job.id, Deletions::Outputs::Go, std::move(actor), p_.clock.now());
}

asio::awaitable<Result<model::Job>> JobService::move(auth::Principal who,
                                                     std::string job,
                                                     std::string before) {
  TY_CO_DO(auth::may(who, auth::Action::ManageSite, {}));
  TY_CO_TRY(const model::Job found,
            co_await p_.finder.find(who, std::move(job), auth::Action::ShowJob));
  std::optional<JobId> other;
  if (!before.empty()) {
    TY_CO_TRY(const model::Job target,
              co_await p_.finder.find(who, std::move(before), auth::Action::ShowJob));
    other = target.id;
  }
  TY_CO_DO(co_await p_.controller.move(found.id, std::move(other), who.name));
  co_return co_await p_.finder.find(who, found.id.str(), auth::Action::ShowJob);
}

}  // namespace ty::control
