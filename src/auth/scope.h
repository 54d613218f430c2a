#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ty::auth {

/// What a token may be used for. A scope only ever narrows what its owner may do anyway.
enum class Scope : std::uint8_t {
  Read = 1,   ///< look at things
  Write = 2,  ///< submit, stop, change
  Admin = 4,  ///< use the owner's rights as administrator
};
std::string_view to_word(Scope scope);

/// A set of scopes. Write implies Read and Admin implies both, so `{Admin}` alone is a useful
/// token.
class Scopes {
 public:
  Scopes() = default;
  Scopes(std::initializer_list<Scope> scopes);
  static Scopes all() { return {Scope::Admin}; }

  bool has(Scope scope) const { return (bits_ & static_cast<std::uint8_t>(scope)) != 0; }
  bool empty() const { return bits_ == 0; }
  void add(Scope scope);
  /// True when `other` asks for nothing that this set lacks: a token may only make lesser tokens.
  bool covers(Scopes other) const { return (other.bits_ & ~bits_) == 0; }
  /// `read write`: the spelling kept in the store and shown to people.
  std::string str() const;
  auto operator<=>(const Scopes&) const = default;

 private:
  std::uint8_t bits_ = 0;
};

/// Words separated by blanks or commas. Unknown or no words are Errc::Invalid, with the choices.
Result<Scopes> parse_scopes(std::string_view text);
Result<Scopes> parse_scopes(const std::vector<std::string>& words);

}  // namespace ty::auth
