#pragma once
#include <arpa/inet.h>

#include <array>
#include <string>

namespace ty::net {

/// `10.0.0.1`, `::1`: what needs no name to be looked up.
inline bool is_ip_address(const std::string& host) {
  std::array<unsigned char, 16> bytes{};
  return ::inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

}  // namespace ty::net
