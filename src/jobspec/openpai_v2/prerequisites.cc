#include <algorithm>
#include <array>

#include "base/text.h"
#include "jobspec/impl/cover.h"
#include "jobspec/impl/dialect.h"
#include "jobspec/messages.h"
#include "jobspec/openpai_v2/reader.h"

/// What roles refer to by name: images with their credentials, data, scripts and output folders.
namespace ty::jobspec::openpai_v2 {

using model::RoleSpec;

void V2Reader::read_prerequisites() {
  const Ref list = present(top_, "prerequisites");
  if (!list) return;
  if (!list.is_list()) {
    wrong_type(list,
               say::a_list(),
               "prerequisites: [{type: dockerimage, name: img, uri: \"python:3.12\"}]");
    return;
  }
  std::vector<std::pair<std::string_view, std::string_view>> seen;
  for (const Ref item : list) {
    if (!item.is_map()) {
      wrong_type(
          item, say::a_prerequisite(), "{type: dockerimage, name: img, uri: \"python:3.12\"}");
      continue;
    }
    std::string type, name;
    if (!need_text(item, "type", type, "type: dockerimage") ||
        !need_text(item, "name", name, "name: img"))
      continue;
    constexpr std::array<std::string_view, 4> kTypes = {"dockerimage", "data", "script", "output"};
    if (std::ranges::find(kTypes, type) == kTypes.end()) {
      report_.error(item.find("type"),
                    "enum",
                    say::not_one_of({.value = quoted(item.find("type")),
                                     .what = say::noun_prerequisite_type(),
                                     .choices = Words{"dockerimage", "data", "script", "output"}}));
      continue;
    }
    const std::pair<std::string_view, std::string_view> key{item.find("type")->text,
                                                            item.find("name")->text};
    if (std::ranges::find(seen, key) != seen.end()) {
      report_.error(item.find("name"),
                    "duplicate_name",
                    say::two_prerequisites_called({.type = type, .name = shorten(name)}));
    }
    seen.push_back(key);
    if (const Ref require = present(item, "require"))
      report_.warn_at_key(require, "ignored", say::is_not_resolved());
    read_links(item, "prerequisites." + name + ".");
    if (type != "dockerimage") continue;  // the rest is free, for templates and plugins
    keep_unknown(item,
                 {"type",
                  "name",
                  "uri",
                  "auth",
                  "protocolVersion",
                  "version",
                  "contributor",
                  "description"});
    std::string uri;
    need_text(item, "uri", uri, "uri: \"python:3.12\"");
  }
}

Ref V2Reader::prerequisite(std::string_view type, Ref name) {
  std::vector<std::string> names;
  const Ref list = top_.find("prerequisites");
  if (is_list(list)) {
    for (const Ref item : list) {
      const Ref own_type = item.find("type"), own_name = item.find("name");
      if (!own_type || !own_name) continue;
      if (!type.empty() && own_type->text != type) continue;
      if (own_name->text == name->text) return item;
      names.emplace_back(own_name->text);
    }
  }
  const std::string what = type.empty() ? "prerequisite" : std::string(type);
  report_.error(name,
                "reference",
                names.empty()
                    ? say::no_prerequisite_called({.type = what, .name = shorten(name->text)})
                    : say::no_prerequisite_called_among(
                          {.type = what, .name = shorten(name->text), .names = some_of(names)}));
  return {};
}

void V2Reader::read_auth(Ref image, RoleSpec& role) {
  const Ref auth = present(image, "auth");
  if (!auth) return;
  if (!auth.is_map()) {
    report_.hide(auth);
    report_.error(
        auth, "type", say::not_a_map_for_example({.example = "auth: {username: …, password: …}"}));
    return;
  }
  keep_unknown(auth, {"username", "password", "registryuri"});
  model::ImageAuth out;
  read_text(auth, "registryuri", out.server, "registryuri: registry.example.org");
  read_text(auth, "username", out.username, "username: ann");
  const Ref password = present(auth, "password");
  if (password && password.is_scalar()) {
    const auto secret = [&](const std::string& path) -> std::optional<std::string> {
      if (!path.starts_with("secrets.")) return std::nullopt;
      return value_at(top_.find("secrets"), path.substr(8));
    };
    const std::string name = "prerequisites." + std::string(image.find("name")->text) + ".auth";
    const std::string value = render(password->text, secret);
    if (value == kCovered && !options_.allow_covered) {
      report_.error(password, "secret", say::value_was_covered());
    }
    out.password = report_.keep_secret(name, value, password);
  }
  role.image_auth = std::move(out);
}

}  // namespace ty::jobspec::openpai_v2
