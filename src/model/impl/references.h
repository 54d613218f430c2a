#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "model/impl/job_facts.h"

namespace ty::model {

/// The value of a variable; null: there is none.
using Lookup = std::function<const std::string*(const std::string&)>;

/// `$(NAME)` replaced by its value; an unknown name stays as written, `$$(` is a plain `$(`.
std::string replace_references(std::string_view text, const Lookup& lookup);

/// Resolves the references between the role's own variables, and to the platform's.
void resolve_references(const EnvMap& own, Variables& out);

}  // namespace ty::model
