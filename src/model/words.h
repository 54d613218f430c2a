#pragma once
#include <optional>
#include <string_view>

#include "model/job_spec.h"
#include "model/states.h"

/// The one spelling of every enumerator, for JSON, SQL, CLI and page alike. `from_word<E>` is the
/// inverse of `to_word`; both walk the same table in words.cc.
namespace ty::model {

template <class E>
std::string_view to_word(E value);
template <class E>
std::optional<E> from_word(std::string_view word);
/// All words of an enumeration, in order, for messages that list the choices.
template <class E>
std::string_view words();  // "low, normal, high"

}  // namespace ty::model
