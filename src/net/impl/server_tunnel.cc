#include "net/impl/server_tunnel.h"

#include <algorithm>

#include "net/messages.h"

namespace ty::net {

namespace asio = boost::asio;

asio::awaitable<Result<std::size_t>> ServerTunnel::read(std::span<char> into) {
  if (!input_.empty()) {
    const std::string_view ahead = input_.unread().substr(0, into.size());
    std::ranges::copy(ahead, into.begin());
    input_.used(ahead.size());
    co_return ahead.size();
  }
  const std::size_t got = co_await wire_.read(into);
  if (got > 0 || wire_.at_end()) co_return got;
  co_return fail(Errc::Unavailable, say::connection_broke_reading());
}

asio::awaitable<Result<void>> ServerTunnel::write(std::string_view bytes) {
  Pieces pieces;
  pieces.add(bytes);
  if (pieces.count == 0) co_return Result<void>{};
  const Wire::Sent sent = wire_.send_now(pieces);
  bool ok = sent == Wire::Sent::All;
  if (sent == Wire::Sent::Some) ok = co_await wire_.send_rest(pieces, write_time_);
  if (!ok) co_return fail(Errc::Unavailable, say::connection_broke_sending());
  sent_ += bytes.size();
  co_return Result<void>{};
}

}  // namespace ty::net
