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

namespace tls {
struct Context;
class Session;
}  // namespace tls

/// The bytes of one accepted socket, in and out, plain or encrypted, and how long either may take.
/// It knows nothing of HTTP. Lives on one thread; one read and one write may be under way at the
/// same time.
class Wire {
 public:
  using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp,
                                                  boost::asio::io_context::executor_type>;
  enum class Sent : std::uint8_t { All, Some, Failed };
  enum class Secured : std::uint8_t { Yes, NotTls, No };

  Wire(Socket socket, const TimeSource& time);
  ~Wire();

  /// From here on all bytes are encrypted. `NotTls`: the client speaks something else, plainly.
  boost::asio::awaitable<Secured> secure(std::shared_ptr<const tls::Context> context, Millis limit);
  bool is_secure() const { return tls_ != nullptr; }

  std::string peer() const;  ///< the other end's address, without port
  Socket::executor_type executor() { return socket_.get_executor(); }

  /// Some bytes into `room`; 0: no more will come, or the time was over (`expired`).
  boost::asio::awaitable<std::size_t> read(std::span<char> room);
  /// The last read gave nothing because the other side had properly ended.
  bool at_end() const { return at_end_; }
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
  enum class Seen : std::uint8_t { Nothing, Data, End };

  boost::asio::awaitable<bool> wait_writable(Millis patience);
  boost::asio::awaitable<std::size_t> read_secure(std::span<char> room);
  boost::asio::awaitable<bool> read_encrypted();  ///< false: the socket failed
  Sent send_secure(Pieces& pieces);
  Sent flush_secure();
  boost::asio::awaitable<bool> send_file_secure(
      int fd, std::uint64_t offset, std::uint64_t length, Millis patience, std::uint64_t& sent);
  void watch();
  Seen look();

  Socket socket_;
  const TimeSource& time_;
  std::unique_ptr<tls::Session> tls_;  ///< null: plain
  std::string gathered_;               ///< small pieces that share a record
  SteadyTime read_deadline_ = SteadyTime::max();
  SteadyTime write_deadline_ = SteadyTime::max();
  /// Shared with the callback that watches, which may run after this object is gone.
  std::shared_ptr<bool> watching_;
  std::function<void()> on_end_;
  bool expired_ = false;
  bool at_end_ = false;
};

}  // namespace ty::net
