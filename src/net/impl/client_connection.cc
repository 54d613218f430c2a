#include "net/impl/client_connection.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <cstring>

#include "net/impl/tls_session.h"
#include "net/messages.h"

namespace ty::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using ErrorCode = boost::system::error_code;
using Step = tls::Session::Step;

namespace {

constexpr std::size_t kBuffer = std::size_t{64} * 1024;

asio::awaitable<Result<std::vector<tcp::endpoint>>> resolve(asio::any_io_executor executor,
                                                            Endpoint endpoint) {
  ErrorCode ec;
  std::vector<tcp::endpoint> addresses;
  // Plain addresses need no resolver, whose first use starts a thread.
  const auto address = asio::ip::make_address(endpoint.host, ec);
  if (!ec) {
    addresses.emplace_back(
        address, static_cast<std::uint16_t>(std::strtoul(endpoint.port.c_str(), nullptr, 10)));
    co_return addresses;
  }
  tcp::resolver resolver(executor);
  const auto found = co_await resolver.async_resolve(
      endpoint.host, endpoint.port, asio::redirect_error(asio::use_awaitable, ec));
  if (ec)
    co_return fail(Errc::Unavailable,
                   say::no_address_for_host({.host = endpoint.host, .why = ec.message()}));
  for (const auto& entry : found) addresses.push_back(entry.endpoint());
  co_return addresses;
}

}  // namespace

std::string to_text(const Endpoint& endpoint) {
  if (!endpoint.socket_path.empty()) return "unix:" + endpoint.socket_path;
  const bool is_v6 = endpoint.host.find(':') != std::string::npos;
  return fmt::format("{}://{}{}{}:{}{}",
                     endpoint.is_tls ? "https" : "http",
                     is_v6 ? "[" : "",
                     endpoint.host,
                     is_v6 ? "]" : "",
                     endpoint.port,
                     endpoint.prefix);
}

ClientConnection::ClientConnection(Socket socket) : socket_(std::move(socket)), input_(kBuffer) {}
ClientConnection::~ClientConnection() = default;

asio::awaitable<Result<std::unique_ptr<ClientConnection>>> ClientConnection::open(
    asio::any_io_executor executor,
    Endpoint endpoint,
    std::shared_ptr<const TlsClientContext> tls) {
  ErrorCode ec;
  if (!endpoint.socket_path.empty()) {
    asio::local::stream_protocol::socket socket(executor);
    if (endpoint.socket_path.size() > 107) {
      co_return fail(Errc::Invalid, say::socket_path_too_long({.path = endpoint.socket_path}));
    }
    const asio::local::stream_protocol::endpoint address(endpoint.socket_path);
    co_await socket.async_connect(address, asio::redirect_error(asio::use_awaitable, ec));
    if (!ec)
      co_return std::unique_ptr<ClientConnection>(new ClientConnection(Socket(std::move(socket))));
  } else {
    TY_CO_TRY(const auto addresses, co_await resolve(executor, endpoint));
    tcp::socket socket(executor);
    co_await asio::async_connect(socket, addresses, asio::redirect_error(asio::use_awaitable, ec));
    if (!ec) {
      ErrorCode ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      std::unique_ptr<ClientConnection> connection(new ClientConnection(Socket(std::move(socket))));
      if (endpoint.is_tls) {
        auto secured = co_await connection->secure(*tls, endpoint.host);
        if (!secured)
          co_return std::unexpected(
              std::move(secured).error().with_context(plain(to_text(endpoint))));
      }
      co_return connection;
    }
  }
  co_return fail(Errc::Unavailable,
                 say::cannot_connect({.address = to_text(endpoint), .why = ec.message()}));
}

asio::awaitable<Result<void>> ClientConnection::secure(const TlsClientContext& tls,
                                                       std::string host) {
  tls_ = tls::Session::connect(tls, host);
  for (;;) {
    const Step step = tls_->handshake();
    if (step == Step::Failed || step == Step::Ended) {
      // Forbidden: no attempt will help before somebody decides whom to trust.
      co_return fail(tls_->is_untrusted() ? Errc::Forbidden : Errc::Unavailable,
                     tls_->is_untrusted() ? tls_->problem()
                                          : say::no_tls_connection({.why = tls_->problem()}));
    }
    TY_CO_DO(co_await flush_secure());
    if (step == Step::Done) co_return Result<void>{};
    TY_CO_DO(co_await read_encrypted());
  }
}

