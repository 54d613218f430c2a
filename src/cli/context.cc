#include "cli/context.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cstdio>

#include "cli/credentials.h"
#include "cli/flags.h"
#include "cli/messages.h"

namespace ty::cli {

namespace json = boost::json;

namespace {

int exit_for(Errc code) {
  switch (code) {
    case Errc::Invalid:
    case Errc::TooLarge:
      return kUsage;
    case Errc::Unauthenticated:
    case Errc::Unavailable:
    case Errc::Timeout:
      return kUnreachable;
    default:
      return kFailed;
  }
}

/// The command within the command line that was parsed.
const CLI::App& called(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : called(*chosen.front());
}

}  // namespace

client::ApiClient* Context::api() {
  if (api_ == nullptr) {
    Result<client::Credentials> found = find_credentials(url_flag, token_flag, ca_flag);
    if (!found) {
      say(found.error());
      return nullptr;
    }
    api_ = std::make_unique<client::ApiClient>(*std::move(found));
  }
  return api_.get();
}

void Context::print(const Message& message) const { std::puts(words(message).c_str()); }

void Context::note(const Message& message) const {
  std::fprintf(stderr, "%s\n", words(message).c_str());
}

void Context::say(const Error& error) {
  exit = exit_for(error.code);
  if (json) {
    json::array details;
    for (const Fault& fault : error.details) {
      details.push_back({{"pointer", fault.pointer},
                         {"message", fault.message.text()},
                         {"code", fault.code},
                         {"line", fault.line},
                         {"column", fault.column}});
    }
    std::fprintf(stderr,
                 "%s\n",
                 json::serialize(json::object{{"code", to_string(error.code)},
                                              {"message", error.message.text()},
                                              {"details", details}})
                     .c_str());
    return;
  }
  const CLI::App& command = called(app_);
  const auto is_flag = [&](const Fault& fault) {
    return flag_of(command, fault.pointer) != fault.pointer;
  };
  if (!error.details.empty() && std::ranges::all_of(error.details, is_flag)) {
    for (const Fault& fault : error.details) {
      std::fprintf(stderr,
                   "trainyard: %s: %s\n",
                   flag_of(command, fault.pointer).c_str(),
                   words(fault.message).c_str());
    }
    return;
  }
  std::fprintf(stderr, "trainyard: %s\n", words(error.message).c_str());
  // A single fault is in the message already.
  for (std::size_t i = 0; error.details.size() > 1 && i < error.details.size(); ++i) {
    const Fault& fault = error.details[i];
    const std::string place =
        fault.line > 0
            ? words(say::fault_place({.line = fault.line, .column = fault.column})) + ": "
            : "";
    std::fprintf(
        stderr, "  %s%s: %s\n", place.c_str(), fault.pointer.c_str(), words(fault.message).c_str());
  }
}

bool Context::print_json(const json::value& value) const {
  if (json) std::puts(json::serialize(value).c_str());
  return json;
}

void add_output_flag(CLI::App& command, Context& context) {
  command
      .add_option_function<std::string>(
          "-o,--output",
          [&context](const std::string& word) { context.json = word == "json"; },
          "text, or json for programs")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"text", "json"}));
}

}  // namespace ty::cli
