#include <algorithm>

#include "base/text.h"
#include "jobspec/impl/dialect.h"
#include "jobspec/messages.h"
#include "jobspec/openpai_v2/reader.h"

/// The lines a task runs: templates filled in, and what a deployment puts before and after them.
namespace ty::jobspec::openpai_v2 {

std::string V2Reader::rendered(Ref at, std::string_view text, std::size_t role) {
  const auto lookup = [&](const std::string& path) -> std::optional<std::string> {
    const std::size_t dot = path.find('.');
    if (dot == std::string::npos) return std::nullopt;
    const std::string scope = path.substr(0, dot), rest = path.substr(dot + 1);
    const auto missing = [&](const Message& cure) {
      report_.warn(at, "template", say::tag_without_value({.path = shorten(path), .cure = cure}));
      return std::nullopt;
    };
    if (scope == "secrets") {
      if (value_at(top_.find("secrets"), rest)) return std::nullopt;  // filled in inside the task
      return missing(say::add_under({.key = "secrets"}));
    }
    if (scope == "parameters") {
      if (auto given = params_.given(rest)) return given;
      if (auto value = value_at(top_.find("parameters"), rest)) return value;
      return missing(say::add_under_parameters({.name = shorten(rest)}));
    }
    if (scope == "data" || scope == "script" || scope == "output") {
      const Ref name = role < roles_.size() ? present(roles_[role], scope) : Ref{};
      const Ref list = top_.find("prerequisites");
      if (name && name.is_scalar() && is_list(list)) {
        for (const Ref item : list) {
          const Ref type = item.find("type"), own = item.find("name");
          if (type && own && type->text == scope && own->text == name->text) {
            if (auto value = value_at(item, rest)) return value;
          }
        }
      }
      return missing(say::name_the_prerequisite({.key = scope}));
    }
    return std::nullopt;
  };
  return render(text, lookup);
}

std::string V2Reader::read_lines(Ref list, std::string_view example, std::size_t role) {
  if (!list.is_list()) {
    wrong_type(list, say::a_list(), example);
    return "";
  }
  std::vector<std::string> lines;
  for (const Ref line : list) {
    if (line.is_map()) {
      report_.error(line, "type", say::line_became_a_map());
      continue;
    }
    if (!line.is_scalar()) {
      wrong_type(line, say::a_line_of_text(), example);
      continue;
    }
    lines.push_back(rendered(line, line->text, role));
  }
  return join(lines, "\n");
}

void V2Reader::read_deployments() {
  const Ref list = present(top_, "deployments");
  const Ref defaults = top_.find("defaults");
  const Ref chosen = defaults && defaults.is_map() ? present(defaults, "deployment") : Ref{};
  std::vector<std::string> names;
  bool found = false;
  if (list && !list.is_list()) {
    wrong_type(list, say::a_list(), "deployments: [{name: prod, taskRoles: {}}]");
    return;
  }
  if (list) {
    for (const Ref item : list) {
      std::string name;
      if (!item.is_map()) {
        wrong_type(item, say::a_deployment(), "{name: prod, taskRoles: {}}");
        continue;
      }
      keep_unknown(item, {"name", "taskRoles"});
      if (!need_text(item, "name", name, "name: prod")) continue;
      if (std::ranges::find(names, name) != names.end()) {
        report_.error(item.find("name"),
                      "duplicate_name",
                      say::two_deployments_called({.name = shorten(name)}));
      }
      names.push_back(name);
      const bool used = chosen && chosen.is_scalar() && chosen->text == name && !found;
      found = found || used;
      const Ref roles = present(item, "taskRoles");
      if (!roles || !roles.is_map()) continue;
      for (const Ref role : roles) {
        const std::size_t i = role_index(role->key);
        if (i == spec_.roles.size()) {
          report_.warn_at_key(role, "ignored", say::no_role_called_ignored());
          continue;
        }
        if (!role.is_map()) continue;
        keep_unknown(role, {"preCommands", "postCommands"});
        if (!used) continue;
        model::Command& command = spec_.roles[i].command;
        if (const Ref pre = present(role, "preCommands"))
          command.pre = read_lines(pre, "preCommands: [pip install -r x.txt]", i);
        if (const Ref post = present(role, "postCommands"))
          command.post = read_lines(post, "postCommands: [ls]", i);
      }
    }
  }
  if (!chosen || found) return;
  report_.error(chosen,
                "reference",
                names.empty() ? say::no_deployment_called({.name = quoted(chosen)})
                              : say::no_deployment_called_among(
                                    {.name = quoted(chosen), .names = some_of(names)}));
}

}  // namespace ty::jobspec::openpai_v2
