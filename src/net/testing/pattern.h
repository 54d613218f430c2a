#pragma once
#include <cstdint>
#include <string>

namespace ty::net {

/// Bytes that look random and are the same every time.
inline std::string pattern(std::size_t size, std::uint32_t seed = 1) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) {
    seed = seed * 1664525 + 1013904223;
    byte = static_cast<char>(seed >> 24);
  }
  return bytes;
}

}  // namespace ty::net
