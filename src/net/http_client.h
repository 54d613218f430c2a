#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "net/http.h"
#include "net/tls.h"

namespace ty::net {

/// Where a client connects: `http://host:port[/prefix]`, `https://…`, or `unix:/path/to.sock`.
struct Endpoint {
  std::string host;         ///< for the Host field
  std::string port;         ///< TCP only
  std::string socket_path;  ///< unix only
  std::string prefix;       ///< path of the URL, put before every target; no slash at its end
  bool is_tls = false;
};
Result<Endpoint> parse_endpoint(std::string_view url);

/// A piece of a request's body: text, or a file read while it is sent.
struct FilePart {
  std::string path;
  std::uint64_t size = 0;  ///< must be the file's size, it becomes part of Content-Length
};
using BodyPart = std::variant<std::string, FilePart>;

struct ClientRequest {
  std::string method = "GET";
  std::string target = "/";  ///< path and query, encoded
  Headers headers;
  std::vector<BodyPart> body;
};

struct ClientOptions {
  Millis connect_time{5'000};
  Millis answer_time{30'000};  ///< from the request's last byte to the answer's header
  Millis idle_read_time{
      0};  ///< between two pieces of the answer's body; 0: no limit (streams may be silent)
  std::size_t keep = 8;  ///< idle connections kept for reuse
  std::size_t max_header = std::size_t{64} * 1024;
  TlsTrust trust = {};  ///< of https servers
};

/// An answer whose header has arrived and whose body is still to be read. Dropping it before the
/// end closes its connection; reading to the end gives the connection back. Must not outlive its
/// client.
class ClientResponse {
 public:
  ClientResponse();
  ClientResponse(ClientResponse&&) noexcept;
  ClientResponse& operator=(ClientResponse&&) noexcept;
  ~ClientResponse();

  int status = 0;
  Headers headers;

  /// The next piece; empty at the end. Valid until the next call.
  boost::asio::awaitable<Result<std::string_view>> read_some();
  boost::asio::awaitable<Result<std::string>> body(std::uint64_t limit = std::uint64_t{64} << 20);
  /// After a 101: the connection itself, which is no longer HTTP. Once.
  std::unique_ptr<Tunnel> take_over();

 private:
  friend class HttpClient;
  struct Live;
  std::unique_ptr<Live> live_;
};

/// An HTTP/1.1 client with keep-alive. All calls from coroutines on the one executor given here,
/// which must run one thing at a time. Errors: Unavailable (cannot connect, connection lost),
/// Timeout, Invalid (the other end does not speak HTTP), Forbidden (its certificate is not
/// trusted). A kept connection that proves dead before any byte of the answer is replaced once, for
/// requests that may be repeated: GET, HEAD, PUT, DELETE, and anything with an `Idempotency-Key`.
class HttpClient {
 public:
  HttpClient(boost::asio::any_io_executor executor, Endpoint endpoint, ClientOptions options = {});
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  boost::asio::awaitable<Result<ClientResponse>> send(ClientRequest request);

  const Endpoint& endpoint() const;

 private:
  friend class ClientResponse;
  struct Pool;
  std::shared_ptr<Pool> pool_;
};

/// A whole answer.
struct Answer {
  int status = 0;
  Headers headers;
  std::string body;
};

/// The same for programs without a loop of their own, such as the CLI. One thread at a time.
class BlockingHttpClient {
 public:
  explicit BlockingHttpClient(Endpoint endpoint, ClientOptions options = {});
  ~BlockingHttpClient();

  Result<Answer> send(ClientRequest request);

  /// Calls `piece` for each part of a 2xx body as it arrives, until it returns false; other answers
  /// come back whole. `head`, if given, sees status and fields before the first piece.
  Result<Answer> stream(ClientRequest request,
                        std::function<bool(std::string_view)> piece,
                        std::function<void(const Answer&)> head = {});

 private:
  struct Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace ty::net
