#include "net/impl/wire.h"

#include <sys/sendfile.h>
#include <sys/socket.h>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "net/impl/tls_session.h"

namespace ty::net {

namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;

namespace {

constexpr std::size_t kFilePiece = std::size_t{1024} * 1024;

bool is_full(ssize_t result) { return result < 0 && (errno == EAGAIN || errno == EWOULDBLOCK); }

}  // namespace

Wire::Wire(Socket socket, const TimeSource& time) : socket_(std::move(socket)), time_(time) {
  ErrorCode ignored;
  socket_.native_non_blocking(true, ignored);
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  socket_.set_option(asio::socket_base::keep_alive(true), ignored);
}

Wire::~Wire() = default;

std::string Wire::peer() const {
  ErrorCode ignored;
  return socket_.remote_endpoint(ignored).address().to_string();
}

asio::awaitable<std::size_t> Wire::read(std::span<char> room) {
  if (tls_) co_return co_await read_secure(room);
  ErrorCode ec;
  const std::size_t got = co_await socket_.async_read_some(
      asio::buffer(room.data(), room.size()), asio::redirect_error(asio::use_awaitable, ec));
  at_end_ = ec == asio::error::eof;
  co_return ec ? 0 : got;
}

Wire::Sent Wire::send_now(Pieces& pieces, bool more) {
  if (tls_) return send_secure(pieces);
  for (;;) {
    msghdr message{};
    message.msg_iov = pieces.at.data();
    message.msg_iovlen = pieces.count;
    const ssize_t sent = ::sendmsg(
        socket_.native_handle(), &message, MSG_NOSIGNAL | MSG_DONTWAIT | (more ? MSG_MORE : 0));
    if (sent < 0) {
      if (errno == EINTR) continue;
      return is_full(sent) ? Sent::Some : Sent::Failed;
    }
    if (pieces.drop(static_cast<std::size_t>(sent))) return Sent::All;
  }
}

asio::awaitable<bool> Wire::wait_writable(Millis patience) {
  write_deadline_ = time_.now() + patience;
  ErrorCode ec;
  co_await socket_.async_wait(Socket::wait_write, asio::redirect_error(asio::use_awaitable, ec));
  write_deadline_ = SteadyTime::max();
  co_return !ec;
}

asio::awaitable<bool> Wire::send_rest(Pieces pieces, Millis patience) {
  for (;;) {
    if (!co_await wait_writable(patience)) co_return false;
    const Sent sent = send_now(pieces);
    if (sent != Sent::Some) co_return sent == Sent::All;
  }
}

asio::awaitable<bool> Wire::send_file(
    int fd, std::uint64_t offset, std::uint64_t length, Millis patience, std::uint64_t& sent) {
  if (tls_) co_return co_await send_file_secure(fd, offset, length, patience, sent);
  auto from = static_cast<off_t>(offset);
  while (length > 0) {
    const ssize_t moved =
        ::sendfile(socket_.native_handle(), fd, &from, std::min<std::uint64_t>(length, kFilePiece));
    if (moved > 0) {
      length -= static_cast<std::uint64_t>(moved);
      sent += static_cast<std::uint64_t>(moved);
      continue;
    }
    const bool full = is_full(moved);
    if (full && co_await wait_writable(patience)) continue;
    if (moved < 0 && !full && errno == EINTR) continue;
    co_return false;  // the client is gone, or the file is shorter than promised
  }
  co_return true;
}

bool Wire::end_sending() {
  if (tls_) {
    tls_->say_goodbye();
    flush_secure();
  }
  ErrorCode ec;
  socket_.shutdown(Socket::shutdown_send, ec);
  return !ec;
}

void Wire::sweep(SteadyTime now) {
  if (now < read_deadline_ && now < write_deadline_) return;
  read_deadline_ = write_deadline_ = SteadyTime::max();
  expired_ = true;
  cancel();
}

void Wire::watch_for_end(std::function<void()> gone) {
  on_end_ = std::move(gone);
  watching_ = std::make_shared<bool>(true);
  watch();
}

void Wire::watch() {
  socket_.async_wait(Socket::wait_read, [this, watching = watching_](const ErrorCode& ec) {
    if (ec || !*watching) return;
    switch (look()) {
      case Seen::Nothing:
        return watch();
      case Seen::Data:
        return;  // the next request, sent ahead; from now on the end shows only when writing fails
      case Seen::End:
        return on_end_();
    }
  });
}

Wire::Seen Wire::look() {
  if (tls_) {
    const std::span<char> room = tls_->room();
    const ssize_t got = ::recv(socket_.native_handle(), room.data(), room.size(), MSG_DONTWAIT);
    if (got < 0) return is_full(got) || errno == EINTR ? Seen::Nothing : Seen::End;
    if (got == 0) return Seen::End;
    tls_->arrived(static_cast<std::size_t>(got));
    const auto step = tls_->peek();
    if (step == tls::Session::Step::NeedsInput) return Seen::Nothing;
    return step == tls::Session::Step::Done ? Seen::Data : Seen::End;
  }
  char byte = 0;
  const ssize_t got = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  if (got > 0) return Seen::Data;
  return got < 0 && (is_full(got) || errno == EINTR) ? Seen::Nothing : Seen::End;
}

void Wire::stop_watching() {
  *watching_ = false;
  cancel();
}

void Wire::cancel() {
  ErrorCode ignored;
  socket_.cancel(ignored);
}

void Wire::close() {
  ErrorCode ignored;
  if (tls_ && socket_.is_open()) end_sending();
  socket_.close(ignored);
}

}  // namespace ty::net
