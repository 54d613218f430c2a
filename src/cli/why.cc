#include <fmt/format.h>

#include <boost/json.hpp>
#include <cstdio>

#include "cli/context.h"
#include "cli/output.h"

namespace ty::cli {

namespace json = boost::json;

namespace {

void print_why(const json::value& why) {
  const json::array& reasons = items(why, "reasons");
  std::printf("%s: %s\n",
              coloured_state(text(why, "state")).c_str(),
              reasons.empty() ? text(why, "text").c_str() : text(reasons[0], "text").c_str());
  for (std::size_t i = 1; i < reasons.size(); ++i)
    std::printf("          and %s\n", text(reasons[i], "text").c_str());
  if (const std::int64_t position = number(why, "position"); position > 0) {
    std::printf("position  %lld of %lld\n",
                static_cast<long long>(position),
                static_cast<long long>(number(why, "waiting")));
  }
  if (const json::value* estimate = child(why, "estimate")) {
    const std::string likely = short_time(text(*estimate, "likely"));
    const std::string early = short_time(text(*estimate, "early"));
    const std::string late = short_time(text(*estimate, "late"));
    if (early == late)
      std::printf("start     about %s\n", likely.c_str());
    else
      std::printf(
          "start     about %s (between %s and %s)\n", likely.c_str(), early.c_str(), late.c_str());
  }
  if (const json::value* clue = child(why, "clue")) {
    std::printf("cause     %s\n          %s, line %lld: %s\n",
                text(*clue, "text").c_str(),
                text(*clue, "task").c_str(),
                static_cast<long long>(number(*clue, "line")),
                quote_line(text(*clue, "said")).c_str());
  }
  if (const json::value* change = child(why, "change"))
    std::printf("to start it now: %s\n", text(*change, "text").c_str());
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
    if (!context.print_json(*answer)) print_why(*answer);
  });

  CLI::App* queue = app.add_subcommand("queue", "What waits, in the order of decisions");
  auto limit = std::make_shared<int>(50);
  auto offset = std::make_shared<int>(0);
  queue->add_option("--limit", *limit, "How many at most")->check(CLI::Range(1, 1000));
  queue->add_option("--offset", *offset, "Leave out so many at the front")
      ->check(CLI::NonNegativeNumber);
  add_output_flag(*queue, context);
  queue->callback([&context, limit, offset] {
    client::ApiClient* api = context.api();
    if (api == nullptr) return;
    const Result<json::value> answer = api->get(
        "/api/v1/queue", {{"limit", std::to_string(*limit)}, {"offset", std::to_string(*offset)}});
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

  CLI::App* move = app.add_subcommand(
      "move",
      "Move a waiting job in the queue, to the very front or before another; administrators");
  auto moved = std::make_shared<std::string>();
  auto before = std::make_shared<std::string>();
  move->add_option("JOB", *moved, "Its id, the first characters of it, or OWNER~NAME")->required();
  move->add_option("--before", *before, "The waiting job to go right before; the front otherwise")
      ->type_name("JOB");
  add_output_flag(*move, context);
  move->callback([&context, moved, before] {
    client::ApiClient* api = context.api();
    if (api == nullptr) return;
    const json::value target = before->empty() ? json::value(nullptr) : json::value(*before);
    const Result<json::value> answer =
        api->post("/api/v1/jobs/" + *moved + "/move", json::object{{"before", target}});
    if (!answer) return context.say(answer.error());
    if (context.print_json(*answer)) return;
    std::printf("%s %s\n",
                text(*answer, "handle").c_str(),
                before->empty() ? "goes first" : ("goes right before " + *before).c_str());
  });
}

}  // namespace ty::cli
