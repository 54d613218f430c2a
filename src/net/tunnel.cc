#include "net/tunnel.h"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <vector>

#include "net/messages.h"

namespace ty::net {

namespace asio = boost::asio;
using namespace asio::experimental::awaitable_operators;

namespace {

constexpr std::size_t kPiece = std::size_t{64} * 1024;

/// One direction. When it breaks, so does the other: half of a conversation is of no use.
asio::awaitable<Result<void>> carry(Tunnel& from, Tunnel& to, std::uint64_t& moved) {
  std::vector<char> piece(kPiece);
  Result<void> outcome;
  for (;;) {
    Result<std::size_t> got = co_await from.read(piece);
    if (!got) {
      outcome = std::unexpected(std::move(got).error());
      break;
    }
    if (*got == 0) {
      to.end();
      co_return outcome;
    }
    outcome = co_await to.write({piece.data(), *got});
    if (!outcome) break;
    moved += *got;
  }
  from.abort();
  to.abort();
  co_return outcome;
}

}  // namespace

asio::awaitable<Result<Relayed>> relay(Tunnel& first, Tunnel& second, Millis idle) {
  Relayed moved;
  bool is_idle = false;
  auto look = [&, last = std::uint64_t{0}, since = SteadyTime()](SteadyTime now) mutable {
    if (const std::uint64_t sum = moved.forth + moved.back; sum != last || since == SteadyTime()) {
      last = sum;
      since = now;
    }
    if (now - since < idle) return;
    is_idle = true;
    first.abort();
    second.abort();
  };
  first.on_tick(look);
  second.on_tick(look);
  const auto [forth, back] =
      co_await (carry(first, second, moved.forth) && carry(second, first, moved.back));
  first.on_tick({});
  second.on_tick({});
  first.abort();
  second.abort();
  if (is_idle) co_return fail(Errc::Timeout, say::tunnel_idle());
  if (!forth) co_return std::unexpected(forth.error());
  if (!back) co_return std::unexpected(back.error());
  co_return moved;
}

}  // namespace ty::net
