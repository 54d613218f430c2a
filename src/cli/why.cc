#include <fmt/format.h>

#include <boost/json.hpp>
#include <cstdio>

#include "cli/context.h"
#include "cli/output.h"

namespace ty::cli {

namespace json = boost::json;

namespace {

void print(const json::value& why) {
  std::printf("%s: %s\n", coloured_state(text(why, "state")).c_str(), text(why, "text").c_str());
  if (const std::int64_t position = number(why, "position"); position > 0) {
    std::printf("position  %lld of %lld\n",
                static_cast<long long>(position),
                static_cast<long long>(number(why, "waiting")));
  }
  if (const json::value* estimate = child(why, "estimate")) {
    std::printf("start     about %s (between %s and %s)\n",
                short_time(text(*estimate, "likely")).c_str(),
                short_time(text(*estimate, "early")).c_str(),
                short_time(text(*estimate, "late")).c_str());
  }
  if (const json::value* change = child(why, "change"))
    std::printf("to start now: %s\n", text(*change, "text").c_str());
}

}  // namespace

void add_why(CLI::App& app, Context& context) {
  CLI::App* why = app.add_subcommand("why", "Why a job waits, or why it ended as it did");
  auto job = std::make_shared<std::string>();
  why->add_option("JOB", *job, "Its name, its id or the first characters of it, or OWNER~NAME")
      ->required();
  add_output_flag(*why, context);
  why->callback([&context, job] {
    client::ApiClient* api = context.api();
    if (api == nullptr) return;
    const Result<json::value> answer = api->get("/api/v1/jobs/" + *job + "/why");
    if (!answer) return context.say(answer.error());
    if (!context.print_json(*answer)) print(*answer);
  });

  CLI::App* queue = app.add_subcommand("queue", "What waits, in the order of decisions");
  auto limit = std::make_shared<int>(50);
  queue->add_option("--limit", *limit, "How many at most")->check(CLI::Range(1, 1000));
  add_output_flag(*queue, context);
  queue->callback([&context, limit] {
    client::ApiClient* api = context.api();
    if (api == nullptr) return;
    const Result<json::value> answer =
        api->get("/api/v1/queue", {{"limit", std::to_string(*limit)}});
    if (!answer) return context.say(answer.error());
    if (context.print_json(*answer)) return;
    Table table({"#", "ID", "NAME", "PRIORITY", "TASKS", "GPUS", "WAITING"});
    for (const json::value& entry : items(*answer, "queue")) {
      const std::string id = text(entry, "id");
      table.add({text(entry, "position"),
                 id.empty() ? "-" : short_id(id),
                 id.empty() ? "(another workspace)" : text(entry, "name"),
                 text(entry, "priority"),
                 text(entry, "tasks"),
                 text(entry, "gpus"),
                 span(text(entry, "queued_at"), "")});
    }
    if (table.empty())
      std::puts("nothing waits");
    else
      table.print();
  });
}

}  // namespace ty::cli
