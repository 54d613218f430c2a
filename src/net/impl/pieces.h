#pragma once
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace ty::net {

/// What is still to be sent: up to three pieces, shrinking from the front.
struct Pieces {
  std::array<iovec, 3> at{};
  std::size_t count = 0;

  void add(std::string_view bytes) {
    if (bytes.empty()) return;
    at[count++] = {const_cast<char*>(bytes.data()), bytes.size()};
  }

  std::string_view front() const {
    return {static_cast<const char*>(at[0].iov_base), at[0].iov_len};
  }

  /// True when nothing is left.
  bool drop(std::size_t sent) {
    std::size_t done = 0;
    while (done < count && sent >= at[done].iov_len) sent -= at[done++].iov_len;
    std::move(at.begin() + static_cast<std::ptrdiff_t>(done),
              at.begin() + static_cast<std::ptrdiff_t>(count),
              at.begin());
    count -= done;
    if (count == 0) return true;
    at[0].iov_base = static_cast<char*>(at[0].iov_base) + sent;
    at[0].iov_len -= sent;
    return false;
  }
};

}  // namespace ty::net
