// What a wire does once its bytes are encrypted.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <vector>

#include "net/impl/tls_session.h"
#include "net/impl/wire.h"

namespace ty::net {

namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;
using Step = tls::Session::Step;

namespace {

constexpr std::size_t kRecord = std::size_t{16} * 1024;
constexpr std::size_t kAhead = std::size_t{64} * 1024;  // encrypted bytes made for one system call

}  // namespace

asio::awaitable<Wire::Secured> Wire::secure(std::shared_ptr<const tls::Context> context,
                                            Millis limit) {
  tls_ = tls::Session::accept(std::move(context));
  read_within(limit);
  for (bool first = true;; first = false) {
    if (!co_await read_encrypted()) co_return Secured::No;
    // A record of TLS begins with its kind, 22 for a handshake; a request begins with a letter.
    if (first && !tls_->unread().empty() && tls_->unread().front() >= 'A') {
      tls_.reset();
      co_return Secured::NotTls;
    }
    const Step step = tls_->handshake();
    if (flush_secure() == Sent::Some && !co_await send_rest({}, limit)) co_return Secured::No;
    if (step == Step::NeedsInput) continue;
    read_without_limit();
    co_return step == Step::Done ? Secured::Yes : Secured::No;
  }
}

asio::awaitable<bool> Wire::read_encrypted() {
  const std::span<char> room = tls_->room();
  ErrorCode ec;
  const std::size_t got = co_await socket_.async_read_some(
      asio::buffer(room.data(), room.size()), asio::redirect_error(asio::use_awaitable, ec));
  if (ec == asio::error::eof) {
    tls_->input_ended();
    co_return true;
  }
  tls_->arrived(got);
  co_return !ec;
}

asio::awaitable<std::size_t> Wire::read_secure(std::span<char> room) {
  for (;;) {
    std::size_t got = 0;
    const Step step = tls_->read(room, got);
    if (step == Step::Done) co_return got;
    at_end_ = step == Step::Ended;
    if (step != Step::NeedsInput || !co_await read_encrypted()) co_return 0;
  }
}

Wire::Sent Wire::flush_secure() {
  while (!tls_->output().empty()) {
    const std::string_view bytes = tls_->output();
    const ssize_t sent =
        ::send(socket_.native_handle(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) {
      if (errno == EINTR) continue;
      return errno == EAGAIN || errno == EWOULDBLOCK ? Sent::Some : Sent::Failed;
    }
    tls_->sent(static_cast<std::size_t>(sent));
  }
  return Sent::All;
}

Wire::Sent Wire::send_secure(Pieces& pieces) {
  for (;;) {
    while (pieces.count > 0 && tls_->output().size() < kAhead) {
      std::string_view next = pieces.front();
      if (pieces.count > 1 && next.size() < kRecord) {
        gathered_.clear();
        for (std::size_t i = 0; i < pieces.count && gathered_.size() < kRecord; ++i) {
          const auto* bytes = static_cast<const char*>(pieces.at[i].iov_base);
          gathered_.append(bytes, std::min(pieces.at[i].iov_len, kRecord - gathered_.size()));
        }
        next = gathered_;
      }
      std::size_t taken = 0;
      if (tls_->write(next, taken) != Step::Done) return Sent::Failed;
      pieces.drop(taken);
    }
    const Sent flushed = flush_secure();
    if (flushed != Sent::All || pieces.count == 0) return flushed;
  }
}

asio::awaitable<bool> Wire::send_file_secure(
    int fd, std::uint64_t offset, std::uint64_t length, Millis patience, std::uint64_t& sent) {
  std::vector<char> bytes(std::min<std::uint64_t>(length, kAhead));
  while (length > 0) {
    const ssize_t got = ::pread(fd,
                                bytes.data(),
                                std::min<std::uint64_t>(length, bytes.size()),
                                static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) co_return false;
    Pieces pieces;
    pieces.add({bytes.data(), static_cast<std::size_t>(got)});
    const Sent now = send_secure(pieces);
    if (now == Sent::Failed) co_return false;
    if (now == Sent::Some && !co_await send_rest(pieces, patience)) co_return false;
    offset += static_cast<std::uint64_t>(got);
    length -= static_cast<std::uint64_t>(got);
    sent += static_cast<std::uint64_t>(got);
  }
  co_return true;
}

}  // namespace ty::net
