#include "control/registries/old_registries_file.h"

#include <fmt/format.h>

#include <fstream>
#include <optional>
#include <sstream>

namespace ty::control {

namespace {

std::optional<std::string> from_hex(std::string_view word) {
  const auto digit = [](char c) { return c >= 'a' ? c - 'a' + 10 : c - '0'; };
  if (!word.starts_with('x') || word.size() % 2 == 0) return std::nullopt;
  if (word.find_first_not_of("0123456789abcdef", 1) != std::string_view::npos) return std::nullopt;
  std::string out;
  for (std::size_t i = 1; i < word.size(); i += 2)
    out.push_back(static_cast<char>(digit(word[i]) << 4 | digit(word[i + 1])));
  return out;
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
    auto name = from_hex(server);
    auto user = from_hex(username);
    auto secret = from_hex(password);
    if (!name || !user || !secret || (kind != "user" && kind != "workspace"))
      return fail(Errc::Invalid, fmt::format("{} is damaged; remove it to start anew", file));
    login.is_workspace = kind == "workspace";
    login.server = *std::move(name);
    login.username = *std::move(user);
    login.password = Secret(*std::move(secret));
    logins.push_back(std::move(login));
  }
  return logins;
}

}  // namespace ty::control
