#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ty::net {

/// Header fields in the order they were added. Names compare without regard to case. All text lives
/// in one string, so a connection that reuses the object parses request after request without
/// allocating.
class Headers {
 public:
  struct Field {
    std::string_view name;
    std::string_view value;
  };

  /// Line breaks and NUL in a value become blanks: no value can smuggle in another field.
  void add(std::string_view name, std::string_view value);
  /// Replaces every field of that name.
  void set(std::string_view name, std::string_view value);
  void remove(std::string_view name);
  void clear();

  /// The first field of that name; empty when absent. Valid until the object changes.
  std::string_view get(std::string_view name) const;
  bool has(std::string_view name) const;
  std::size_t count(std::string_view name) const;
  /// Whether a comma-separated field (Connection, Accept-Encoding, …) holds this token, in any of
  /// its lines.
  bool has_token(std::string_view name, std::string_view token) const;

  std::size_t size() const { return spans_.size(); }
  Field operator[](std::size_t i) const;

 private:
  struct Span {
    std::uint32_t at;
    std::uint32_t name_size;
    std::uint32_t value_size;
  };
  std::string text_;
  std::vector<Span> spans_;
};

bool same_text_ignoring_case(std::string_view a, std::string_view b);

}  // namespace ty::net