asio::awaitable<Result<void>> ClientConnection::flush_secure() {
  while (!tls_->output().empty()) {
    const std::string_view bytes = tls_->output();
    ErrorCode ec;
    const std::size_t sent = co_await socket_.async_write_some(
        asio::buffer(bytes), asio::redirect_error(asio::use_awaitable, ec));
    if (ec)
      co_return fail(Errc::Unavailable,
                     within(say::connection_broke_sending(), plain(ec.message())));
    tls_->sent(sent);
  }
  co_return Result<void>{};
}

asio::awaitable<Result<void>> ClientConnection::read_encrypted() {
  const std::span<char> room = tls_->room();
  ErrorCode ec;
  const std::size_t got = co_await socket_.async_read_some(
      asio::buffer(room.data(), room.size()), asio::redirect_error(asio::use_awaitable, ec));
  tls_->arrived(got);
  if (ec == asio::error::eof) {
    tls_->input_ended();
  } else if (ec) {
    co_return fail(Errc::Unavailable, within(say::connection_broke_reading(), plain(ec.message())));
  }
  co_return Result<void>{};
}

asio::awaitable<Result<void>> ClientConnection::write(std::string_view bytes) {
  if (tls_) {
    while (!bytes.empty()) {
      std::size_t taken = 0;
      if (tls_->write(bytes, taken) != Step::Done)
        co_return fail(Errc::Unavailable, within(say::connection_broke_sending(), tls_->problem()));
      bytes.remove_prefix(taken);
      TY_CO_DO(co_await flush_secure());
    }
    co_return Result<void>{};
  }
  ErrorCode ec;
  co_await asio::async_write(
      socket_, asio::buffer(bytes), asio::redirect_error(asio::use_awaitable, ec));
  if (ec)
    co_return fail(Errc::Unavailable, within(say::connection_broke_sending(), plain(ec.message())));
  co_return Result<void>{};
}

asio::awaitable<Result<void>> ClientConnection::write_file(FilePart file) {
  const Fd fd(::open(file.path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0)
    co_return fail(Errc::Invalid,
                   say::sent_file_unreadable({.path = file.path, .why = std::strerror(errno)}));
  std::vector<char> piece(std::size_t{256} * 1024);
  std::uint64_t left = file.size;
  while (left > 0) {
    const ssize_t got = ::read(fd.get(), piece.data(), std::min<std::uint64_t>(left, piece.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) co_return fail(Errc::Invalid, say::sent_file_shrank({.path = file.path}));
    TY_CO_DO(co_await write({piece.data(), static_cast<std::size_t>(got)}));
    left -= static_cast<std::uint64_t>(got);
  }
  co_return Result<void>{};
}

asio::awaitable<Result<std::size_t>> ClientConnection::read(std::span<char> room) {
  while (tls_) {
    std::size_t got = 0;
    switch (tls_->read(room, got)) {
      case Step::Done:
        co_return got;
      case Step::Ended:
        co_return std::size_t{0};
      case Step::Failed:
        co_return fail(Errc::Unavailable, within(say::connection_broke_reading(), tls_->problem()));
      case Step::NeedsInput:
        TY_CO_DO(co_await read_encrypted());
    }
  }
  ErrorCode ec;
  const std::size_t got = co_await socket_.async_read_some(
      asio::buffer(room.data(), room.size()), asio::redirect_error(asio::use_awaitable, ec));
  if (ec == asio::error::eof) co_return std::size_t{0};
  if (ec)
    co_return fail(Errc::Unavailable, within(say::connection_broke_reading(), plain(ec.message())));
  co_return got;
}

asio::awaitable<Result<bool>> ClientConnection::fill() {
  TY_CO_TRY(const std::size_t got, co_await read(input_.room()));
  input_.arrived(got);
  co_return got > 0;
}

void ClientConnection::end_sending() {
  ErrorCode ignored;
  if (tls_) {
    tls_->say_goodbye();
    const std::string_view bytes = tls_->output();
    ::send(socket_.native_handle(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  socket_.shutdown(Socket::shutdown_send, ignored);
}

void ClientConnection::close() {
  ErrorCode ignored;
  socket_.close(ignored);
}

bool ClientConnection::usable() {
  if (!input_.empty()) return false;
  if (tls_) {
    // What arrives by itself may be no more than a ticket for later sessions.
    const std::span<char> room = tls_->room();
    const ssize_t got = ::recv(socket_.native_handle(), room.data(), room.size(), MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK)) return false;
    if (got > 0) tls_->arrived(static_cast<std::size_t>(got));
    return tls_->peek() == Step::NeedsInput;
  }
  char byte = 0;
  const ssize_t got = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

}  // namespace ty::net
