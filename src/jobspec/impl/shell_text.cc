#include "jobspec/impl/shell_text.h"

#include "base/text.h"

namespace ty::jobspec {
namespace {

std::string words_of(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back(shell_quote(word));
  return join(quoted, " ");
}

/// Lines that turn what the dialect does by itself into what the command wants.
std::string option_lines(const model::Command& command, const model::Command& plain) {
  std::string out;
  if (command.errexit != plain.errexit) out += command.errexit ? "set -e\n" : "set +e\n";
  if (command.nounset != plain.nounset) out += command.nounset ? "set -u\n" : "set +u\n";
  if (command.pipefail != plain.pipefail) {
    const bool by_bash = command.shell == model::Shell::Bash || plain.shell == model::Shell::Bash;
    if (!command.pipefail)
      out += "set +o pipefail\n";
    else
      out += by_bash ? "set -o pipefail\n" : "(set -o pipefail) 2>/dev/null && set -o pipefail\n";
  }
  return out;
}

}  // namespace

std::string export_lines(const model::EnvMap& job, const model::EnvMap& role) {
  model::EnvMap all = job;
  for (const auto& [name, value] : role) all[name] = value;
  std::string out;
  for (const auto& [name, value] : all)
    out += value ? "export " + name + "=" + shell_quote(*value) + "\n" : "unset " + name + "\n";
  return out;
}

bool is_plain_script(const model::Command& command) {
  return command.shell != model::Shell::None && !command.errexit && !command.nounset &&
         !command.pipefail && command.pre.empty() && command.post.empty() && command.args.empty();
}

std::string script_of(const model::Command& command,
                      const std::string& exports,
                      const model::Command& plain) {
  std::string out = exports;
  std::string body = command.script;
  if (command.shell == model::Shell::None) {
    if (command.argv.empty()) return "";
    std::vector<std::string> words = command.argv;
    words.insert(words.end(), command.args.begin(), command.args.end());
    body = words_of(words);
  } else {
    out += option_lines(command, plain);
    if (!command.args.empty()) out += "set -- " + words_of(command.args) + "\n";
  }
  if (!command.pre.empty() && plain.pre.empty()) out += command.pre + "\n";
  if (command.post.empty() || !plain.post.empty()) return out + body;
  // In a shell of its own: what comes after it comes also when it says `exit 0`.
  return out + "(\n" + body + "\n) || exit $?\n" + command.post;
}

}  // namespace ty::jobspec
