#include <cstdio>

#include "cli/ask.h"
#include "cli/context.h"
#include "cli/messages.h"
#include "cli/output.h"

namespace ty::cli {

namespace {

void list_registries(Context& context) {
  client::ApiClient* api = context.api();
  if (api == nullptr) return;
  const auto answer = api->list_registries();
  if (!answer) return context.say(answer.error());
  if (context.print_json(answer->json)) return;
  Table table({"REGISTRY", "USER", "FOR"});
  for (const client::RegistryLogin& login : answer->registries) {
    table.add({login.server,
               login.username,
               context.words(login.workspace ? say::for_workspace({.workspace = *login.workspace})
                                             : say::for_your_jobs())});
  }
  if (table.empty())
    context.print(say::no_registries_listed());
  else
    table.print();
}

}  // namespace

void add_registry(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("registry", "Credentials for image registries");
  command->require_subcommand(1);
  CLI::App* list_command =
      command->add_subcommand("list", "List the registries your jobs have credentials for");
  add_output_flag(*list_command, context);
  list_command->callback([&context] { list_registries(context); });

  auto server = std::make_shared<std::string>();
  auto user = std::make_shared<std::string>();
  auto workspace = std::make_shared<std::string>();
  CLI::App* login = command->add_subcommand(
      "login", "Save a user name and a password (prompted for, or one line of standard input)");
  login->add_option("SERVER", *server, "registry.example.com:5000, or docker.io")->required();
  login->add_option("-u,--user", *user, "User name at the registry");
  login->add_option(
      "--workspace", *workspace, "For all jobs of this workspace instead of your own");
  login->callback([&context, server, user, workspace] {
    client::ApiClient* api = context.api();
    if (api == nullptr) return;
    if (user->empty()) *user = ask(context.words(say::ask_user()));
    const auto answer =
        api->set_registry(*server,
                          {.username = *user,
                           .password = ask_secretly(context.words(say::ask_password())).reveal(),
                           .workspace = given(*workspace)});
    if (!answer) return context.say(answer.error());
    context.print(say::registry_login_kept({.server = *server}));
  });

  CLI::App* logout = command->add_subcommand("logout", "Delete the saved credentials");
  logout->add_option("SERVER", *server, "From `trainyard registry list`")->required();
  logout->add_option("--workspace", *workspace, "Those of this workspace instead of your own");
  logout->callback([&context, server, workspace] {
    client::ApiClient* api = context.api();
    if (api == nullptr) return;
    const auto answer = api->delete_registry(*server, {.workspace = given(*workspace)});
    if (!answer) return context.say(answer.error());
    context.print(say::registry_login_forgotten());
  });
}

}  // namespace ty::cli
