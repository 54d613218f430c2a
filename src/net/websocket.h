#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "net/http.h"
#include "net/http_client.h"

namespace ty::net {

enum class MessageKind : std::uint8_t { Text, Binary };

struct WebSocketMessage {
  MessageKind kind = MessageKind::Text;
  std::string_view bytes;  ///< valid until the next `read`
};

struct WebSocketOptions {
  std::size_t max_message = std::size_t{1} << 20;  ///< larger ones end the connection with 1009
  std::vector<std::string> protocols;              ///< those we speak, by Sec-WebSocket-Protocol
  /// Silence so long ends the connection; after half of it the other side is pinged.
  Millis idle{60'000};
};

/// A conversation in messages (RFC 6455). One `read` and one `write` may be under way at the same
/// time. A write returns once its bytes are with the kernel, and nothing is read that was not asked
/// for: slow readers hold back fast writers, both ways. Pings are answered while a `read` is under
/// way.
class WebSocket {
 public:
  virtual ~WebSocket() = default;

  /// The next message; nothing when the other side has closed, or the server is stopping. Errors:
  /// TooLarge, Timeout (silence), Unavailable (the connection broke).
  virtual boost::asio::awaitable<Result<std::optional<WebSocketMessage>>> read() = 0;
  /// `bytes` must stay valid until this returns.
  virtual boost::asio::awaitable<Result<void>> write(MessageKind kind, std::string_view bytes) = 0;
  /// Says goodbye and waits for the other side's, for a moment. 1000: all is said.
  virtual boost::asio::awaitable<void> close(std::uint16_t code = 1000,
                                             std::string_view reason = {}) = 0;

  /// What was agreed on of `WebSocketOptions::protocols`; empty: nothing.
  virtual const std::string& protocol() const = 0;
};

/// The answer to a request for a WebSocket: 101, then `talk`; when `talk` returns, the conversation
/// is closed. A request that asks for something else is answered 400 or 426. Where such a request
/// may come from has been checked before any handler sees it (`SitePolicy`).
Response websocket_response(const Request& request,
                            WebSocketOptions options,
                            std::function<boost::asio::awaitable<void>(WebSocket&)> talk);

struct WebSocketRequest {
  std::string target = "/";
  Headers headers;  ///< Authorization, Origin, …
  WebSocketOptions options;
  TlsTrust trust;
  Millis connect_time{5'000};
};

/// The other end. What the server refuses is an error with its status: Unauthenticated, Forbidden,
/// NotFound, else Unavailable.
boost::asio::awaitable<Result<std::unique_ptr<WebSocket>>> connect_websocket(
    boost::asio::any_io_executor executor, Endpoint endpoint, WebSocketRequest request);

}  // namespace ty::net
