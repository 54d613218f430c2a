#include <cstdio>

#include "base/text.h"
#include "cli/context.h"
#include "cli/messages.h"
#include "cli/output.h"

namespace ty::cli {

namespace {

void list_tokens(Context& context) {
  client::ApiClient* api = context.api();
  if (api == nullptr) return;
  const auto answer = api->list_tokens();
  if (!answer) return context.say(answer.error());
  if (context.print_json(answer->json)) return;
  Table table({"ID", "NAME", "SCOPES", "CREATED", "EXPIRES", "LAST USED"});
  for (const client::Token& token : answer->tokens) {
    table.add({std::to_string(token.id),
               token.name,
               join(token.scopes, " "),
               short_time(token.created_at),
               token.expires_at ? short_time(*token.expires_at) : "never",
               short_time(token.last_used_at.value_or(""))});
  }
  if (table.empty())
    context.print(say::no_tokens_listed());
  else
    table.print();
}

}  // namespace

void add_token(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("token", "Access tokens for scripts and programs");
  command->require_subcommand(1);
  CLI::App* list_command = command->add_subcommand("list", "List your tokens");
  add_output_flag(*list_command, context);
  list_command->callback([&context] { list_tokens(context); });

  CLI::App* create = command->add_subcommand("create", "Create a token; it is shown only once");
  auto name = std::make_shared<std::string>();
  auto scopes = std::make_shared<std::vector<std::string>>(std::vector<std::string>{"write"});
  auto expires = std::make_shared<std::string>("90d");
  create->add_option("NAME", *name, "What it is for")->required();
  create->add_option("--scope", *scopes, "read, write or admin")->delimiter(',');
  create->add_option("--expires", *expires, "How long it is valid, or never")
      ->capture_default_str();
  add_output_flag(*create, context);
  create->callback([&context, name, scopes, expires] {
    client::ApiClient* api = context.api();
    if (api == nullptr) return;
    client::CreateTokenFields wanted{.name = *name, .scopes = *scopes};
    if (*expires != "never") wanted.expires_in = *expires;
    const auto answer = api->create_token(wanted);
    if (!answer) return context.say(answer.error());
    if (context.print_json(answer->json)) return;
    std::puts(answer->token.c_str());
    context.note(say::token_shown_once());
  });

  CLI::App* revoke = command->add_subcommand("revoke", "Revoke a token immediately");
  auto id = std::make_shared<std::int64_t>(0);
  revoke->add_option("ID", *id, "Token id, see `trainyard token list`")->required();
  revoke->callback([&context, id] {
    client::ApiClient* api = context.api();
    if (api == nullptr) return;
    const auto answer = api->delete_token(*id);
    if (!answer) return context.say(answer.error());
    context.print(say::token_revoked());
  });
}

}  // namespace ty::cli
