#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "net/http_client.h"
#include "net/impl/read_buffer.h"

namespace ty::net {

/// One socket of a client with what has been read from it and not yet used. Errors name the other
/// end.
class ClientConnection {
 public:
  static boost::asio::awaitable<Result<std::unique_ptr<ClientConnection>>> open(
      boost::asio::any_io_executor executor, Endpoint endpoint);

  boost::asio::awaitable<Result<void>> write(std::string_view bytes);
  boost::asio::awaitable<Result<void>> write_file(FilePart file);

  /// Reads more; false at the other side's end.
  boost::asio::awaitable<Result<bool>> fill();
  std::string_view unread() const { return input_.unread(); }
  void used(std::size_t bytes) { input_.used(bytes); }

  /// An idle connection that the other side has closed, or spoken on out of turn, is of no more
  /// use.
  bool usable();

 private:
  using Socket = boost::asio::generic::stream_protocol::socket;
  explicit ClientConnection(Socket socket);

  Socket socket_;
  ReadBuffer input_;
};

/// How the other end is called in messages: `http://host:port`, `unix:/path`.
std::string to_text(const Endpoint& endpoint);

}  // namespace ty::net
