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

namespace ty::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using ErrorCode = boost::system::error_code;

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
                   fmt::format("no address is known for {}: {}", endpoint.host, ec.message()));
  for (const auto& entry : found) addresses.push_back(entry.endpoint());
  co_return addresses;
}

}  // namespace

std::string to_text(const Endpoint& endpoint) {
  if (!endpoint.socket_path.empty()) return "unix:" + endpoint.socket_path;
  const bool is_v6 = endpoint.host.find(':') != std::string::npos;
  return fmt::format("http://{}{}{}:{}{}",
                     is_v6 ? "[" : "",
                     endpoint.host,
                     is_v6 ? "]" : "",
                     endpoint.port,
                     endpoint.prefix);
}

ClientConnection::ClientConnection(Socket socket) : socket_(std::move(socket)), input_(kBuffer) {}

asio::awaitable<Result<std::unique_ptr<ClientConnection>>> ClientConnection::open(
    asio::any_io_executor executor, Endpoint endpoint) {
  ErrorCode ec;
  if (!endpoint.socket_path.empty()) {
    asio::local::stream_protocol::socket socket(executor);
    if (endpoint.socket_path.size() > 107) {
      co_return fail(Errc::Invalid, "the socket's path is too long: " + endpoint.socket_path);
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
      co_return std::unique_ptr<ClientConnection>(new ClientConnection(Socket(std::move(socket))));
    }
  }
  co_return fail(Errc::Unavailable,
                 fmt::format("cannot connect to {}: {}", to_text(endpoint), ec.message()));
}

asio::awaitable<Result<void>> ClientConnection::write(std::string_view bytes) {
  ErrorCode ec;
  co_await asio::async_write(
      socket_, asio::buffer(bytes), asio::redirect_error(asio::use_awaitable, ec));
  if (ec) co_return fail(Errc::Unavailable, "the connection broke while sending: " + ec.message());
  co_return Result<void>{};
}

asio::awaitable<Result<void>> ClientConnection::write_file(FilePart file) {
  const Fd fd(::open(file.path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0)
    co_return fail(Errc::Invalid,
                   fmt::format("cannot read {}: {}", file.path, std::strerror(errno)));
  std::vector<char> piece(std::size_t{256} * 1024);
  std::uint64_t left = file.size;
  while (left > 0) {
    const ssize_t got = ::read(fd.get(), piece.data(), std::min<std::uint64_t>(left, piece.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      co_return fail(Errc::Invalid, fmt::format("{} became shorter while it was sent", file.path));
    TY_CO_DO(co_await write({piece.data(), static_cast<std::size_t>(got)}));
    left -= static_cast<std::uint64_t>(got);
  }
  co_return Result<void>{};
}

asio::awaitable<Result<bool>> ClientConnection::fill() {
  const std::span<char> room = input_.room();
  ErrorCode ec;
  const std::size_t got = co_await socket_.async_read_some(
      asio::buffer(room.data(), room.size()), asio::redirect_error(asio::use_awaitable, ec));
  input_.arrived(got);
  if (ec == asio::error::eof) co_return false;
  if (ec) co_return fail(Errc::Unavailable, "the connection broke while reading: " + ec.message());
  co_return true;
}

bool ClientConnection::usable() {
  if (!input_.empty()) return false;
  char byte = 0;
  const ssize_t got = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

}  // namespace ty::net
