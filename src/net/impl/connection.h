#pragma once
#include <sys/uio.h>

#include <array>
#include <atomic>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "net/http_server.h"
#include "net/impl/message_parser.h"
#include "net/impl/read_buffer.h"

namespace ty::net {

using SteadyTime = std::chrono::steady_clock::time_point;

/// The kernel's coarse clock: a few milliseconds off, and far cheaper than the fine one.
SteadyTime coarse_now();

/// A Date field's value, made once a second.
class DateText {
 public:
  std::string_view now();

 private:
  std::time_t second_ = 0;
  std::string text_;
};

/// What all connections of one thread share.
struct ConnectionContext {
  const ServerOptions& options;
  const Handler& handler;
  const std::function<void(const Exchange&)>& done;
  std::string id_prefix;  ///< of request ids; differs between threads and runs
  std::uint64_t requests = 0;
  bool stopping = false;
  DateText date = {};
};

/// One accepted socket: reads requests, calls the handler, writes answers, until either side has
/// had enough. Lives on one thread; `run` is its coroutine, everything else is called by the worker
/// on the same thread.
class Connection final : private BodySource, private BodyWriter {
 public:
  using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp,
                                                  boost::asio::io_context::executor_type>;

  Connection(Socket socket, ConnectionContext& context);

  boost::asio::awaitable<void> run();

  /// Ends what has taken too long. Called a few times a second.
  void sweep(SteadyTime now);
  /// The server is stopping: idle connections and endless streams end at once, the rest after their
  /// answer.
  void stop_soon();
  /// Time is up.
  void stop_now();

  /// The slot under which `run` was spawned.
  boost::asio::cancellation_signal cancel;

 private:
  enum class Phase : std::uint8_t { Idle, Head, Handler, Stream, Linger };
  enum class Sent : std::uint8_t { All, Some, Failed };

  /// What is still to be sent: up to three pieces, shrinking from the front.
  struct Pieces {
    std::array<iovec, 3> at{};
    std::size_t count = 0;
    void add(std::string_view bytes);
    bool drop(std::size_t sent);  ///< true when nothing is left
  };

  boost::asio::awaitable<bool> read_head(std::optional<Problem>& fault);
  boost::asio::awaitable<std::size_t> fill();  ///< more bytes into the buffer; 0: no more will come
  void prepare_request();
  boost::asio::awaitable<Response> call_handler();
  Response failed(const char* why);
  bool decide_keep(const Response& response) const;
  void write_head(const Response& response, std::optional<std::uint64_t> length, bool keep);
  boost::asio::awaitable<bool> send(Response& response, bool keep);
  boost::asio::awaitable<bool> send_stream(StreamBody& stream);
  Sent send_now(Pieces& pieces, int flags = 0);
  boost::asio::awaitable<bool> send_rest(Pieces pieces, Millis patience);
  boost::asio::awaitable<bool> send_file(int fd, std::uint64_t offset, std::uint64_t length);
  boost::asio::awaitable<bool> wait_writable(Millis patience);
  boost::asio::awaitable<void> skip_body();
  boost::asio::awaitable<void> linger();
  void watch_for_close();
  void close();

  // BodySource, for the request under way
  boost::asio::awaitable<Result<std::string_view>> read_some() override;
  // BodyWriter, for the streamed answer under way
  boost::asio::awaitable<Result<void>> write(std::string_view bytes) override;
  boost::asio::awaitable<Result<void>> write_file(int fd,
                                                  std::uint64_t offset,
                                                  std::uint64_t length) override;
  bool gone() const override { return gone_; }
  Result<void> may_write(std::uint64_t bytes);

  Socket socket_;
  ConnectionContext& context_;
  Request request_;
  std::optional<RequestParser> parser_place_;  ///< a parser reads one message; made anew for each
  RequestParser* parser_ = nullptr;
  ReadBuffer input_;
  std::string out_;
  SteadyTime deadline_ = SteadyTime::max();
  SteadyTime body_began_;
  std::uint64_t body_received_ = 0;
  std::uint64_t sent_ = 0;                    ///< body bytes of this answer
  std::optional<std::uint64_t> stream_left_;  ///< of a stream with a length
  /// Shared with the callback that watches for the client's end, which may run after this object is
  /// gone.
  std::shared_ptr<bool> watching_;
  Phase phase_ = Phase::Idle;
  bool input_broken_ = false;   ///< what follows in the input cannot be trusted
  bool want_continue_ = false;  ///< the client waits for 100 Continue before it sends its body
  bool expired_ = false;
  bool gone_ = false;
  bool chunked_ = false;
  bool endless_ = false;
};

}  // namespace ty::net
