#pragma once
#include <CLI/CLI.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/language.h"
#include "client/api_client.h"

namespace ty::cli {

/// What a command ends with. Scripts rely on these.
enum Exit : int {
  kOk = 0,
  kFailed = 1,       ///< the server, or the thing asked for, said no
  kUsage = 2,        ///< the command or the job file is wrong
  kUnreachable = 3,  ///< no server, or not signed in
  kInterrupted = 130,
};

/// What every command shares: how to print and whom to talk to. Commands throw nothing; they set
/// `exit`.
class Context {
 public:
  /// `app`: the whole command line, to name its flags in messages.
  explicit Context(const CLI::App& app) : app_(app) {}

  bool json = false;                              ///< -o json
  Language language = language_of_environment();  ///< --lang otherwise
  int exit = kOk;

  /// The server, from flags, environment, `trainyard login` or a server of this user on this
  /// machine. Prints what is wrong and answers null when there is none.
  client::ApiClient* api();
  std::string url_flag;
  std::string token_flag;
  std::string ca_flag;

  /// In the language of whoever reads it.
  std::string words(const Message& message) const { return render(message, language); }
  /// One line of what was asked for, on standard output.
  void print(const Message& message) const;
  /// One line about it, on standard error.
  void note(const Message& message) const;
  /// Prints the error for people, with their flags where the API names parameters, or as JSON, and
  /// sets the exit code.
  void say(const Error& error);
  /// JSON mode: prints the value. Otherwise false, and the command prints its own words.
  bool print_json(const boost::json::value& value) const;

 private:
  const CLI::App& app_;
  std::unique_ptr<client::ApiClient> api_;
};

/// Adds `-o/--output`.
void add_output_flag(CLI::App& command, Context& context);

// One function per command, each in the file of its name; they register themselves below `app`.
void add_submit(CLI::App& app, Context& context);
void add_list(CLI::App& app, Context& context);
void add_show(CLI::App& app, Context& context);
void add_logs(CLI::App& app, Context& context);
void add_job_actions(CLI::App& app,
                     Context& context);  // stop delete clone retry pause resume set-limit
void add_events(CLI::App& app, Context& context);
void add_metrics(CLI::App& app, Context& context);
void add_why(CLI::App& app, Context& context);  // why queue move
void add_replay(CLI::App& app, Context& context);
void add_nodes(CLI::App& app, Context& context);
void add_scheduling(CLI::App& app, Context& context);  // scheduling drain undrain
void add_workspace(CLI::App& app, Context& context);
void add_convert(CLI::App& app, Context& context);
void add_check(CLI::App& app, Context& context);  // check schema
void add_login(CLI::App& app, Context& context);  // login logout
void add_token(CLI::App& app, Context& context);
void add_registry(CLI::App& app, Context& context);
void add_user(CLI::App& app, Context& context);
void add_version(CLI::App& app, Context& context, std::string version);
void add_completion(CLI::App& app, Context& context);

}  // namespace ty::cli
