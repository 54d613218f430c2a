#include "cli/language.h"

#include <cstdlib>
#include <string_view>

#include "model/state_words.h"
#include "model/words.h"

namespace ty::cli {

Language language_named(std::string_view word) {
  return word.starts_with("zh") ? Language::Chinese : Language::English;
}

Language language_of_environment() {
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return language_named(value);
  }
  return Language::English;
}

Message state_in_words(std::string_view state) {
  const auto known = model::from_word<model::JobState>(state);
  return known ? in_words(*known) : plain(state);
}

}  // namespace ty::cli
