#pragma once
#include <span>
#include <string_view>

namespace ty::api {

/// A file that travels inside the program; `embed.cmake` writes the table.
struct EmbeddedFile {
  std::string_view name;
  std::string_view bytes;
};
std::span<const EmbeddedFile> embedded_files();

/// It must exist: names are ours.
std::string_view embedded(std::string_view name);

}  // namespace ty::api
