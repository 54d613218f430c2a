#pragma once
#include <boost/beast/http/basic_parser.hpp>
#include <string_view>

#include "base/result.h"
#include "net/http.h"

/// Beast's incremental grammar of HTTP/1, feeding our own types directly. Only server and client
/// connections include this.
namespace ty::net {

namespace beast = boost::beast;

inline std::string_view std_view(beast::string_view text) { return {text.data(), text.size()}; }

/// What both directions share: where body bytes go. One object parses one message.
template <bool isRequest>
class MessageParser : public beast::http::basic_parser<isRequest> {
 public:
  MessageParser() {
    this->eager(false);
    this->body_limit(boost::none);
  }

  /// The piece of body that the last put() found; points into the bytes given to it.
  std::string_view piece() const { return piece_; }

  /// put() with the piece reset, and "need more" told apart from real faults.
  std::size_t feed(std::string_view bytes, beast::error_code& ec) {
    piece_ = {};
    const std::size_t used = this->put(boost::asio::const_buffer(bytes.data(), bytes.size()), ec);
    if (ec == beast::http::error::need_more) ec = {};
    return used;
  }

 protected:
  void on_request_impl(
      beast::http::verb, beast::string_view, beast::string_view, int, beast::error_code&) override {
  }
  void on_response_impl(int, beast::string_view, int, beast::error_code&) override {}
  void on_header_impl(beast::error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, beast::error_code&) override {}
  std::size_t on_body_impl(beast::string_view body, beast::error_code&) override {
    piece_ = std_view(body);
    return body.size();
  }
  void on_chunk_header_impl(std::uint64_t, beast::string_view, beast::error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t,
                                 beast::string_view body,
                                 beast::error_code&) override {
    piece_ = std_view(body);
    return body.size();
  }
  void on_finish_impl(beast::error_code&) override {}

 private:
  std::string_view piece_;
};

/// Fills a Request's method, target and headers.
class RequestParser final : public MessageParser<true> {
 public:
  explicit RequestParser(Request& request);

  /// After the header: what Beast lets pass and we do not, or the fault in the target.
  Result<void> check() const;
  bool is_http_1_0() const { return version_ == 10; }

 private:
  void on_request_impl(beast::http::verb verb,
                       beast::string_view method,
                       beast::string_view target,
                       int version,
                       beast::error_code& ec) override;
  void on_field_impl(beast::http::field field,
                     beast::string_view name,
                     beast::string_view value,
                     beast::error_code& ec) override;

  Request& request_;
  Result<void> target_fault_;
  int version_ = 11;
};

/// Fills the status and headers of an answer.
class ResponseParser final : public MessageParser<false> {
 public:
  ResponseParser(int& status, Headers& headers) : status_(status), headers_(headers) {}

 private:
  void on_response_impl(int code,
                        beast::string_view reason,
                        int version,
                        beast::error_code& ec) override;
  void on_field_impl(beast::http::field field,
                     beast::string_view name,
                     beast::string_view value,
                     beast::error_code& ec) override;

  int& status_;
  Headers& headers_;
};

/// What a person should read about a message that is not HTTP.
Message explain(const beast::error_code& ec);

}  // namespace ty::net
