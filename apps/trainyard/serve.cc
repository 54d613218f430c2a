#include "serve.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <cstdio>
#include <vector>

#include "app.h"
#include "config/config.h"
#include "config/fields.h"
#include "config/messages.h"
#include "engine/registry.h"
#include "hold_port.h"
#include "net/listener.h"
#include "rt/log.h"
#include "rt/signals.h"

namespace ty {

namespace {

int say(const Error& error) {
  std::fprintf(stderr, "trainyard: %s\n", error.message.text().c_str());
  return error.code == Errc::Invalid ? 2 : 1;
}

struct Flag {
  const char* name;
  const char* key;
  const char* value;
  const char* help;
};

constexpr Flag kFlags[] = {
    {"--data-dir", "data_dir", "DIR", "Where everything is kept"},
    {"--listen",
     "http.listen",
     "HOST:PORT",
     "Address of the API and the page; port 0 means any free one"},
    {"--database", "database", "URL", "sqlite, or postgres://user@host/name"},
    {"--engine", "engine", "NAME", "local: this machine; fake: only pretends"},
    {"--runtime", "runtime", "NAME", "docker, process, or auto: the first that works"},
    {"--tls-cert", "tls.certificate", "FILE", "Speak https with this certificate (PEM)"},
    {"--tls-key", "tls.key", "FILE", "The certificate's key (PEM)"},
    {"--log-level", "log.level", "LEVEL", "debug, info, warn or error"},
    {"--log-format", "log.format", "FORMAT", "text or json"},
};

log::Level level_of(const std::string& word) {
  if (word == "debug") return log::Level::Debug;
  if (word == "warn") return log::Level::Warn;
  if (word == "error") return log::Level::Error;
  return log::Level::Info;
}

/// Followers of logs and connections hold files open; the usual soft limit of 1,024 is no measure
/// for a server.
void raise_file_limit() {
  constexpr rlim_t kWanted = 65'536;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= kWanted) return;
  limit.rlim_cur = std::min(kWanted, limit.rlim_max);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

Result<config::Config> read_config(const std::string& file,
                                   const std::vector<std::pair<const char*, std::string>>& set) {
  config::Config config;
  if (!file.empty()) TY_DO(config::read_file(config, file));
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  TY_DO(config::read_environment(config, environment));
  for (const auto& [key, value] : set) TY_DO(config::set(config, key, value));
  TY_DO(config::finish(config));
  TY_DO(engine::check_engine(config.engine));
  return config;
}

}  // namespace

int serve(int argc, char** argv) {
  CLI::App cli("Runs the whole platform: API, page, scheduler and this machine's tasks.",
               "trainyard serve");
  std::string file;
  std::vector<std::string> settings;
  bool check = false;
  bool self_signed = false;
  bool hold = false;
  cli.add_option("--config", file, "Settings in YAML; docs/reference/config.md lists them")
      ->type_name("FILE");
  std::vector<std::string> values(std::size(kFlags));
  for (std::size_t i = 0; i < std::size(kFlags); ++i) {
    cli.add_option(kFlags[i].name, values[i], kFlags[i].help)->type_name(kFlags[i].value);
  }
  cli.add_option("--set", settings, "Any setting by name, as http.threads=4; may be repeated")
      ->type_name("KEY=VALUE");
  cli.add_flag("--tls-self-signed",
               self_signed,
               "Speak https with a certificate made and kept in the data directory");
  cli.add_flag(
      "--hold-port",
      hold,
      "Keep the port with a parent process that starts the server again when it is killed");
  cli.add_flag("--check-config", check, "Name every fault of the settings and start nothing");
  try {
    cli.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return cli.exit(e) == 0 ? 0 : 2;
  }

  std::vector<std::pair<const char*, std::string>> set;
  for (std::size_t i = 0; i < std::size(kFlags); ++i) {
    if (!values[i].empty()) set.emplace_back(kFlags[i].key, values[i]);
  }
  if (self_signed) set.emplace_back("tls.self_signed", "true");
  std::vector<std::string> keys;
  keys.reserve(settings.size());
  for (const std::string& setting : settings) {
    const std::size_t at = setting.find('=');
    if (at == std::string::npos)
      return say({Errc::Invalid, config::say::set_without_value({.setting = setting})});
    keys.push_back(setting.substr(0, at));
    set.emplace_back(keys.back().c_str(), setting.substr(at + 1));
  }
  Result<config::Config> config = read_config(file, set);
  if (!config) return say(config.error());
  if (check) {
    std::puts("the settings are good");
    return 0;
  }
  log::configure({.level = level_of(config->log.level), .json = config->log.format == "json"});

  Result<std::optional<Fd>> inherited = net::inherited_listener();
  if (!inherited) return say(inherited.error());
  if (hold && !*inherited) {
    const Result<int> ended = hold_port(config->http.listen, {argv, argv + argc});
    return ended ? *ended : say(ended.error());
  }
  raise_file_limit();
  Result<std::unique_ptr<App>> app =
      App::start(*std::move(config), std::move(*inherited).value_or(Fd()));
  if (!app) return say(app.error());
  std::printf(
      "trainyard is ready at %s (data in %s)\n", (*app)->url().c_str(), (*app)->data_dir().c_str());
  if (const auto fingerprint = (*app)->fingerprint())
    std::printf("its certificate is %s\n", fingerprint->c_str());
  if (const auto& link = (*app)->sign_in_link())
    std::printf("sign in once as administrator: %s\n", link->c_str());
  std::fflush(stdout);

  std::function<void()> on_hangup;
  if ((*app)->fingerprint()) on_hangup = [&] { (*app)->reload(); };
  boost::asio::io_context signals;
  auto signal = boost::asio::co_spawn(
      signals, rt::told_to_end(std::move(on_hangup)), boost::asio::use_future);
  signals.run();
  log::info("stopping signal={}", signal.get());
  (*app)->stop();
  return 0;
}

}  // namespace ty
