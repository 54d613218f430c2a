#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "base/text.h"
#include "cli/context.h"

namespace ty::cli {

namespace {

std::string words_of(const CLI::App& command) {
  std::vector<std::string> words;
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; }))
    words.push_back(sub->get_name());
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  }
  return join(words, " ");
}

/// One case per command, from the same tables that the parser uses.
std::string bash(const CLI::App& app) {
  std::string cases;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    cases += fmt::format("    {}) words=\"{}\" ;;\n", command->get_name(), words_of(*command));
  }
  return fmt::format(
      "_trainyard() {{\n"
      "  local word=\"${{COMP_WORDS[COMP_CWORD]}}\" words\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then words=\"{} serve\"; else\n"
      "  case \"${{COMP_WORDS[1]}}\" in\n{}    *) words=\"\" ;;\n  esac\n  fi\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "  [ ${{#COMPREPLY[@]}} -eq 0 ] && COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "}}\n"
      "complete -o filenames -F _trainyard trainyard\n",
      words_of(app),
      cases);
}

}  // namespace

void add_completion(CLI::App& app, Context&) {
  CLI::App* command = app.add_subcommand(
      "completion", "Print shell completion: source <(trainyard completion bash)");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash or zsh")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}));
  command->callback([&app, shell] {
    if (*shell == "zsh") std::puts("autoload -U +X bashcompinit && bashcompinit");
    std::fputs(bash(app).c_str(), stdout);
  });
}

}  // namespace ty::cli
