#include <boost/json.hpp>
#include <cstdio>

#include "cli/context.h"
#include "cli/credentials.h"
#include "cli/messages.h"
#include "cli/output.h"

namespace ty::cli {

namespace json = boost::json;

void add_version(CLI::App& app, Context& context, std::string version) {
  CLI::App* command = app.add_subcommand(
      "version", "Print the version of this program and, if it answers, of the server");
  add_output_flag(*command, context);
  command->callback([&context, version = std::move(version)] {
    json::object out{{"client", version}};
    if (Result<client::Credentials> found =
            find_credentials(context.url_flag, context.token_flag, context.ca_flag)) {
      client::ApiClient api(*std::move(found));
      if (auto server = api.show_version()) {
        out["server"] = server->json;
        out["url"] = api.credentials().url;
      }
    }
    if (context.print_json(out)) return;
    std::printf("trainyard %s\n", version.c_str());
    if (const json::value* server = out.if_contains("server")) {
      context.print(say::server_version({.version = text(*server, "version"),
                                         .url = text(json::value(out), "url"),
                                         .engine = text(*server, "engine")}));
    }
  });
}

}  // namespace ty::cli
