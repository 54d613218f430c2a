#pragma once
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <optional>
#include <string>

#include "net/impl/connection_context.h"
#include "net/impl/wire.h"

namespace ty::net {

/// How an answer fits into its connection.
struct Framing {
  bool keep = true;       ///< another request may follow
  bool http_1_0 = false;  ///< no chunks there: the end of the connection is the end of a stream
};

/// Writes answer after answer to a wire.
class ResponseWriter final : public BodyWriter {
 public:
  /// `on_gone` is called when the client of a streamed answer goes away.
  ResponseWriter(Wire& wire,
                 ConnectionContext& context,
                 const Request& request,
                 std::function<void()> on_gone);

  /// True when the whole answer is with the kernel.
  boost::asio::awaitable<bool> send(Response& response, Framing framing);
  std::uint64_t sent() const { return sent_; }  ///< body bytes of the last answer

  /// A stream is under way that has no end of its own.
  bool is_endless() const { return is_endless_; }
  /// Whoever writes should end.
  void abandon() { gone_ = true; }

  boost::asio::awaitable<Result<void>> write(std::string_view bytes) override;
  boost::asio::awaitable<Result<void>> write_file(int fd,
                                                  std::uint64_t offset,
                                                  std::uint64_t length) override;
  bool gone() const override { return gone_; }

 private:
  void write_head(const Response& response, std::optional<std::uint64_t> length, Framing framing);
  boost::asio::awaitable<bool> send_stream(StreamBody& stream);
  boost::asio::awaitable<bool> send_chunk_line(std::string_view line, bool more);
  Result<void> may_write(std::uint64_t bytes);

  Wire& wire_;
  ConnectionContext& context_;
  const Request& request_;
  std::function<void()> on_gone_;
  std::string out_;
  std::uint64_t sent_ = 0;
  std::optional<std::uint64_t> stream_left_;  ///< of a stream with a length
  bool gone_ = false;
  bool chunked_ = false;
  bool is_endless_ = false;
};

/// What a handler's exception becomes: a line in the log and an answer that tells nothing.
Response handler_failed(const Request& request, const char* why);

}  // namespace ty::net
