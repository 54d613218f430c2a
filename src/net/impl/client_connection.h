#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <memory>
#include <span>
#include <string_view>

#include "base/result.h"
#include "net/http_client.h"
#include "net/impl/read_buffer.h"

namespace ty::net {

namespace tls {
class Session;
}

/// One socket of a client with what has been read from it and not yet used. Errors name the other
/// end.
class ClientConnection {
 public:
  /// `tls` is used when the endpoint asks for it.
  static boost::asio::awaitable<Result<std::unique_ptr<ClientConnection>>> open(
      boost::asio::any_io_executor executor,
      Endpoint endpoint,
      std::shared_ptr<const TlsClientContext> tls);
  ~ClientConnection();

  boost::asio::awaitable<Result<void>> write(std::string_view bytes);
  boost::asio::awaitable<Result<void>> write_file(FilePart file);

  /// Reads more; false at the other side's end.
  boost::asio::awaitable<Result<bool>> fill();
  /// The same, past our own buffer: only once that is empty. 0 at the end.
  boost::asio::awaitable<Result<std::size_t>> read(std::span<char> room);
  /// Nothing more will be written.
  void end_sending();
  void close();
  boost::asio::any_io_executor executor() { return socket_.get_executor(); }
  std::string_view unread() const { return input_.unread(); }
  void used(std::size_t bytes) { input_.used(bytes); }

  /// An idle connection that the other side has closed, or spoken on out of turn, is of no more
  /// use.
  bool usable();

 private:
  using Socket = boost::asio::generic::stream_protocol::socket;
  explicit ClientConnection(Socket socket);
  boost::asio::awaitable<Result<void>> secure(const TlsClientContext& tls, std::string host);
  boost::asio::awaitable<Result<void>> flush_secure();
  boost::asio::awaitable<Result<void>> read_encrypted();

  Socket socket_;
  std::unique_ptr<tls::Session> tls_;  ///< null: plain
  ReadBuffer input_;
};

/// How the other end is called in messages: `https://host:port`, `unix:/path`.
std::string to_text(const Endpoint& endpoint);

}  // namespace ty::net
