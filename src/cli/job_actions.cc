#include <fmt/format.h>

#include <boost/json.hpp>
#include <cstdio>

#include "cli/context.h"
#include "cli/output.h"

/// Commands that do one thing to one or more jobs.
namespace ty::cli {

namespace json = boost::json;

namespace {

using Action = std::function<Result<json::value>(client::ApiClient&, const std::string& job)>;
using Words = std::function<std::string(const std::string& job, const json::value& answer)>;

void for_each_job(Context& context,
                  const std::vector<std::string>& jobs,
                  const Action& act,
                  const Words& say) {
  client::ApiClient* api = context.api();
  if (api == nullptr) return;
  for (const std::string& job : jobs) {
    const Result<json::value> answer = act(*api, job);
    if (!answer)
      context.say(answer.error());
    else if (!context.print_json(*answer))
      std::puts(say(job, *answer).c_str());
  }
}

CLI::App* add(
    CLI::App& app, Context& context, const char* name, const char* help, Action act, Words say) {
  CLI::App* command = app.add_subcommand(name, help);
  auto jobs = std::make_shared<std::vector<std::string>>();
  command->add_option("JOB", *jobs, "Names, ids or first characters of them, or OWNER~NAME")
      ->required();
  add_output_flag(*command, context);
  command->callback([&context, jobs, act = std::move(act), say = std::move(say)] {
    for_each_job(context, *jobs, act, say);
  });
  return command;
}

Action post(std::string verb) {
  return [verb = std::move(verb)](client::ApiClient& api, const std::string& job) {
    return api.post(fmt::format("/api/v1/jobs/{}/{}", job, verb));
  };
}

Words state_words() {
  return [](const std::string&, const json::value& job) {
    return fmt::format("{} is {}", text(job, "handle"), text(job, "state"));
  };
}

Words new_job_words() {
  return [](const std::string&, const json::value& job) {
    return fmt::format("{}  {}", text(job, "id"), text(job, "handle"));
  };
}

}  // namespace

void add_job_actions(CLI::App& app, Context& context) {
  add(app,
      context,
      "stop",
      "Ask a job's tasks to end; they are killed after their grace",
      post("stop"),
      state_words());
  add(app,
      context,
      "pause",
      "Stop a job's tasks and keep it out of the queue",
      post("pause"),
      state_words());
  add(app, context, "resume", "Queue a paused job again", post("resume"), state_words());
  add(app,
      context,
      "retry",
      "Run a job that has ended once more, as a new job",
      post("retry"),
      new_job_words());

  auto force = std::make_shared<bool>(false);
  CLI::App* remove = add(
      app,
      context,
      "delete",
      "Forget a job: its record, logs and output folder go",
      [force](client::ApiClient& api, const std::string& job) {
        client::Query query;
        if (*force) query.emplace_back("force", "true");
        return api.remove("/api/v1/jobs/" + job, query);
      },
      [](const std::string& job, const json::value&) { return job + " is deleted"; });
  remove->add_flag("--force", *force, "Stop it first if it has not ended");

  auto name = std::make_shared<std::string>();
  CLI::App* clone = add(
      app,
      context,
      "clone",
      "Hand in the same job again, as a new one of yours",
      [name](client::ApiClient& api, const std::string& job) {
        json::object body;
        if (!name->empty()) body["name"] = *name;
        return api.post("/api/v1/jobs/" + job + "/clone", body);
      },
      new_job_words());
  clone->add_option("--name", *name, "Call the copy so");

  auto limit = std::make_shared<std::string>();
  CLI::App* set_limit = add(
      app,
      context,
      "set-limit",
      "Change a job's time limit, also while it runs",
      [limit](client::ApiClient& api, const std::string& job) {
        const json::value value = *limit == "none" ? json::value(nullptr) : json::value(*limit);
        return api.post("/api/v1/jobs/" + job + "/limit", json::object{{"time_limit", value}});
      },
      [limit](const std::string&, const json::value& job) {
        return *limit == "none" ? text(job, "handle") + " has no time limit"
                                : fmt::format("{} may run for {}", text(job, "handle"), *limit);
      });
  set_limit->add_option("-t,--time", *limit, "90s, 30m, 12h, 1h30m, or none")->required();
}

}  // namespace ty::cli
