#include <cstdio>

#include "cli/context.h"
#include "cli/messages.h"
#include "cli/output.h"

namespace ty::cli {

void add_workspace(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("workspace", "Manage workspaces and their members");
  command->require_subcommand(1);
  CLI::App* list = command->add_subcommand("list", "List your workspaces");
  add_output_flag(*list, context);
  list->callback([&context] {
    client::ApiClient* api = context.api();
    if (api == nullptr) return;
    const auto answer = api->list_workspaces();
    if (!answer) return context.say(answer.error());
    if (context.print_json(answer->json)) return;
    Table table({"WORKSPACE", "YOU ARE"});
    for (const client::Membership& one : answer->workspaces) table.add({one.name, one.role});
    table.print();
  });

  auto name = std::make_shared<std::string>();
  auto user = std::make_shared<std::string>();
  auto role = std::make_shared<std::string>("member");

  CLI::App* create = command->add_subcommand("create", "Create a workspace (administrators)");
  create->add_option("NAME", *name, "Letters, digits, - _ .")->required();
  add_output_flag(*create, context);
  create->callback([&context, name] {
    client::ApiClient* api = context.api();
    if (api == nullptr) return;
    const auto answer = api->create_workspace({.name = *name});
    if (!answer) return context.say(answer.error());
    if (!context.print_json(answer->json)) context.print(say::workspace_made({.workspace = *name}));
  });

  CLI::App* remove =
      command->add_subcommand("delete", "Delete a workspace without jobs (administrators)");
  remove->add_option("NAME", *name, "Workspace name")->required();
  remove->callback([&context, name] {
    client::ApiClient* api = context.api();
    if (api == nullptr) return;
    const auto answer = api->delete_workspace(*name);
    if (!answer) return context.say(answer.error());
    context.print(say::workspace_deleted({.workspace = *name}));
  });

  CLI::App* add = command->add_subcommand("add", "Add a member, or change their role (managers)");
  add->add_option("NAME", *name, "Workspace name")->required();
  add->add_option("USER", *user, "User name")->required();
  add->add_option("--role", *role, "viewer, member or manager")
      ->check(CLI::IsMember({"viewer", "member", "manager"}));
  add->callback([&context, name, user, role] {
    client::ApiClient* api = context.api();
    if (api == nullptr) return;
    const auto answer = api->set_workspace_member(*name, *user, {.role = *role});
    if (!answer) return context.say(answer.error());
    context.print(say::member_is({.user = *user, .role = *role, .workspace = *name}));
  });

  CLI::App* take = command->add_subcommand("remove", "Remove a member (managers)");
  take->add_option("NAME", *name, "Workspace name")->required();
  take->add_option("USER", *user, "User name")->required();
  take->callback([&context, name, user] {
    client::ApiClient* api = context.api();
    if (api == nullptr) return;
    const auto answer = api->remove_workspace_member(*name, *user);
    if (!answer) return context.say(answer.error());
    context.print(say::member_no_longer({.user = *user, .workspace = *name}));
  });
}

}  // namespace ty::cli
