#pragma once
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "net/headers.h"
#include "net/url.h"

/// What an HTTP handler sees and answers. Nothing of Beast shows here.
namespace ty::net {

enum class Method : std::uint8_t { Get, Head, Post, Put, Patch, Delete, Options, Other };
std::string_view to_string(Method method);
Method method_from(std::string_view word);

/// Where a request's body comes from. The server's connections are one; tests use `text_body`.
class BodySource {
 public:
  virtual ~BodySource() = default;
  /// The next piece; empty at the end. Valid until the next call.
  virtual boost::asio::awaitable<Result<std::string_view>> read_some() = 0;
};
std::unique_ptr<BodySource> text_body(std::string text);

struct Route;

/// One request. It belongs to the connection, lives until its answer has been sent, and is used by
/// one coroutine at a time.
class Request {
 public:
  Method method = Method::Get;
  Target target;
  Headers headers;
  std::string
      peer;  ///< address of the other end, without port; from the socket, never from a header
  std::string
      id;  ///< for logs and problem answers; the client's own `X-Request-Id` where it is sane
  bool is_secure = false;  ///< came over TLS of our own
  std::optional<std::uint64_t> content_length;
  const Route* route = nullptr;  ///< once matched
  /// Values of the `{name}` parts of the matched route.
  std::vector<std::pair<std::string_view, std::string_view>> route_values;

  /// The route value of that name; it must be part of the matched pattern.
  std::string_view param(std::string_view name) const;
  /// The first query parameter of that name.
  std::optional<std::string_view> query(std::string_view name) const;
  std::vector<std::string_view> query_all(std::string_view name) const;

  /// The whole body. `Errc::TooLarge` before a byte is read when Content-Length says so, and as
  /// soon as a chunked body passes `limit`; the connection is then closed after the answer. The
  /// first call to this or `read_some` answers `Expect: 100-continue`.
  boost::asio::awaitable<Result<std::string>> body(std::uint64_t limit);
  /// The next piece of the body; empty at the end. Valid until the next call. For uploads that must
  /// not sit in memory.
  boost::asio::awaitable<Result<std::string_view>> read_some();

  BodySource* source = nullptr;  ///< null: no body
};

/// How a streamed answer is written. Every call returns once the bytes are with the kernel, so a
/// slow reader holds back its writer. When the client goes away, or the server stops, the writer's
/// coroutine is cancelled wherever it waits; `write` fails from then on.
class BodyWriter {
 public:
  virtual ~BodyWriter() = default;
  /// `bytes` must stay valid until this returns.
  virtual boost::asio::awaitable<Result<void>> write(std::string_view bytes) = 0;
  /// Bytes of a file straight from the page cache; fewer than `length` in the file fail the whole
  /// answer.
  virtual boost::asio::awaitable<Result<void>> write_file(int fd,
                                                          std::uint64_t offset,
                                                          std::uint64_t length) = 0;
  /// Nobody reads any more, or the server is stopping: whoever produces should end.
  virtual bool gone() const = 0;
};

struct FileBody {
  Fd fd;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

struct StreamBody {
  std::function<boost::asio::awaitable<void>(BodyWriter&)> write;
  std::optional<std::uint64_t> length;  ///< sent as Content-Length; otherwise the answer is chunked
  bool endless = false;  ///< follows something without an end: a stopping server ends it at once
};

class Tunnel;

/// The answer takes over the connection: after its head `run` has the bytes of both directions, and
/// the connection ends with it. The head needs a status of 101 and an Upgrade field.
struct Upgrade {
  std::function<boost::asio::awaitable<void>(Tunnel&)> run;
};

struct Response {
  int status = 200;
  Headers headers;  ///< Content-Length, Transfer-Encoding, Connection, Date and X-Request-Id are
                    ///< the server's
  std::variant<std::string, FileBody, StreamBody, Upgrade> body;
  /// Close the connection after this answer.
  bool close = false;
};

Response text_response(int status,
                       std::string text,
                       std::string_view content_type = "text/plain; charset=utf-8");
Response json_response(int status, std::string json);
Response empty_response(int status);
Response file_response(FileBody file, std::string_view content_type);
Response stream_response(std::string_view content_type,
                         std::function<boost::asio::awaitable<void>(BodyWriter&)> write);

/// The shape of every failure: `{"code","message","details","request_id"}`.
struct Problem {
  int status = 500;
  std::string_view code = "internal";
  Message message;
  std::vector<Fault> details;
};
Response problem_response(const Problem& problem, std::string_view request_id);

std::string_view reason_phrase(int status);

/// Runs on the connection's thread and must not block it. An exception becomes a 500 and a line in
/// the log.
using Handler = std::function<boost::asio::awaitable<Response>(Request&)>;

}  // namespace ty::net
