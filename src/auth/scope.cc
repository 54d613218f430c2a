#include "auth/scope.h"

#include <array>

#include "auth/messages.h"
#include "base/text.h"

namespace ty::auth {

namespace {
constexpr std::array kAll = {Scope::Read, Scope::Write, Scope::Admin};

Result<void> add_word(Scopes& scopes, std::string_view word) {
  for (const Scope scope : kAll) {
    if (word == to_word(scope)) {
      scopes.add(scope);
      return {};
    }
  }
  return fail(Errc::Invalid, say::not_a_scope({.word = shorten(word, 30)}));
}

Result<Scopes> not_empty(Scopes scopes) {
  if (scopes.empty()) return fail(Errc::Invalid, say::no_scope());
  return scopes;
}
}  // namespace

std::string_view to_word(Scope scope) {
  switch (scope) {
    case Scope::Read:
      return "read";
    case Scope::Write:
      return "write";
    case Scope::Admin:
      return "admin";
  }
  return "read";
}

Scopes::Scopes(std::initializer_list<Scope> scopes) {
  for (const Scope scope : scopes) add(scope);
}

void Scopes::add(Scope scope) {
  // Read 1, Write 2, Admin 4: the bit and all below it.
  bits_ |= static_cast<std::uint8_t>((static_cast<unsigned>(scope) << 1) - 1);
}

std::string Scopes::str() const {
  std::string text;
  for (const Scope scope : kAll) {
    if (!has(scope)) continue;
    if (!text.empty()) text += ' ';
    text += to_word(scope);
  }
  return text;
}

Result<Scopes> parse_scopes(std::string_view text) {
  Scopes scopes;
  while (true) {
    const std::size_t start = text.find_first_not_of(" ,\t");
    if (start == std::string_view::npos) return not_empty(scopes);
    text.remove_prefix(start);
    const std::string_view word = text.substr(0, text.find_first_of(" ,\t"));
    TY_DO(add_word(scopes, word));
    text.remove_prefix(word.size());
  }
}

Result<Scopes> parse_scopes(const std::vector<std::string>& words) {
  Scopes scopes;
  for (const std::string& word : words) TY_DO(add_word(scopes, word));
  return not_empty(scopes);
}

}  // namespace ty::auth
