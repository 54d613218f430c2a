#pragma once
#include <boost/asio/ip/address.hpp>
#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace ty::net {

/// Who is at the other end, as far as limits go: an IPv4 address, or the half of an IPv6 address
/// that a network is given, since a single machine may use all of the other half.
using Peer = std::uint64_t;

inline Peer peer_of(const boost::asio::ip::address& address) {
  namespace ip = boost::asio::ip;
  if (address.is_v4()) return address.to_v4().to_uint();
  const ip::address_v6 v6 = address.to_v6();
  if (v6.is_v4_mapped()) return ip::make_address_v4(ip::v4_mapped, v6).to_uint();
  Peer half = 0;
  const auto bytes = v6.to_bytes();
  for (std::size_t i = 0; i < sizeof half; ++i) half = half << 8 | bytes[i];
  return half;
}

/// How many connections each has. Any thread.
class PeerCounts {
 public:
  void add(Peer peer) {
    const std::lock_guard lock(mutex_);
    ++counts_[peer];
  }
  void remove(Peer peer) {
    const std::lock_guard lock(mutex_);
    const auto at = counts_.find(peer);
    if (at != counts_.end() && --at->second == 0) counts_.erase(at);
  }
  std::uint64_t of(Peer peer) const {
    const std::lock_guard lock(mutex_);
    const auto at = counts_.find(peer);
    return at == counts_.end() ? 0 : at->second;
  }
  /// Who has the most; 0 when nobody has any.
  Peer largest() const {
    const std::lock_guard lock(mutex_);
    Peer found = 0;
    std::uint64_t most = 0;
    for (const auto& [peer, count] : counts_) {
      if (count > most) {
        most = count;
        found = peer;
      }
    }
    return found;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<Peer, std::uint64_t> counts_;
};

}  // namespace ty::net
