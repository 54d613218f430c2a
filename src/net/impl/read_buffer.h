#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace ty::net {

/// Bytes that arrived and were not used yet. What is used moves the beginning; only when there is
/// no room behind the rest is it copied to the front, and only when that does not help the buffer
/// grows.
class ReadBuffer {
 public:
  explicit ReadBuffer(std::size_t size) : bytes_(size) {}

  std::string_view unread() const { return {bytes_.data() + begin_, end_ - begin_}; }
  bool empty() const { return begin_ == end_; }
  void used(std::size_t count) { begin_ += count; }
  void clear() { begin_ = end_ = 0; }

  /// Room for more, never none; then `arrived`.
  std::span<char> room() {
    if (empty()) {
      clear();
    } else if (begin_ > 0 && end_ == bytes_.size()) {
      std::copy(bytes_.begin() + static_cast<std::ptrdiff_t>(begin_), bytes_.end(), bytes_.begin());
      end_ -= begin_;
      begin_ = 0;
    }
    if (end_ == bytes_.size()) bytes_.resize(bytes_.size() * 2);
    return std::span(bytes_).subspan(end_);
  }
  void arrived(std::size_t count) { end_ += count; }

  void grow_to(std::size_t size) {
    if (bytes_.size() < size) bytes_.resize(size);
  }
  /// Gives memory back, when nothing is in it.
  void shrink_to(std::size_t size) {
    if (!empty() || bytes_.size() <= size) return;
    bytes_ = std::vector<char>(size);
    clear();
  }

 private:
  std::vector<char> bytes_;
  std::size_t begin_ = 0;  // unread is [begin_, end_)
  std::size_t end_ = 0;
};

}  // namespace ty::net
