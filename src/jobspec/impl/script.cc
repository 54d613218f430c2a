#include "jobspec/impl/script.h"

#include "base/text.h"

namespace ty::jobspec {

std::string as_script(const model::RoleSpec& role, const model::Command& plain) {
  const model::Command& command = role.command;
  std::vector<std::string> lines;
  for (const auto& [name, value] : role.env)
    lines.push_back(value ? "export " + name + "=" + shell_quote(*value) : "unset " + name);
  std::string script = command.script;
  if (command.shell == model::Shell::None) {
    std::vector<std::string> words;
    for (const auto* list : {&command.argv, &command.args}) {
      for (const std::string& word : *list) words.push_back(shell_quote(word));
    }
    script = join(words, " ");
    if (command.argv.empty()) return "";
  } else {
    if (command.errexit != plain.errexit) lines.emplace_back(command.errexit ? "set -e" : "set +e");
    if (command.nounset != plain.nounset) lines.emplace_back(command.nounset ? "set -u" : "set +u");
    if (command.pipefail != plain.pipefail)
      lines.emplace_back(command.pipefail ? "set -o pipefail" : "set +o pipefail");
    if (!command.args.empty()) {
      std::string set = "set --";
      for (const std::string& word : command.args) set += " " + shell_quote(word);
      lines.push_back(std::move(set));
    }
  }
  if (!command.pre.empty() && plain.pre.empty()) lines.push_back(command.pre);
  if (!command.post.empty() && plain.post.empty()) {
    lines.push_back("(\n" + script + "\n) || exit $?");
    lines.push_back(command.post);
  } else {
    lines.push_back(script);
  }
  return join(lines, "\n");
}

}  // namespace ty::jobspec
