#include "model/references.h"

#include <algorithm>
#include <map>
#include <set>

#include "model/impl/references.h"

namespace ty::model {

bool has_references(Dialect dialect) {
  return dialect == Dialect::Volcano || dialect == Dialect::GpuManager;
}

namespace {
constexpr std::size_t kLongestText = std::size_t{64} * 1024;
}

std::string replace_references(std::string_view text, const Lookup& lookup) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("$$")) {
      out += '$';
      at += 2;
      continue;
    }
    const std::size_t end = rest.starts_with("$(") ? rest.find(')') : std::string_view::npos;
    if (end == std::string_view::npos) {
      out += text[at++];
      continue;
    }
    // Values that refer to each other can double at every step; a task could not be given them.
    const std::string* value =
        out.size() > kLongestText ? nullptr : lookup(std::string(rest.substr(2, end - 2)));
    out += value != nullptr ? std::string_view(*value) : rest.substr(0, end + 1);
    at += end + 1;
  }
  return out;
}

namespace {

/// Kubernetes lets a variable refer to those before it. The model has no order, so any may refer to
/// any; one that leads back to itself stays as written there.
class OwnVariables {
 public:
  OwnVariables(const EnvMap& own, const Variables& platform) : own_(own), platform_(platform) {}

  std::string resolve(const std::string& name, const std::string& text) {
    if (const auto known = done_.find(name); known != done_.end()) return known->second;
    open_.insert(name);
    std::string held;
    const Lookup lookup = [&](const std::string& other) -> const std::string* {
      const auto mine = own_.find(other);
      if (mine == own_.end() || !mine->second) return platform_.find(other);
      if (open_.contains(other)) return nullptr;
      held = resolve(other, *mine->second);
      return &held;
    };
    std::string out = replace_references(text, lookup);
    open_.erase(name);
    if (open_.empty()) done_.emplace(name, out);
    return out;
  }

 private:
  const EnvMap& own_;
  const Variables& platform_;
  std::set<std::string> open_;
  std::map<std::string, std::string> done_;
};

}  // namespace

void resolve_references(const EnvMap& own, Variables& out) {
  OwnVariables variables(own, out);
  std::vector<std::pair<std::string, std::string>> resolved;
  for (const auto& [name, value] : own) {
    if (value && value->find('$') != std::string::npos)
      resolved.emplace_back(name, variables.resolve(name, *value));
  }
  for (auto& [name, value] : resolved) out.set(name, std::move(value));
}

Command resolve_references(Command command, const TaskEnvironment& environment) {
  const auto find = [](const Environment& in, const std::string& name) -> const std::string* {
    const auto found = std::ranges::lower_bound(
        in, name, {}, [](const auto& e) -> const std::string& { return e.first; });
    return found != in.end() && found->first == name ? &found->second : nullptr;
  };
  const Lookup lookup = [&](const std::string& name) {
    const std::string* value = find(environment.platform, name);
    return value != nullptr ? value : find(environment.soft, name);
  };
  for (auto* words : {&command.argv, &command.args}) {
    for (std::string& word : *words) word = replace_references(word, lookup);
  }
  return command;
}

}  // namespace ty::model
