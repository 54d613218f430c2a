#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "base/text.h"
#include "cli/ask.h"
#include "cli/context.h"
#include "cli/credentials.h"
#include "cli/messages.h"
#include "cli/output.h"

namespace ty::cli {

namespace {

struct LoginOptions {
  std::string url, user, fingerprint;
  bool token_stdin = false;
};

/// A one-time link holds both: `http://host:port/signin#tyl_…`.
std::pair<std::string, std::string> split_link(const std::string& url) {
  const std::size_t at = url.find("/signin#");
  if (at == std::string::npos) return {url, ""};
  return {url.substr(0, at), url.substr(at + 8)};
}

void log_in(Context& context, const LoginOptions& options) {
  const auto [url, link] = split_link(options.url);
  client::Credentials credentials{.url = url, .token = {}, .source = "trainyard login"};
  if (const Result<client::Credentials> known = find_credentials(url, "", context.ca_flag))
    credentials.trust = known->trust;
  if (!options.fingerprint.empty())
    credentials.trust = {.ca_file = {}, .fingerprint = options.fingerprint};
  std::string user = options.user;
  if (options.token_stdin) {
    credentials.token = Secret(ask(""));
    client::ApiClient api(credentials);
    const auto me = api.show_me();
    if (!me) return context.say(me.error());
    user = me->name;
  } else {
    client::SignInFields proof;
    if (!link.empty()) {
      proof.link = link;
    } else {
      proof.user = user.empty() ? ask(context.words(say::ask_user())) : user;
      proof.password = ask_secretly(context.words(say::ask_password())).reveal();
    }
    client::ApiClient api(credentials);
    const auto answer = api.sign_in(proof);
    if (!answer) return context.say(answer.error());
    credentials.token = Secret(answer->token);
    user = answer->user;
  }
  const Result<std::string> kept = keep_login(credentials);
  if (!kept) return context.say(kept.error());
  context.print(say::signed_in({.url = url, .user = user, .path = *kept}));
}

}  // namespace

void add_login(CLI::App& app, Context& context) {
  CLI::App* login = app.add_subcommand("login", "Sign in to a server and save the session");
  auto options = std::make_shared<LoginOptions>();
  login->add_option("URL", options->url, "Address of the server, or a one-time sign-in link")
      ->required();
  login->add_option("-u,--user", options->user, "User name; prompts by default");
  login
      ->add_option("--fingerprint",
                   options->fingerprint,
                   "Trust exactly this certificate fingerprint, as printed by the server")
      ->type_name("SHA256:…");
  login->add_flag("--token-stdin",
                  options->token_stdin,
                  "Read an access token from standard input instead of a password");
  login->callback([&context, options] { log_in(context, *options); });

  CLI::App* logout = app.add_subcommand("logout", "End the session and delete the saved one");
  logout->callback([&context] {
    if (client::ApiClient* api = context.api()) (void)api->sign_out();
    context.exit = kOk;
    if (auto forgotten = forget_login(); !forgotten) return context.say(forgotten.error());
    context.print(say::signed_out());
  });
}

}  // namespace ty::cli
