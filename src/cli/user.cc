#include <boost/json.hpp>
#include <cstdio>

#include "cli/context.h"
#include "cli/output.h"

namespace ty::cli {

namespace json = boost::json;

void add_user(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("user", "People (for administrators)");
  command->require_subcommand(1);
  auto name = std::make_shared<std::string>();

  CLI::App* list = command->add_subcommand("list", "All users");
  add_output_flag(*list, context);
  list->callback([&context] {
    client::ApiClient* api = context.api();
    if (api == nullptr) return;
    const Result<json::value> answer = api->get("/api/v1/users");
    if (!answer) return context.say(answer.error());
    if (context.print_json(*answer)) return;
    Table table({"NAME", "ROLE", "STATE", "LAST SEEN"});
    const auto yes = [](const json::value& user, const char* key) {
      const json::value* flag = child(user, key);
      return flag != nullptr && flag->is_bool() && flag->get_bool();
    };
    for (const json::value& user : items(*answer, "users")) {
      table.add({text(user, "name"),
                 yes(user, "administrator") ? "administrator" : "user",
                 yes(user, "disabled") ? "disabled" : "active",
                 short_time(text(user, "last_seen_at"))});
    }
    table.print();
  });

  CLI::App* create =
      command->add_subcommand("create", "Make a user; prints the link by which they sign in first");
  auto administrator = std::make_shared<bool>(false);
  create->add_option("NAME", *name, "Letters, digits, - _ .")->required();
  create->add_flag("--administrator", *administrator, "With all rights");
  create->callback([&context, name, administrator] {
    client::ApiClient* api = context.api();
    if (api == nullptr) return;
    const Result<json::value> answer = api->post(
        "/api/v1/users", json::object{{"name", *name}, {"administrator", *administrator}});
    if (!answer) return context.say(answer.error());
    if (!context.print_json(*answer)) std::puts(text(*answer, "link").c_str());
  });

  CLI::App* link =
      command->add_subcommand("link", "A new one-time sign-in link, for a forgotten password");
  link->add_option("NAME", *name, "Whose")->required();
  link->callback([&context, name] {
    client::ApiClient* api = context.api();
    if (api == nullptr) return;
    const Result<json::value> answer = api->post("/api/v1/users/" + *name + "/link");
    if (!answer) return context.say(answer.error());
    if (!context.print_json(*answer)) std::puts(text(*answer, "link").c_str());
  });

  for (const bool disabled : {true, false}) {
    CLI::App* change = command->add_subcommand(
        disabled ? "disable" : "enable",
        disabled ? "Keep somebody out; their jobs stay" : "Let them in again");
    change->add_option("NAME", *name, "Who")->required();
    change->callback([&context, name, disabled] {
      client::ApiClient* api = context.api();
      if (api == nullptr) return;
      const Result<json::value> answer =
          api->put("/api/v1/users/" + *name + "/disabled", json::object{{"disabled", disabled}});
      if (!answer) return context.say(answer.error());
      std::printf("%s is %s\n", name->c_str(), disabled ? "disabled" : "enabled");
    });
  }
}

}  // namespace ty::cli
