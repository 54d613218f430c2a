#pragma once
#include <string>

namespace ty::jobspec::openpai_v1 {

/// JSON Schema (Draft-07) for editors.
std::string schema();

}  // namespace ty::jobspec::openpai_v1
