#include <cstdio>

#include "cli/context.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "client/said.h"

namespace ty::cli {

namespace {

void print_why(const Context& context, const client::Why& why) {
  const Message first =
      why.reasons.empty() ? client::said(why.text_says, why.text) : client::said(why.reasons[0]);
  std::printf("%s: %s\n", coloured_state(why.state).c_str(), context.words(first).c_str());
  for (std::size_t i = 1; i < why.reasons.size(); ++i)
    context.print(say::why_also({.reason = client::said(why.reasons[i])}));
  if (why.position.value_or(0) > 0) {
    context.print(
        say::why_position({.position = *why.position, .waiting = why.waiting.value_or(0)}));
  }
  if (why.estimate) {
    const std::string likely = short_time(why.estimate->likely);
    const std::string early = short_time(why.estimate->early);
    const std::string late = short_time(why.estimate->late);
    context.print(early == late
                      ? say::why_start({.likely = likely})
                      : say::why_start_between({.likely = likely, .early = early, .late = late}));
  }
  if (why.clue) {
    context.print(say::why_cause({.cause = client::said(*why.clue),
                                  .task = why.clue->task,
                                  .line = why.clue->line,
                                  .said = quote_line(why.clue->said)}));
  }
  if (why.change) context.print(say::why_change({.change = client::said(*why.change)}));
}

}  // namespace

void add_why(CLI::App& app, Context& context) {
  CLI::App* why = app.add_subcommand("why", "Explain why a job waits, or why it ended");
  auto job = std::make_shared<std::string>();
  why->add_option("JOB", *job, "Job name, id, id prefix or OWNER~NAME")->required();
  add_output_flag(*why, context);
  why->callback([&context, job] {
    client::ApiClient* api = context.api();
    if (api == nullptr) return;
    const auto answer = api->explain_job(*job);
    if (!answer) return context.say(answer.error());
    if (!context.print_json(answer->json)) print_why(context, *answer);
  });

  CLI::App* queue = app.add_subcommand("queue", "List waiting jobs in scheduling order");
  auto limit = std::make_shared<int>(50);
  auto offset = std::make_shared<int>(0);
  queue->add_option("--limit", *limit, "At most this many jobs")->check(CLI::Range(1, 1000));
  queue->add_option("--offset", *offset, "Skip the first N jobs")->check(CLI::NonNegativeNumber);
  add_output_flag(*queue, context);
  queue->callback([&context, limit, offset] {
    client::ApiClient* api = context.api();
    if (api == nullptr) return;
    const auto answer = api->list_queue({.offset = *offset, .limit = *limit});
    if (!answer) return context.say(answer.error());
    if (context.print_json(answer->json)) return;
    Table table({"#", "ID", "NAME", "PRIORITY", "TASKS", "GPUS", "WAITING"});
    for (const client::QueueEntry& entry : answer->queue) {
      table.add({std::to_string(entry.position),
                 entry.id.empty() ? "-" : short_id(entry.id),
                 entry.id.empty() ? context.words(say::another_workspace()) : entry.name,
                 std::to_string(entry.priority),
                 std::to_string(entry.tasks),
                 std::to_string(entry.gpus),
                 span(entry.queued_at, "")});
    }
    if (table.empty())
      context.print(say::nothing_waits());
    else
      table.print();
  });

  CLI::App* move = app.add_subcommand(
      "move", "Move a waiting job to the front of the queue, or before another (administrators)");
  auto moved = std::make_shared<std::string>();
  auto before = std::make_shared<std::string>();
  move->add_option("JOB", *moved, "Job id, id prefix or OWNER~NAME")->required();
  move->add_option("--before", *before, "Waiting job to put it before; the front by default")
      ->type_name("JOB");
  add_output_flag(*move, context);
  move->callback([&context, moved, before] {
    client::ApiClient* api = context.api();
    if (api == nullptr) return;
    const auto answer = api->move_job(*moved, {.before = given(*before)});
    if (!answer) return context.say(answer.error());
    if (context.print_json(answer->json)) return;
    context.print(before->empty()
                      ? say::goes_first({.job = answer->handle})
                      : say::goes_right_before({.job = answer->handle, .other = *before}));
  });
}

}  // namespace ty::cli
