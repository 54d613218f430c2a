#include "cli/cli.h"

#include <csignal>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "cli/context.h"
#include "cli/messages.h"

namespace ty::cli {

namespace {

/// No command was given, or none of ours: all of them, or the one that was meant.
int no_command(const CLI::App& app, const Context& context) {
  const std::vector<std::string> left = app.remaining();
  if (left.empty()) {
    std::fputs(app.help().c_str(), stderr);
    return kUsage;
  }
  std::vector<std::string_view> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  const std::string meant = closest(left.front(), names);
  const Message wrong = left.front().starts_with('-')
                            ? say::no_such_flag({.word = left.front()})
                            : say::no_such_command({.word = left.front()});
  const Message help =
      meant.empty() ? say::see_command_help() : say::command_meant({.name = meant});
  std::fprintf(stderr, "trainyard: %s\n", context.words(joined(wrong, help)).c_str());
  return kUsage;
}

}  // namespace

int run(int argc,
        char** argv,
        const std::string& version,
        const std::function<int(int, char**)>& serve) {
  // Reading less than all (`… | head`) is no error of ours, and no reason to die halfway through a
  // write.
  std::signal(SIGPIPE, SIG_IGN);
  if (argc > 1 && std::strcmp(argv[1], "serve") == 0) return serve(argc - 1, argv + 1);

  CLI::App app(
      "Trainyard runs training jobs: submit a job file, follow it, see why it waits or failed.",
      "trainyard");
  Context context(app);
  app.require_subcommand(1);
  app.set_version_flag("--version", "trainyard " + version);
  app.add_option("--server", context.url_flag, "Address of the server; default TRAINYARD_URL")
      ->type_name("URL");
  app.add_option("--ca",
                 context.ca_flag,
                 "Root certificates to trust for https, in PEM; default TRAINYARD_CA")
      ->type_name("FILE");
  app.add_option("--token", context.token_flag, "Access token; default TRAINYARD_TOKEN")
      ->type_name("TOKEN");
  app.add_option_function<std::string>(
         "--lang",
         [&context](const std::string& word) { context.language = language_named(word); },
         "Language of messages, zh or en; default LC_ALL, LC_MESSAGES or LANG")
      ->type_name("LANGUAGE")
      ->check(CLI::IsMember({"zh", "en"}));
  app.fallthrough();
  app.add_subcommand("serve", "Run the server: API, page, scheduler and this machine's tasks");
  add_submit(app, context);
  add_list(app, context);
  add_show(app, context);
  add_logs(app, context);
  add_metrics(app, context);
  add_why(app, context);
  add_job_actions(app, context);
  add_events(app, context);
  add_nodes(app, context);
  add_scheduling(app, context);
  add_replay(app, context);
  add_check(app, context);
  add_convert(app, context);
  add_login(app, context);
  add_token(app, context);
  add_registry(app, context);
  add_user(app, context);
  add_workspace(app, context);
  add_version(app, context, version);
  add_completion(app, context);
  app.footer(
      "See `trainyard COMMAND --help` for details. Exit codes: 0 success, 1 refused, 2 wrong usage "
      "or job file, 3 no server.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() != 0 && app.get_subcommands().empty()) return no_command(app, context);
    return app.exit(e) == 0 ? kOk : kUsage;
  }
  return context.exit;
}

}  // namespace ty::cli
