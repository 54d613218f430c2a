#pragma once
#include <string_view>

namespace ty {

/// One entry of the catalogue that tools/gen-messages makes of all `messages.toml`.
struct Sentence {
  std::string_view code;
  std::string_view english;
  std::string_view chinese;
};

/// nullptr when no module says so.
const Sentence* find_sentence(std::string_view code);

}  // namespace ty
