#include <cstdio>

#include "cli/context.h"
#include "cli/messages.h"
#include "cli/output.h"

namespace ty::cli {

namespace {

struct ListOptions {
  std::string state, owner, workspace, name, label, dialect, sort, cursor;
  int limit = 30;
  bool all = false;
};

client::ListJobsOptions query_of(const ListOptions& o) {
  return {.state = given(o.state),
          .owner = given(o.owner),
          .workspace = given(o.workspace),
          .name = given(o.name),
          .label = given(o.label),
          .dialect = given(o.dialect),
          .sort = given(o.sort),
          .limit = o.all ? 500 : o.limit,
          .cursor = given(o.cursor)};
}

void list_jobs(Context& context, ListOptions options) {
  client::ApiClient* api = context.api();
  if (api == nullptr) return;
  Table table({"ID", "NAME", "STATE", "OWNER", "TASKS", "GPUS", "CREATED", "RAN"});
  std::string more;
  do {
    const auto page = api->list_jobs(query_of(options));
    if (!page) return context.say(page.error());
    more = page->next_cursor;
    if (context.print_json(page->json)) {
      options.cursor = more;
      continue;
    }
    for (const client::JobSummary& job : page->jobs) {
      table.add({short_id(job.id),
                 job.handle,
                 coloured_state(job.state),
                 job.owner,
                 std::to_string(job.tasks),
                 std::to_string(job.gpus),
                 short_time(job.created_at),
                 span(job.started_at.value_or(""), job.ended_at.value_or(""))});
    }
    options.cursor = more;
  } while (options.all && !more.empty());
  if (context.json) return;
  if (table.empty()) {
    return context.print(say::no_jobs_listed());
  }
  table.print();
  if (!more.empty()) context.print(say::more_jobs_to_list({.cursor = more}));
}

}  // namespace

void add_list(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("list", "List jobs, newest first");
  auto options = std::make_shared<ListOptions>();
  command->add_option(
      "-s,--state", options->state, "queued, running, …; separate several by commas");
  command->add_option("--owner", options->owner, "User name, or me");
  command->add_option("-w,--workspace", options->workspace, "Only this workspace");
  command->add_option("-n,--name", options->name, "Part of the name");
  command->add_option("-l,--label", options->label, "KEY or KEY=VALUE");
  command->add_option("--dialect", options->dialect, "Only jobs in this dialect");
  command->add_option("--sort", options->sort, "newest, oldest, name or ended");
  command->add_option("--limit", options->limit, "At most this many jobs")
      ->check(CLI::Range(1, 500));
  command->add_option("--cursor", options->cursor, "Continue after the previous page");
  command->add_flag("-a,--all", options->all, "List all pages");
  add_output_flag(*command, context);
  command->callback([&context, options] { list_jobs(context, *options); });
}

}  // namespace ty::cli
