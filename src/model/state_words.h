#pragma once
#include "base/message.h"
#include "model/states.h"

namespace ty::model {

/// The state within a sentence, in the reader's language. Tables, filters and programs use
/// `to_word`.
Message in_words(JobState state);

}  // namespace ty::model
