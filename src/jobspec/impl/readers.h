#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "jobspec/impl/tree.h"
#include "jobspec/impl/tree_builder.h"

namespace ty::jobspec {

/// What a reader found wrong. `fatal`: the tree is not complete.
struct Syntax {
  std::optional<SyntaxFault> fatal;
  std::vector<SyntaxFault> faults;
};

/// JSON with comments (`#`, `//`, `/* */`) and trailing commas. One document.
Syntax read_json(std::string_view source, Tree& tree);

/// YAML: any number of documents; anchors, aliases and `<<` resolved within limits; tags refused.
Syntax read_yaml(std::string_view source, Tree& tree);

/// Offset of the first byte that is neither blank nor inside a comment.
std::size_t skip_blanks_and_comments(std::string_view source, std::size_t from);

/// YAML, or JSON where it begins like JSON. `tree` is replaced.
Syntax read_tree(std::string_view source, std::optional<Tree>& tree);

}  // namespace ty::jobspec
