#include "net/impl/request_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/beast/http/error.hpp>

#include "net/messages.h"

namespace ty::net {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kSmallBuffer = std::size_t{4} * 1024;  // what an idle connection keeps
constexpr std::size_t kBodyBuffer = std::size_t{64} * 1024;  // while a body arrives
constexpr std::size_t kSkippable =
    std::size_t{64} * 1024;  // an unread body this small is read to keep the connection

bool is_sane_request_id(std::string_view id) {
  return !id.empty() && id.size() <= 64 && std::ranges::all_of(id, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == ':';
  });
}

bool has_folded_line(std::string_view head) {
  while (true) {
    head.remove_prefix(std::min(head.find('\n'), head.size()));
    if (head.size() < 2) return false;
    if (head[1] == ' ' || head[1] == '\t') return true;
    head.remove_prefix(1);
  }
}

}  // namespace

RequestReader::RequestReader(Wire& wire, ConnectionContext& context, Request& request)
    : wire_(wire), context_(context), request_(request), input_(kSmallBuffer) {}

asio::awaitable<bool> RequestReader::read_head(std::optional<Problem>& fault) {
  const auto bad = [&](int status, std::string_view code, Message message) {
    prepare_request();
    is_broken_ = true;
    fault = Problem{.status = status, .code = code, .message = std::move(message)};
    return true;
  };
  parser_.emplace(request_);
  parser_->header_limit(static_cast<std::uint32_t>(context_.options.max_header));
  want_continue_ = false;
  body_received_ = 0;
  is_idle_ = true;
  wire_.forget_expiry();
  wire_.read_within(context_.options.idle_time);
  request_.id.clear();
  std::size_t head_size = 0;
  for (;;) {
    // Some clients end a body with one line break too many.
    while (head_size == 0 &&
           (input_.unread().starts_with('\r') || input_.unread().starts_with('\n')))
      input_.used(1);
    if (!input_.empty()) {
      if (is_idle_) {
        is_idle_ = false;
        wire_.read_within(context_.options.header_time);
      }
      beast::error_code ec;
      const std::string_view arrived = input_.unread();
      const std::size_t used = parser_->feed(arrived, ec);
      input_.used(used);
      head_size += used;
      const std::size_t unread = parser_->is_header_done() ? 0 : input_.unread().size();
      if (ec == beast::http::error::header_limit ||
          head_size + unread > context_.options.max_header) {
        co_return bad(431,
                      "too_large",
                      say::request_header_too_large({.limit = context_.options.max_header}));
      }
      if (ec) co_return bad(400, "invalid", explain(ec));
      if (parser_->is_header_done()) {
        // Beast reads fields as a whole and unfolds them; others do not, and would see other
        // fields.
        if (has_folded_line(arrived.substr(0, used)))
          co_return bad(400, "invalid", say::folded_field());
        break;
      }
    }
    if (context_.stopping && is_idle_) co_return false;
    const std::size_t got = co_await wire_.read(input_.room());
    input_.arrived(got);
    if (got == 0) {
      if (!wire_.expired() || is_idle_) co_return false;
      co_return bad(408, "timeout", say::request_header_late());
    }
  }
  wire_.read_without_limit();
  if (auto checked = parser_->check(); !checked)
    co_return bad(400, "invalid", checked.error().message);
  prepare_request();
  co_return true;
}

void RequestReader::prepare_request() {
  const std::string_view given = request_.headers.get("X-Request-Id");
  if (is_sane_request_id(given)) {
    request_.id = given;
  } else {
    request_.id = context_.id_prefix;
    fmt::format_to(std::back_inserter(request_.id), "{:06x}", context_.requests);
  }
  request_.source = nullptr;
  if (!parser_->is_header_done() || parser_->is_done()) return;
  request_.source = this;
  if (const auto length = parser_->content_length()) request_.content_length = *length;
  want_continue_ = request_.headers.has_token("Expect", "100-continue");
  body_began_ = wire_.now();
}

bool RequestReader::can_continue() const {
  if (is_broken_ || !parser_->keep_alive()) return false;
  if (parser_->is_done()) return true;
  // An unread body stands between us and the next request. Whether a client that waits for 100
  // Continue will send it after a final answer is its own choice, so there we cannot go on either.
  const auto left = parser_->content_length_remaining();
  return !want_continue_ && left && *left <= kSkippable;
}

bool RequestReader::has_read_all() const {
  return parser_->is_header_done() && parser_->is_done() && input_.empty() && !is_broken_;
}

asio::awaitable<Result<std::string_view>> RequestReader::read_some() {
  if (is_broken_) co_return fail(Errc::Invalid, say::body_malformed());
  if (want_continue_) {
    want_continue_ = false;
    Pieces pieces;
    pieces.add("HTTP/1.1 100 Continue\r\n\r\n");
    if (wire_.send_now(pieces) == Wire::Sent::Some)
      co_await wire_.send_rest(pieces, context_.options.write_time);
  }
  while (!parser_->is_done()) {
    if (!input_.empty()) {
      beast::error_code ec;
      const std::size_t used = parser_->feed(input_.unread(), ec);
      input_.used(used);
      if (ec) {
        is_broken_ = true;
        co_return fail(Errc::Invalid, explain(ec));
      }
      if (!parser_->piece().empty()) {
        body_received_ += parser_->piece().size();
        co_return parser_->piece();
      }
      if (used > 0) continue;
      if (input_.unread().size() > context_.options.max_header) {
        is_broken_ = true;
        co_return fail(Errc::Invalid, say::chunk_header_endless());
      }
    }
    input_.grow_to(kBodyBuffer);
    wire_.read_until(body_began_ + context_.options.body_time +
                     std::chrono::seconds(body_received_ / 1024));
    const std::size_t got = co_await wire_.read(input_.room());
    input_.arrived(got);
    wire_.read_without_limit();
    if (got == 0) {
      is_broken_ = true;
      if (wire_.expired()) co_return fail(Errc::Timeout, say::body_late());
      co_return fail(Errc::Unavailable, say::client_left_in_body());
    }
  }
  co_return std::string_view{};
}

asio::awaitable<void> RequestReader::skip_body() {
  while (!parser_->is_done() && !is_broken_) {
    const auto piece = co_await read_some();
    if (!piece) break;
  }
  input_.shrink_to(kSmallBuffer);
}

asio::awaitable<void> RequestReader::swallow(Millis limit) {
  wire_.forget_expiry();
  const SteadyTime end = wire_.now() + limit;
  wire_.read_until(end);
  input_.grow_to(kBodyBuffer);
  do {
    input_.clear();
  } while (co_await wire_.read(input_.room()) > 0 && wire_.now() < end);
}

}  // namespace ty::net
