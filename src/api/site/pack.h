#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ty::api::site {

/// One built file of the page as it travels in the program: compressed already, both ways browsers
/// ask for. The bytes live as long as what they were read from.
struct PageFile {
  std::string_view name;  ///< `assets/index-4f9c.js`
  std::string_view type;
  std::size_t size = 0;  ///< uncompressed
  std::string_view brotli;
  std::string_view gzip;

  /// For clients that want neither.
  Result<std::string> plain() const;
};

/// What web/scripts/pack.mjs writes. Read once, then shared by all threads.
class PagePack {
 public:
  static Result<PagePack> read(std::string_view bytes);

  /// Null when there is no such file.
  const PageFile* find(std::string_view name) const;
  const std::vector<PageFile>& files() const { return files_; }

 private:
  std::vector<PageFile> files_;  ///< by name
};

/// The page of this program.
const PagePack& page_pack();

}  // namespace ty::api::site
