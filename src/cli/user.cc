#include <cstdio>

#include "cli/context.h"
#include "cli/messages.h"
#include "cli/output.h"

namespace ty::cli {

void add_user(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("user", "Manage users (administrators)");
  command->require_subcommand(1);
  auto name = std::make_shared<std::string>();

  CLI::App* list = command->add_subcommand("list", "List users");
  add_output_flag(*list, context);
  list->callback([&context] {
    client::ApiClient* api = context.api();
    if (api == nullptr) return;
    const auto answer = api->list_users();
    if (!answer) return context.say(answer.error());
    if (context.print_json(answer->json)) return;
    Table table({"NAME", "ROLE", "STATE", "LAST SEEN"});
    for (const client::User& user : answer->users) {
      table.add({user.name,
                 user.administrator ? "administrator" : "user",
                 user.disabled ? "disabled" : "active",
                 short_time(user.last_seen_at.value_or(""))});
    }
    table.print();
  });

  CLI::App* create =
      command->add_subcommand("create", "Create a user and print the link for the first sign-in");
  auto administrator = std::make_shared<bool>(false);
  create->add_option("NAME", *name, "Letters, digits, - _ .")->required();
  create->add_flag("--administrator", *administrator, "Make the user an administrator");
  create->callback([&context, name, administrator] {
    client::ApiClient* api = context.api();
    if (api == nullptr) return;
    const auto answer = api->create_user({.name = *name, .administrator = *administrator});
    if (!answer) return context.say(answer.error());
    if (!context.print_json(answer->json)) std::puts(answer->link.c_str());
  });

  CLI::App* link = command->add_subcommand(
      "link", "Print a new one-time sign-in link, for a forgotten password");
  link->add_option("NAME", *name, "User name")->required();
  link->callback([&context, name] {
    client::ApiClient* api = context.api();
    if (api == nullptr) return;
    const auto answer = api->make_sign_in_link(*name);
    if (!answer) return context.say(answer.error());
    if (!context.print_json(answer->json)) std::puts(answer->link.c_str());
  });

  for (const bool disabled : {true, false}) {
    CLI::App* change = command->add_subcommand(
        disabled ? "disable" : "enable",
        disabled ? "Disable a user; their jobs stay" : "Enable a disabled user");
    change->add_option("NAME", *name, "User name")->required();
    change->callback([&context, name, disabled] {
      client::ApiClient* api = context.api();
      if (api == nullptr) return;
      const auto answer = api->set_user_disabled(*name, {.disabled = disabled});
      if (!answer) return context.say(answer.error());
      context.print(disabled ? say::user_is_disabled({.user = *name})
                             : say::user_is_enabled({.user = *name}));
    });
  }
}

}  // namespace ty::cli
