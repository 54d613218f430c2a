#pragma once
#include <cstddef>
#include <string_view>

namespace ty::api {

/// A file that travels inside the program; `embed.cmake` writes the table.
struct EmbeddedFile {
  std::string_view name;
  std::string_view bytes;
};
extern const EmbeddedFile kEmbedded[];
extern const std::size_t kEmbeddedCount;

/// It must exist: names are ours.
std::string_view embedded(std::string_view name);

}  // namespace ty::api
