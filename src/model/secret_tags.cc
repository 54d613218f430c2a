#include "model/secret_tags.h"

#include <algorithm>

#include "base/text.h"

namespace ty::model {

std::string dotted(std::string_view path) {
  std::string out;
  for (const char c : path) {
    if (c == '[')
      out += '.';
    else if (c != ']' && c != '"' && c != '\'')
      out += c;
  }
  return out;
}

std::string fill_secrets(std::string_view text, const TextMap& secrets) {
  constexpr std::string_view kName = "$secrets.";
  std::string out;
  for (std::size_t open; (open = text.find("<%")) != std::string_view::npos;) {
    const std::size_t close = text.find("%>", open);
    if (close == std::string_view::npos) break;
    out += text.substr(0, open);
    const std::string_view tag = text.substr(open, close + 2 - open);
    const std::string_view inner = trim(tag.substr(2, tag.size() - 4));
    text.remove_prefix(close + 2);
    const auto value =
        inner.starts_with(kName) ? secrets.find(dotted(inner.substr(kName.size()))) : secrets.end();
    if (value != secrets.end())
      out += value->second;
    else
      out += tag;
  }
  out += text;
  return out;
}

void fill_secrets(Command& command, const TextMap& secrets) {
  if (secrets.empty()) return;
  for (std::string* text : {&command.script, &command.pre, &command.post})
    *text = fill_secrets(*text, secrets);
  for (auto* list : {&command.argv, &command.args}) {
    for (std::string& word : *list) word = fill_secrets(word, secrets);
  }
}

void cover_secrets(JobSpec& spec) {
  const auto close = [](SecretRef& ref) {
    if (ref.sealed) ref.sealed = "******";
  };
  for (auto& [name, ref] : spec.secrets) close(ref);
  for (RoleSpec& role : spec.roles) {
    if (role.image_auth) close(role.image_auth->password);
    for (Mount& mount : role.mounts) {
      if (mount.secret) mount.secret = "******";
    }
  }
}

}  // namespace ty::model
