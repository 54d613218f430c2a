#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ty::jobspec {

/// A text as one YAML scalar, bare where that is safe, inside `{}` and `[]` too.
std::string yaml_text(std::string_view text);

/// `[a, b]` and `{a: 1, b: 2}` of parts that are YAML already.
std::string yaml_list(const std::vector<std::string>& items);
std::string yaml_map(const std::vector<std::pair<std::string, std::string>>& entries);

/// Whether a text of several lines reads better, and reads back the same, as a `|` block.
bool fits_block(std::string_view text);

/// Lines of `key: value` at one depth.
class YamlWriter {
 public:
  void value(std::string_view key, const std::string& yaml);
  /// Several lines as a block, else one scalar.
  void text(std::string_view key, std::string_view text);
  void open(std::string_view key);
  void close() { depth_ -= 2; }
  std::string take() { return std::move(out_); }

 private:
  void begin(std::string_view key);
  std::string out_;
  std::size_t depth_ = 0;
};

}  // namespace ty::jobspec
