#include "jobspec/impl/kube_container.h"

#include <algorithm>

#include "base/text.h"
#include "jobspec/impl/limits.h"
#include "jobspec/messages.h"

namespace ty::jobspec {
namespace {

/// Blanks and what a shell gives a meaning: such a text is a script, any other one word.
bool needs_shell(std::string_view text) {
  return text.find_first_of(" \t\n\r|&;<>()$`\\\"'*?[]#~!{}") != std::string_view::npos;
}

bool names_bash(std::string_view script) {
  if (!script.starts_with("#!")) return false;
  const std::string_view line = script.substr(0, script.find('\n'));
  return line.find("bash") != std::string_view::npos;
}

}  // namespace

bool KubeReader::read_amount(
    Ref map, std::string_view key, KubeKind kind, Part part, int role, std::int64_t& out) {
  const Ref ref = present(map, key);
  if (!ref) return true;
  place(part, role, ref);
  if (!ref.is_scalar()) {
    doubt(part, role);
    return wrong_type(
        ref, say::an_amount(), std::string(key) + (kind == KubeKind::Memory ? ": 1Gi" : ": 1"));
  }
  const auto value =
      kind == KubeKind::Cpu ? parse_kube_milli(ref->text, kind) : parse_kube_whole(ref->text, kind);
  if (!value) {
    Message message = value.error().message;
    if (value.error().code == "fraction" && part == Part::Gpus)
      message = say::fraction_of_gpus({.value = shorten(ref->text)});
    report_.error(ref, value.error().code, std::move(message));
    doubt(part, role);
    return false;
  }
  if (kind == KubeKind::Memory && trim(ref->text).ends_with('m')) {
    const std::string_view text = trim(ref->text);
    const std::string figure = shorten(text.substr(0, text.size() - 1));
    const Message message = say::milli_bytes({.figure = figure});
    if (*value < limits::kMinMemory) {
      report_.error(ref, "milli_bytes", message);
      doubt(part, role);
      return false;
    }
    report_.warn(ref, "milli_bytes", message);
  }
  out = *value;
  return true;
}

void KubeReader::read_command(Ref from, int role, model::RoleSpec& out) {
  const Ref command = present(from, "command");
  const Ref args = present(from, "args");
  if (command)
    place(Part::Command, role, command);
  else if (args)
    place(Part::Command, role, args);
  if (command) {
    out.command.entrypoint = model::Entrypoint::Clear;
    if (command.is_scalar() && needs_shell(command->text)) {
      out.command.shell = names_bash(command->text) ? model::Shell::Bash : model::Shell::Sh;
      out.command.script = command->text;
    } else {
      read_texts(from, "command", out.command.argv, R"(command: ["python", "train.py"])");
    }
  }
  if (!args) return;
  if (!args.is_scalar() || !needs_shell(args->text)) {
    read_texts(from, "args", out.command.args, R"(args: ["--epochs", "10"])");
  } else if (command && command.is_scalar()) {
    // Both written as one would type them.
    if (out.command.shell == model::Shell::None) {
      out.command.shell = model::Shell::Sh;
      out.command.script = command->text;
      out.command.argv.clear();
    }
    out.command.script += " " + std::string(args->text);
  } else {
    std::vector<std::string> words;
    for (const std::string& word : split(args->text, ' ')) {
      if (word.empty()) continue;
      std::string quoted_word;
      append_json_string(quoted_word, word);
      words.push_back(std::move(quoted_word));
    }
    report_.error(args,
                  "type",
                  say::one_argument_with_blanks(
                      {.value = quoted(args), .words = shorten(join(words, ", "), 120)}));
  }
}

bool KubeReader::check_port_name(Ref at, std::string& name) {
  name = to_lower(name);
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_allowed = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '-';
  };
  const bool good = !name.empty() && name.size() <= 15 && std::ranges::all_of(name, is_allowed) &&
                    std::ranges::any_of(name, is_letter) && name.front() != '-' &&
                    name.back() != '-' && name.find("--") == std::string::npos;
  if (!good) {
    report_.error(at, "pattern", say::invalid_port_name({.value = in_quotes(name)}));
  }
  return good;
}

}  // namespace ty::jobspec
