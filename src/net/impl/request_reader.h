#pragma once
#include <boost/asio/awaitable.hpp>
#include <optional>

#include "net/impl/connection_context.h"
#include "net/impl/message_parser.h"
#include "net/impl/read_buffer.h"
#include "net/impl/wire.h"

namespace ty::net {

/// Reads request after request from a wire: the head at once, the body when the handler asks.
class RequestReader final : public BodySource {
 public:
  /// `request` is filled anew by each `read_head`.
  RequestReader(Wire& wire, ConnectionContext& context, Request& request);

  /// Reads until the header of the next request is complete. False: the connection is over without
  /// a word. `fault`: what to answer to bytes that are no request.
  boost::asio::awaitable<bool> read_head(std::optional<Problem>& fault);

  boost::asio::awaitable<Result<std::string_view>> read_some() override;

  /// Nothing of the next request has arrived.
  bool is_idle() const { return is_idle_; }
  /// What follows in the input cannot be trusted.
  bool is_broken() const { return is_broken_; }
  void mark_broken() { is_broken_ = true; }
  bool is_http_1_0() const { return parser_->is_http_1_0(); }
  /// Another request can follow on this connection, once `skip_body` has been called.
  bool can_continue() const;
  boost::asio::awaitable<void> skip_body();
  /// Swallows what the client still sends until it ends, for a moment.
  boost::asio::awaitable<void> swallow(Millis limit);
  /// Everything that was sent has been read.
  bool has_read_all() const;

  /// What has been read and does not belong to this request.
  ReadBuffer& input() { return input_; }

 private:
  void prepare_request();

  Wire& wire_;
  ConnectionContext& context_;
  Request& request_;
  std::optional<RequestParser> parser_;  ///< a parser reads one message; made anew for each
  ReadBuffer input_;
  SteadyTime body_began_;
  std::uint64_t body_received_ = 0;
  bool is_idle_ = true;
  bool is_broken_ = false;
  bool want_continue_ = false;  ///< the client waits for 100 Continue before it sends its body
};

}  // namespace ty::net
