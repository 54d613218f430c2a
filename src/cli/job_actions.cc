#include <boost/json.hpp>
#include <cstdio>

#include "cli/context.h"
#include "cli/messages.h"
#include "cli/output.h"

/// Commands that do one thing to one or more jobs.
namespace ty::cli {

namespace json = boost::json;

namespace {

/// What came of it: as JSON, and in words.
struct Done {
  json::value json;
  Message words;
};
using Action = std::function<Result<Done>(client::ApiClient&, const std::string& job)>;

void for_each_job(Context& context, const std::vector<std::string>& jobs, const Action& act) {
  client::ApiClient* api = context.api();
  if (api == nullptr) return;
  for (const std::string& job : jobs) {
    const Result<Done> done = act(*api, job);
    if (!done)
      context.say(done.error());
    else if (!context.print_json(done->json))
      context.print(done->words);
  }
}

CLI::App* add(CLI::App& app, Context& context, const char* name, const char* help, Action act) {
  CLI::App* command = app.add_subcommand(name, help);
  auto jobs = std::make_shared<std::vector<std::string>>();
  command->add_option("JOB", *jobs, "Job names, ids, id prefixes or OWNER~NAME")->required();
  add_output_flag(*command, context);
  command->callback([&context, jobs, act = std::move(act)] { for_each_job(context, *jobs, act); });
  return command;
}

template <class T>
using Operation = Result<client::Answer<T>> (client::Operations::*)(std::string_view job);

/// Asks for a state, and says which one the job has now.
Action state_change(Operation<client::JobSummary> operation) {
  return [operation](client::ApiClient& api, const std::string& job) -> Result<Done> {
    TY_TRY(const auto now, (api.*operation)(job));
    return Done{now.json,
                say::job_state_now({.job = now.handle, .state = state_in_words(now.state)})};
  };
}

Done new_job(const client::Answer<client::Submitted>& job) {
  return {job.json, plain(job.id + "  " + job.handle)};
}

}  // namespace

void add_job_actions(CLI::App& app, Context& context) {
  using client::Operations;
  add(app,
      context,
      "stop",
      "Stop jobs: SIGTERM, and SIGKILL after the grace period",
      state_change(&Operations::stop_job));
  add(app,
      context,
      "pause",
      "Stop a job's tasks and keep it out of the queue until resumed",
      state_change(&Operations::pause_job));
  add(app, context, "resume", "Queue a paused job again", state_change(&Operations::resume_job));
  add(app,
      context,
      "retry",
      "Run an ended job again, as a new job",
      [](client::ApiClient& api, const std::string& job) -> Result<Done> {
        TY_TRY(const auto made, api.retry_job(job));
        return new_job(made);
      });

  auto force = std::make_shared<bool>(false);
  CLI::App* remove = add(app,
                         context,
                         "delete",
                         "Delete jobs with their records, logs and output folders",
                         [force](client::ApiClient& api, const std::string& job) -> Result<Done> {
                           TY_DO(api.delete_job(job, {.force = *force}));
                           return Done{nullptr, say::job_is_deleted({.job = job})};
                         });
  remove->add_flag("--force", *force, "Stop the job first if it has not ended");

  auto name = std::make_shared<std::string>();
  CLI::App* clone = add(app,
                        context,
                        "clone",
                        "Submit a copy of a job, as a new job of yours",
                        [name](client::ApiClient& api, const std::string& job) -> Result<Done> {
                          TY_TRY(const auto made, api.clone_job(job, {.name = given(*name)}));
                          return new_job(made);
                        });
  clone->add_option("--name", *name, "Name of the copy");

  auto limit = std::make_shared<std::string>();
  CLI::App* set_limit = add(
      app,
      context,
      "set-limit",
      "Change a job's time limit, even while it runs",
      [limit](client::ApiClient& api, const std::string& job) -> Result<Done> {
        const bool none = *limit == "none";
        TY_TRY(const auto now,
               api.set_job_limit(job, {.time_limit = none ? std::nullopt : std::optional(*limit)}));
        return Done{now.json,
                    none ? say::job_without_limit({.job = now.handle})
                         : say::job_with_limit({.job = now.handle, .limit = *limit})};
      });
  set_limit->add_option("-t,--time", *limit, "90s, 30m, 12h, 1h30m, or none")->required();
}

}  // namespace ty::cli
