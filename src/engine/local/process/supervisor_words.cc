#include "engine/local/process/supervisor_words.h"

#include <array>
#include <boost/json.hpp>
#include <utility>

#include "base/text.h"
#include "engine/messages.h"
#include "model/message_json.h"

namespace ty::engine {
namespace {

/// A fault as the supervisor words it: `BEFORE what AFTER`, or `BEFORE what: why`.
struct Phrase {
  std::string_view before;
  std::string_view after;
  bool has_why;
  Message (*make)(std::string what, std::string why);
};

constexpr Phrase kFaults[] = {
    {"no program is called \"",
     "\" in PATH",
     false,
     [](std::string what, std::string) {
       return say::program_not_in_path({.name = std::move(what)});
     }},
    {"there is no program ",
     "",
     false,
     [](std::string what, std::string) {
       return say::no_such_program({.program = std::move(what)});
     }},
    {"",
     " is not a program that may be executed",
     false,
     [](std::string what, std::string) {
       return say::program_not_executable({.program = std::move(what)});
     }},
    {"",
     " is neither a binary of this machine nor starts with #!",
     false,
     [](std::string what, std::string) {
       return say::program_of_another_machine({.program = std::move(what)});
     }},
    {"the interpreter is missing that is named in ",
     "",
     false,
     [](std::string what, std::string) {
       return say::interpreter_missing({.program = std::move(what)});
     }},
    {"cannot execute ",
     "",
     true,
     [](std::string what, std::string why) {
       return say::program_not_run({.program = std::move(what), .why = std::move(why)});
     }},
    {"cannot change to the working directory ",
     "",
     true,
     [](std::string what, std::string why) {
       return say::workdir_unusable({.path = std::move(what), .why = std::move(why)});
     }},
    {"the image has neither bash nor /bin/sh ",
     "",
     false,
     [](std::string, std::string) { return say::image_without_shells(); }},
    {"the image lacks the shell ",
     "",
     false,
     [](std::string what, std::string) {
       return say::image_without_shell({.shell = std::move(what)});
     }},
    {"the image has no user called ",
     "",
     false,
     [](std::string what, std::string) {
       return say::image_without_user({.name = std::move(what)});
     }},
    {"the image has no group called ",
     "",
     false,
     [](std::string what, std::string) {
       return say::image_without_group({.name = std::move(what)});
     }},
    {"cannot open the folder to mount, ",
     "",
     true,
     [](std::string what, std::string why) {
       return say::mount_source_unopenable({.path = std::move(what), .why = std::move(why)});
     }},
    {"the folder changed while it was mounted, ",
     "",
     false,
     [](std::string what, std::string) {
       return say::mount_source_changed({.path = std::move(what)});
     }},
    {"cannot mount at ",
     "",
     true,
     [](std::string what, std::string why) {
       return say::mount_failed({.path = std::move(what), .why = std::move(why)});
     }},
    {"the launch file is unusable: ",
     "",
     false,
     [](std::string what, std::string) {
       return say::launch_file_unusable({.why = std::move(what)});
     }},
    {"the log cannot be opened ",
     "",
     true,
     [](std::string what, std::string why) {
       return say::task_log_unopenable({.path = std::move(what), .why = std::move(why)});
     }},
    // The steps of the sandbox: what the kernel did not allow.
    {"cannot ",
     "",
     false,
     [](std::string what, std::string) {
       return say::task_not_started({.why = plain("cannot " + what)});
     }},
};

constexpr std::array<std::pair<std::string_view, Message (*)()>, 4> kWarnings = {{
    {"Memory and CPU are not limited: no cgroup can be made here.",
     say::memory_and_cpu_not_limited},
    {"Memory is not limited: no memory cgroup can be made here.", say::memory_not_limited},
    {"CPU is not limited: no cpu cgroup can be made here.", say::cpu_not_limited},
    {"The number of processes is not limited: no pids cgroup can be made here.",
     say::processes_not_limited},
}};

/// The supervisor cuts its lines at 600 bytes.
constexpr std::size_t kLongest = 580;
constexpr std::size_t kLongestText = 190;  // characters, of at most three bytes

}  // namespace

Message fault_of(std::string_view text) {
  for (const Phrase& phrase : kFaults) {
    const std::size_t frame = phrase.before.size() + phrase.after.size();
    if (text.size() <= frame || !text.starts_with(phrase.before) || !text.ends_with(phrase.after)) {
      continue;
    }
    const std::string_view inside = text.substr(phrase.before.size(), text.size() - frame);
    if (!phrase.has_why) return phrase.make(std::string(inside), {});
    const std::size_t colon = inside.rfind(": ");
    if (colon == std::string_view::npos) continue;
    return phrase.make(std::string(inside.substr(0, colon)), std::string(inside.substr(colon + 2)));
  }
  return text.empty() ? Message{} : plain(text);
}

Message warning_of(std::string_view text) {
  for (const auto& [words, make] : kWarnings) {
    if (text == words) return make();
  }
  if (text.starts_with('{')) {
    boost::system::error_code error;
    const boost::json::value json = boost::json::parse(text, error);
    if (Message carried = error ? Message{} : model::message_from_json(json); !carried.empty())
      return carried;
  }
  return plain(text);
}

std::string carried(const Message& warning) {
  std::string json;
  append_json(json, warning);
  return json.size() <= kLongest ? json : shorten(warning.text(), kLongestText);
}

}  // namespace ty::engine
