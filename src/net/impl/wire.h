#pragma once
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/time.h"
#include "net/impl/pieces.h"
#include "net/time_source.h"

namespace ty::net {

/// The bytes of one accepted socket, in and out, and how long either may take. It knows nothing of
/// HTTP. Lives on one thread; one read and one write may be under way at the same time.
class Wire {
 public:
  using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp,
                                                  boost::asio::io_context::executor_type>;
  enum class Sent : std::uint8_t { All, Some, Failed };

  Wire(Socket socket, const TimeSource& time);

  std::string peer() const;  ///< the other end's address, without port
  Socket::executor_type executor() { return socket_.get_executor(); }

  /// Some bytes into `room`; 0: no more will come, or the time was over (`expired`).
  boost::asio::awaitable<std::size_t> read(std::span<char> room);
  /// As much as the kernel takes at once; `more` says that further bytes follow at once.
  Sent send_now(Pieces& pieces, bool more = false);
  /// The rest, with `patience` for each step; false: the client is gone or too slow.
  boost::asio::awaitable<bool> send_rest(Pieces pieces, Millis patience);
  /// Bytes of a file, counted into `sent`; false also when the file is shorter.
  boost::asio::awaitable<bool> send_file(
      int fd, std::uint64_t offset, std::uint64_t length, Millis patience, std::uint64_t& sent);
  /// Nothing more will be sent.
  bool end_sending();

  /// Reading must be over by then; a limit stays until it is replaced.
  void read_until(SteadyTime deadline) { read_deadline_ = deadline; }
  void read_within(Millis limit) { read_deadline_ = time_.now() + limit; }
  void read_without_limit() { read_deadline_ = SteadyTime::max(); }
  SteadyTime read_deadline() const { return read_deadline_; }
  SteadyTime now() const { return time_.now(); }
  /// A deadline has passed since this was last forgotten.
  bool expired() const { return expired_; }
  void forget_expiry() { expired_ = false; }
  /// Ends what has taken too long. Called a few times a second.
  void sweep(SteadyTime now);

  /// Calls `gone` once when the other side goes away while nobody reads.
  void watch_for_end(std::function<void()> gone);
  void stop_watching();

  void cancel();
  void close();

 private:
  boost::asio::awaitable<bool> wait_writable(Millis patience);

  Socket socket_;
  const TimeSource& time_;
  SteadyTime read_deadline_ = SteadyTime::max();
  SteadyTime write_deadline_ = SteadyTime::max();
  /// Shared with the callback that watches, which may run after this object is gone.
  std::shared_ptr<bool> watching_;
  bool expired_ = false;
};

}  // namespace ty::net
