#include "jobspec/impl/kube_container.h"

#include <algorithm>

#include "base/text.h"
#include "jobspec/impl/limits.h"

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
        ref, "an amount", std::string(key) + (kind == KubeKind::Memory ? ": 1Gi" : ": 1"));
  }
  const auto value =
      kind == KubeKind::Cpu ? parse_kube_milli(ref->text, kind) : parse_kube_whole(ref->text, kind);
  if (!value) {
    std::string message = value.error().message;
    if (value.error().code == "fraction" && part == Part::Gpus)
      message = shorten(ref->text) + " is not a whole number of GPUs; write 1, or 0 for none";
    report_.error(ref, value.error().code, std::move(message));
    doubt(part, role);
    return false;
  }
  if (kind == KubeKind::Memory && trim(ref->text).ends_with('m')) {
    const std::string_view text = trim(ref->text);
    const std::string figure = shorten(text.substr(0, text.size() - 1));
    const std::string message =
        figure + "m are thousandths of a byte in this format; did you mean " + figure + "Mi?";
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
                  quoted(args) + " is one argument with blanks in it; write args: [" +
                      shorten(join(words, ", "), 120) + "]");
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
    report_.error(at,
                  "pattern",
                  "\"" + shorten(name) +
                      "\" is no name of a port: 1 to 15 letters and digits, at least one letter; "
                      "write for example web1");
  }
  return good;
}

}  // namespace ty::jobspec
