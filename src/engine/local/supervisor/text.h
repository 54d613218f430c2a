#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace ty::supervisor {

/// A short text built in place: no allocation, cut at N - 1 bytes, always terminated.
template <std::size_t N>
class Text {
 public:
  Text() { bytes_[0] = '\0'; }
  Text& add(std::string_view part) {
    const std::size_t room = N - 1 - size_;
    const std::size_t n = part.size() < room ? part.size() : room;
    std::memcpy(bytes_ + size_, part.data(), n);
    size_ += n;
    bytes_[size_] = '\0';
    return *this;
  }
  Text& add(std::int64_t number) {
    char digits[24];
    std::size_t at = sizeof(digits);
    const bool is_negative = number < 0;
    auto rest =
        is_negative ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
    do {
      digits[--at] = static_cast<char>('0' + rest % 10);
      rest /= 10;
    } while (rest != 0);
    if (is_negative) digits[--at] = '-';
    return add(std::string_view(digits + at, sizeof(digits) - at));
  }
  /// Text from elsewhere, on one line whatever it holds.
  Text& add_line_of(std::string_view part) {
    const std::size_t from = size_;
    add(part);
    for (std::size_t i = from; i < size_; ++i) {
      if (static_cast<unsigned char>(bytes_[i]) < ' ') bytes_[i] = ' ';
    }
    return *this;
  }
  const char* c_str() const { return bytes_; }
  std::string_view view() const { return {bytes_, size_}; }
  bool is_full() const { return size_ == N - 1; }

 private:
  char bytes_[N];
  std::size_t size_ = 0;
};

/// A path; longer ones than the kernel takes are cut and then fail there.
using Path = Text<4200>;

/// The number in decimal digits that is all of `text`; false for anything else.
inline bool read_number(std::string_view text, std::int64_t& out) {
  if (text.empty() || text.size() > 18) return false;
  std::int64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    value = value * 10 + (c - '0');
  }
  out = value;
  return true;
}

}  // namespace ty::supervisor
