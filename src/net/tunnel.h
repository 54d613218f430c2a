#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "net/time_source.h"

namespace ty::net {

/// A connection that is no longer HTTP: bytes in both directions. One read and one write may be
/// under way at the same time, both on `executor`. Each waits for the other side: who reads slowly
/// holds back who writes.
class Tunnel {
 public:
  virtual ~Tunnel() = default;

  /// Some bytes; 0 when the other side has ended.
  virtual boost::asio::awaitable<Result<std::size_t>> read(std::span<char> into) = 0;
  /// All of them; they must stay valid until this returns.
  virtual boost::asio::awaitable<Result<void>> write(std::string_view bytes) = 0;
  /// Nothing more will be written; reading goes on.
  virtual void end() = 0;
  /// Closes both directions; what is under way fails.
  virtual void abort() = 0;

  /// Called a few times a second with the time, by the server's tunnels; a client's has no clock.
  virtual void on_tick(std::function<void(SteadyTime now)> tick) = 0;
  /// Called when the server stops, instead of cancelling whoever uses the tunnel: they should end
  /// soon.
  virtual void on_stop(std::function<void()> stop) = 0;

  virtual boost::asio::any_io_executor executor() = 0;
};

struct Relayed {
  std::uint64_t forth = 0;  ///< bytes from the first to the second
  std::uint64_t back = 0;
};

/// Carries bytes both ways until both sides have ended or one breaks; nothing in either direction
/// for `idle` is a `Timeout`. Both must have the same executor, and one must be a server's. Both
/// are closed afterwards.
boost::asio::awaitable<Result<Relayed>> relay(Tunnel& first, Tunnel& second, Millis idle);

}  // namespace ty::net
