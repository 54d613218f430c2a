#include "engine/local/launch_text.h"

namespace ty::engine {

std::vector<std::string> shell_words(const model::Command& command,
                                     std::string shell,
                                     bool is_bash,
                                     const std::string& path) {
  std::vector<std::string> words = {std::move(shell)};
  // Options, not lines of the script: error messages then count lines as the author does.
  if (command.errexit) words.push_back("-e");
  if (command.nounset) words.push_back("-u");
  if (command.pipefail && is_bash) words.insert(words.end(), {"-o", "pipefail"});
  words.push_back(path);
  words.insert(words.end(), command.args.begin(), command.args.end());
  return words;
}

std::string script_text(const model::Command& command) {
  std::string script;
  if (!command.pre.empty()) script += command.pre + "\n";
  script += command.script + "\n";
  if (!command.post.empty()) {
    script +=
        "trainyard_status=$?\nif [ \"$trainyard_status\" -ne 0 ]; then exit \"$trainyard_status\"; "
        "fi\n";
    script += command.post + "\n";
  }
  return script;
}

}  // namespace ty::engine
