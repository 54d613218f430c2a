#include "jobspec/impl/shell_text.h"

#include <algorithm>

namespace ty::jobspec {
namespace {

bool is_safe(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-./:=@%+,").find(c) != std::string_view::npos;
}

std::string words_of(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += ' ';
    out += shell_quoted(word);
  }
  return out;
}

}  // namespace

std::string shell_quoted(std::string_view text) {
  if (!text.empty() && std::ranges::all_of(text, is_safe)) return std::string(text);
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out + "'";
}

std::string export_lines(const model::EnvMap& job, const model::EnvMap& role) {
  model::EnvMap all = job;
  for (const auto& [name, value] : role) all[name] = value;
  std::string out;
  for (const auto& [name, value] : all)
    out += value ? "export " + name + "=" + shell_quoted(*value) + "\n" : "unset " + name + "\n";
  return out;
}

bool is_plain_script(const model::Command& command) {
  return command.shell != model::Shell::None && !command.errexit && !command.nounset &&
         !command.pipefail && command.pre.empty() && command.post.empty() && command.args.empty();
}

std::string script_of(const model::Command& command, const std::string& exports) {
  if (command.shell == model::Shell::None) {
    if (command.argv.empty()) return "";
    std::vector<std::string> words = command.argv;
    words.insert(words.end(), command.args.begin(), command.args.end());
    return exports + words_of(words);
  }
  std::string out = exports;
  if (command.errexit) out += "set -e\n";
  if (command.nounset) out += "set -u\n";
  if (command.pipefail)
    out += command.shell == model::Shell::Bash
               ? "set -o pipefail\n"
               : "(set -o pipefail) 2>/dev/null && set -o pipefail\n";
  if (!command.args.empty()) out += "set -- " + words_of(command.args) + "\n";
  if (!command.pre.empty()) out += command.pre + "\n";
  out += command.script;
  if (command.post.empty()) return out;
  if (!out.ends_with('\n')) out += '\n';
  if (!command.errexit) out += "code=$?; [ $code = 0 ] || exit $code\n";
  out += command.post;
  return out;
}

}  // namespace ty::jobspec
