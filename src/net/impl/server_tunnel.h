#pragma once
#include "net/impl/read_buffer.h"
#include "net/impl/wire.h"
#include "net/tunnel.h"

namespace ty::net {

/// An accepted connection after its last answer.
class ServerTunnel final : public Tunnel {
 public:
  /// `input` holds what the client has sent ahead.
  ServerTunnel(Wire& wire, ReadBuffer& input, Millis write_time)
      : wire_(wire), input_(input), write_time_(write_time) {}

  boost::asio::awaitable<Result<std::size_t>> read(std::span<char> into) override;
  boost::asio::awaitable<Result<void>> write(std::string_view bytes) override;
  void end() override { wire_.end_sending(); }
  void abort() override { wire_.close(); }
  void on_tick(std::function<void(SteadyTime)> tick) override { tick_ = std::move(tick); }
  void on_stop(std::function<void()> stop) override { stop_ = std::move(stop); }
  boost::asio::any_io_executor executor() override { return wire_.executor(); }

  void tick(SteadyTime now) {
    if (tick_) tick_(now);
  }
  /// False: nobody wants to know.
  bool stop() {
    if (stop_) stop_();
    return stop_ != nullptr;
  }
  std::uint64_t sent() const { return sent_; }

 private:
  Wire& wire_;
  ReadBuffer& input_;
  Millis write_time_;
  std::function<void(SteadyTime)> tick_;
  std::function<void()> stop_;
  std::uint64_t sent_ = 0;
};

}  // namespace ty::net
