#pragma once
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/role.hpp>
#include <memory>
#include <string>
#include <utility>

#include "net/tunnel.h"

namespace ty::net {

/// A tunnel as Beast wants its streams. Only the WebSocket includes this.
class TunnelStream {
 public:
  using executor_type = boost::asio::any_io_executor;
  using ErrorCode = boost::system::error_code;

  /// Seen from outside while Beast owns the stream.
  struct Traffic {
    std::uint64_t received = 0;
    int under_way = 0;     ///< operations whose end is still to be told
    bool swallow = false;  ///< what Beast writes goes nowhere: somebody else has written it
    std::function<void()> settled;  ///< called when nothing is under way any more
  };

  TunnelStream(Tunnel& tunnel, std::shared_ptr<Traffic> traffic)
      : tunnel_(&tunnel), traffic_(std::move(traffic)) {}

  executor_type get_executor() { return tunnel_->executor(); }
  Tunnel& tunnel() { return *tunnel_; }

  template <class Buffers, class Handler>
  void async_read_some(const Buffers& buffers, Handler&& handler) {
    std::span<char> room;
    for (auto at = boost::asio::buffer_sequence_begin(buffers);
         room.empty() && at != boost::asio::buffer_sequence_end(buffers);
         ++at) {
      const boost::asio::mutable_buffer one = *at;
      room = {static_cast<char*>(one.data()), one.size()};
    }
    start(receive(*tunnel_, traffic_, room), std::forward<Handler>(handler));
  }

  template <class Buffers, class Handler>
  void async_write_some(const Buffers& buffers, Handler&& handler) {
    // The head of a frame is a few bytes: it leaves together with what follows.
    std::string_view bytes;
    head_.clear();
    for (auto at = boost::asio::buffer_sequence_begin(buffers);
         at != boost::asio::buffer_sequence_end(buffers);
         ++at) {
      const boost::asio::const_buffer one = *at;
      bytes = {static_cast<const char*>(one.data()), one.size()};
      if (head_.empty() && bytes.size() >= kSmall) break;
      head_.append(bytes.substr(0, kGathered - head_.size()));
      bytes = {};
      if (head_.size() == kGathered) break;
    }
    start(send(*tunnel_, traffic_, head_.empty() ? bytes : std::string_view(head_)),
          std::forward<Handler>(handler));
  }

 private:
  using Work = boost::asio::awaitable<std::pair<ErrorCode, std::size_t>>;
  static constexpr std::size_t kSmall = 64;
  static constexpr std::size_t kGathered = std::size_t{16} * 1024;

  static Work receive(Tunnel& tunnel, std::shared_ptr<Traffic> traffic, std::span<char> room) {
    const auto got = co_await tunnel.read(room);
    if (!got) co_return std::pair(ErrorCode(boost::asio::error::connection_reset), std::size_t{0});
    traffic->received += *got;
    if (*got == 0) co_return std::pair(ErrorCode(boost::asio::error::eof), std::size_t{0});
    co_return std::pair(ErrorCode(), *got);
  }
  static Work send(Tunnel& tunnel, std::shared_ptr<Traffic> traffic, std::string_view bytes) {
    if (!traffic->swallow) {
      const auto written = co_await tunnel.write(bytes);
      if (!written)
        co_return std::pair(ErrorCode(boost::asio::error::connection_reset), std::size_t{0});
    }
    co_return std::pair(ErrorCode(), bytes.size());
  }

  template <class Handler>
  void start(Work work, Handler&& handler) {
    namespace asio = boost::asio;
    const auto slot = asio::get_associated_cancellation_slot(handler);
    const auto executor = asio::get_associated_executor(handler, get_executor());
    ++traffic_->under_way;
    auto finish = [executor, traffic = traffic_, handler = std::forward<Handler>(handler)](
                      std::exception_ptr thrown, std::pair<ErrorCode, std::size_t> done) mutable {
      if (thrown) done = {asio::error::operation_aborted, 0};
      // Posted: Beast must not be called back from inside the call that started this.
      auto tell = [traffic = std::move(traffic), handler = std::move(handler), done]() mutable {
        --traffic->under_way;
        std::move(handler)(done.first, done.second);
        if (traffic->under_way == 0 && traffic->settled) traffic->settled();
      };
      asio::post(executor, std::move(tell));
    };
    asio::co_spawn(
        get_executor(), std::move(work), asio::bind_cancellation_slot(slot, std::move(finish)));
  }

  Tunnel* tunnel_;
  std::shared_ptr<Traffic> traffic_;
  std::string head_;
};

inline void beast_close_socket(TunnelStream& stream) { stream.tunnel().abort(); }

inline void teardown(boost::beast::role_type, TunnelStream& stream, TunnelStream::ErrorCode&) {
  stream.tunnel().end();
}

template <class Handler>
void async_teardown(boost::beast::role_type, TunnelStream& stream, Handler&& handler) {
  stream.tunnel().end();
  boost::asio::post(stream.get_executor(), [handler = std::forward<Handler>(handler)]() mutable {
    std::move(handler)(TunnelStream::ErrorCode());
  });
}

}  // namespace ty::net
