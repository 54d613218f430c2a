#pragma once
#include <string_view>

#include "base/message.h"

namespace ty::cli {

/// `zh`, `zh_CN.UTF-8`, … is Chinese, all else English.
Language language_named(std::string_view word);
/// What the person reads: LC_ALL, else LC_MESSAGES, else LANG, as other programs take it.
Language language_of_environment();

/// A job's state within a sentence; tables keep the word that `--state` takes.
Message state_in_words(std::string_view state);

}  // namespace ty::cli
