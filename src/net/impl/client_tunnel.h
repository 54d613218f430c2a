#pragma once
#include <algorithm>
#include <memory>

#include "net/impl/client_connection.h"
#include "net/tunnel.h"

namespace ty::net {

/// A client's connection after the other side has agreed to speak something else.
class ClientTunnel final : public Tunnel {
 public:
  explicit ClientTunnel(std::unique_ptr<ClientConnection> connection)
      : connection_(std::move(connection)) {}

  boost::asio::awaitable<Result<std::size_t>> read(std::span<char> into) override {
    const std::string_view ahead = connection_->unread().substr(0, into.size());
    if (ahead.empty()) return connection_->read(into);
    std::ranges::copy(ahead, into.begin());
    connection_->used(ahead.size());
    return ready(ahead.size());
  }
  boost::asio::awaitable<Result<void>> write(std::string_view bytes) override {
    return connection_->write(bytes);
  }
  void end() override { connection_->end_sending(); }
  void abort() override { connection_->close(); }
  void on_tick(std::function<void(SteadyTime)>) override {}
  void on_stop(std::function<void()>) override {}
  boost::asio::any_io_executor executor() override { return connection_->executor(); }

 private:
  static boost::asio::awaitable<Result<std::size_t>> ready(std::size_t bytes) { co_return bytes; }

  std::unique_ptr<ClientConnection> connection_;
};

}  // namespace ty::net
