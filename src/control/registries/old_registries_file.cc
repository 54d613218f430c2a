#include "control/registries/old_registries_file.h"

#include <fstream>
#include <optional>
#include <sstream>

#include "base/encoding.h"
#include "control/messages.h"

namespace ty::control {

namespace {

std::optional<std::string> text_of(std::string_view word) {
  return word.starts_with('x') ? from_hex(word.substr(1)) : std::nullopt;
}

}  // namespace

Result<std::vector<OldRegistryLogin>> read_old_registries(const std::string& file) {
  std::vector<OldRegistryLogin> logins;
  std::ifstream in(file);
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::string kind, server, username, password;
    OldRegistryLogin login;
    words >> kind >> login.id >> server >> username >> password;
    auto name = text_of(server);
    auto user = text_of(username);
    auto secret = text_of(password);
    if (!name || !user || !secret || (kind != "user" && kind != "workspace"))
      return fail(Errc::Invalid, say::old_registries_damaged({.file = file}));
    login.is_workspace = kind == "workspace";
    login.server = *std::move(name);
    login.username = *std::move(user);
    login.password = Secret(*std::move(secret));
    logins.push_back(std::move(login));
  }
  return logins;
}

}  // namespace ty::control
