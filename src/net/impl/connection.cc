#include "net/impl/connection.h"

#include <fmt/format.h>
#include <sys/sendfile.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http/error.hpp>
#include <ctime>
#include <exception>

#include "base/text.h"
#include "rt/log.h"

namespace ty::net {

namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;

namespace {

constexpr std::size_t kSmallBuffer = std::size_t{4} * 1024;  // what an idle connection keeps
constexpr std::size_t kBodyBuffer = std::size_t{64} * 1024;  // while a body arrives
constexpr std::size_t kSmallAnswer =
    std::size_t{16} * 1024;  // copied behind its head, so that both leave in one piece
constexpr std::size_t kSkippable =
    std::size_t{64} * 1024;  // an unread body this small is read to keep the connection
constexpr std::size_t kFilePiece = std::size_t{1024} * 1024;
constexpr Millis kLinger{2'000};

bool is_sane_request_id(std::string_view id) {
  return !id.empty() && id.size() <= 64 && std::ranges::all_of(id, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == ':';
  });
}

bool has_body(int status) { return status >= 200 && status != 204 && status != 304; }

}  // namespace

SteadyTime coarse_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return SteadyTime(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
}

std::string_view DateText::now() {
  const std::time_t now = std::time(nullptr);
  if (now != second_) {
    second_ = now;
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    std::array<char, 40> text{};
    const std::size_t size =
        std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    text_.assign(text.data(), size);
  }
  return text_;
}

void Connection::Pieces::add(std::string_view bytes) {
  if (bytes.empty()) return;
  at[count++] = {const_cast<char*>(bytes.data()), bytes.size()};
}

bool Connection::Pieces::drop(std::size_t sent) {
  std::size_t done = 0;
  while (done < count && sent >= at[done].iov_len) sent -= at[done++].iov_len;
  std::move(at.begin() + static_cast<std::ptrdiff_t>(done),
            at.begin() + static_cast<std::ptrdiff_t>(count),
            at.begin());
  count -= done;
  if (count == 0) return true;
  at[0].iov_base = static_cast<char*>(at[0].iov_base) + sent;
  at[0].iov_len -= sent;
  return false;
}

Connection::Connection(Socket socket, ConnectionContext& context)
    : socket_(std::move(socket)), context_(context), input_(kSmallBuffer) {
  ErrorCode ignored;
  socket_.native_non_blocking(true, ignored);
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  socket_.set_option(asio::socket_base::keep_alive(true), ignored);
  const auto peer = socket_.remote_endpoint(ignored);
  request_.peer = peer.address().to_string();
}

asio::awaitable<void> Connection::run() {
  for (;;) {
    std::optional<Problem> fault;
    if (!co_await read_head(fault)) break;
    const auto began = std::chrono::steady_clock::now();
    ++context_.requests;

    Response response;
    if (fault) {
      input_broken_ = true;
      response = problem_response(*fault, request_.id);
    } else {
      phase_ = Phase::Handler;
      deadline_ = SteadyTime::max();
      response = co_await call_handler();
    }
    const bool keep = decide_keep(response);
    sent_ = 0;
    const bool complete = co_await send(response, keep);
    if (context_.done) {
      const auto took = std::chrono::steady_clock::now() - began;
      const Exchange exchange{.request = request_,
                              .status = response.status,
                              .sent = sent_,
                              .took = took,
                              .complete = complete};
      context_.done(exchange);
    }
    if (!complete) break;
    if (!keep) {
      co_await linger();
      break;
    }
    co_await skip_body();
    if (input_broken_) break;
  }
  close();
}

/// Reads until the header of the next request is complete. False: the connection is over without a
/// word.
asio::awaitable<bool> Connection::read_head(std::optional<Problem>& fault) {
  const auto bad = [&](int status, std::string_view code, std::string message) {
    fault = Problem{.status = status, .code = code, .message = std::move(message)};
    return true;
  };
  parser_ = &parser_place_.emplace(request_);
  parser_->header_limit(static_cast<std::uint32_t>(context_.options.max_header));
  want_continue_ = false;
  body_received_ = 0;
  expired_ = false;
  phase_ = Phase::Idle;
  deadline_ = coarse_now() + context_.options.idle_time;
  request_.id.clear();
  std::size_t head_size = 0;
  for (;;) {
    // Some clients end a body with one line break too many.
    while (head_size == 0 &&
           (input_.unread().starts_with('\r') || input_.unread().starts_with('\n')))
      input_.used(1);
    if (!input_.empty()) {
      if (phase_ == Phase::Idle) {
        phase_ = Phase::Head;
        deadline_ = coarse_now() + context_.options.header_time;
      }
      beast::error_code ec;
      const std::size_t used = parser_->feed(input_.unread(), ec);
      input_.used(used);
      head_size += used;
      const std::size_t unread = parser_->is_header_done() ? 0 : input_.unread().size();
      if (ec == beast::http::error::header_limit ||
          head_size + unread > context_.options.max_header) {
        prepare_request();
        co_return bad(431,
                      "too_large",
                      "the request header is larger than " +
                          human_bytes(static_cast<std::int64_t>(context_.options.max_header)));
      }
      if (ec) {
        prepare_request();
        co_return bad(400, "invalid", explain(ec));
      }
      if (parser_->is_header_done()) break;
    }
    if (context_.stopping && phase_ == Phase::Idle) co_return false;
    if (co_await fill() == 0) {
      if (!expired_ || phase_ == Phase::Idle) co_return false;
      prepare_request();
      co_return bad(408, "timeout", "the request header did not arrive in time");
    }
  }
  prepare_request();
  if (auto checked = parser_->check(); !checked)
    co_return bad(400, "invalid", checked.error().message);
  co_return true;
}

void Connection::prepare_request() {
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
  body_began_ = coarse_now();
}

asio::awaitable<std::size_t> Connection::fill() {
  const std::span<char> room = input_.room();
  ErrorCode ec;
  const std::size_t got = co_await socket_.async_read_some(
      asio::buffer(room.data(), room.size()), asio::redirect_error(asio::use_awaitable, ec));
  input_.arrived(got);
  co_return ec ? 0 : got;
}

asio::awaitable<Response> Connection::call_handler() {
  try {
    co_return co_await context_.handler(request_);
  } catch (const boost::system::system_error& e) {
    if (e.code() == asio::error::operation_aborted) throw;
    co_return failed(e.what());
  } catch (const std::exception& e) {
    co_return failed(e.what());
  }
}

Response Connection::failed(const char* why) {
  log::error(
      "http.handler_failed request={} path={} error={}", request_.id, request_.target.path, why);
  const Problem problem{
      .status = 500, .code = "internal", .message = "something went wrong on our side"};
  return problem_response(problem, request_.id);
}

bool Connection::decide_keep(const Response& response) const {
  if (input_broken_ || response.close || context_.stopping || !parser_->keep_alive()) return false;
  // HTTP/1.0 has no chunks: the end of such an answer is the end of the connection.
  const auto* stream = std::get_if<StreamBody>(&response.body);
  if (stream != nullptr && !stream->length && parser_->is_http_1_0()) return false;
  if (parser_->is_done()) return true;
  // An unread body stands between us and the next request. Whether a client that waits for 100
  // Continue will send it after a final answer is its own choice, so there we cannot go on either.
  const auto left = parser_->content_length_remaining();
  return !want_continue_ && left && *left <= kSkippable;
}

void Connection::write_head(const Response& response,
                            std::optional<std::uint64_t> length,
                            bool keep) {
  const auto to = std::back_inserter(out_);
  out_.clear();
  fmt::format_to(to,
                 "HTTP/1.1 {} {}\r\nDate: {}\r\n",
                 response.status,
                 reason_phrase(response.status),
                 context_.date.now());
  for (std::size_t i = 0; i < response.headers.size(); ++i) {
    const auto [name, value] = response.headers[i];
    out_ += name;
    out_ += ": ";
    out_ += value;
    out_ += "\r\n";
  }
  if (has_body(response.status)) {
    if (length) {
      fmt::format_to(to, "Content-Length: {}\r\n", *length);
    } else if (chunked_) {
      out_ += "Transfer-Encoding: chunked\r\n";
    }
  }
  if (!keep) {
    out_ += "Connection: close\r\n";
  } else if (parser_->is_http_1_0()) {
    out_ += "Connection: keep-alive\r\n";
  }
  out_ += "X-Request-Id: ";
  out_ += request_.id;
  out_ += "\r\n\r\n";
}

/// True when the whole answer is with the kernel.
asio::awaitable<bool> Connection::send(Response& response, bool keep) {
  expired_ = false;
  chunked_ = false;
  const bool with_body = has_body(response.status) && request_.method != Method::Head;
  if (auto* text = std::get_if<std::string>(&response.body)) {
    write_head(response, text->size(), keep);
    Pieces pieces;
    if (with_body && text->size() <= kSmallAnswer) out_ += *text;
    pieces.add(out_);
    if (with_body && text->size() > kSmallAnswer) pieces.add(*text);
    sent_ = with_body ? text->size() : 0;
    const Sent sent = send_now(pieces);
    if (sent == Sent::Some) co_return co_await send_rest(pieces, context_.options.write_time);
    co_return sent == Sent::All;
  }
  auto* stream = std::get_if<StreamBody>(&response.body);
  const auto* file = std::get_if<FileBody>(&response.body);
  std::optional<std::uint64_t> length;
  if (file != nullptr) length = file->length;
  if (stream != nullptr) length = stream->length;
  chunked_ = !length && !parser_->is_http_1_0();
  write_head(response, length, keep);
  Pieces head;
  head.add(out_);
  const Sent sent = send_now(head, file != nullptr && with_body ? MSG_MORE : 0);
  if (sent == Sent::Failed) co_return false;
  if (sent == Sent::Some && !co_await send_rest(head, context_.options.write_time)) co_return false;
  if (!with_body) co_return true;
  if (file != nullptr) co_return co_await send_file(file->fd.get(), file->offset, file->length);
  co_return co_await send_stream(*stream);
}

asio::awaitable<bool> Connection::send_stream(StreamBody& stream) {
  phase_ = Phase::Stream;
  deadline_ = SteadyTime::max();
  stream_left_ = stream.length;
  endless_ = stream.endless;
  gone_ = context_.stopping && endless_;
  watch_for_close();
  bool whole = false;
  try {
    co_await stream.write(*this);
    whole = !gone_ && stream_left_.value_or(0) == 0;
  } catch (const boost::system::system_error& e) {
    if (e.code() != asio::error::operation_aborted) failed(e.what());
  } catch (const std::exception& e) {
    failed(e.what());
  }
  *watching_ = false;
  if (!whole) co_return false;
  ErrorCode ignored;
  socket_.cancel(ignored);
  if (!chunked_) co_return true;
  Pieces end;
  end.add("0\r\n\r\n");
  const Sent sent = send_now(end);
  if (sent == Sent::Some) co_return co_await send_rest(end, context_.options.write_time);
  co_return sent == Sent::All;
}

Connection::Sent Connection::send_now(Pieces& pieces, int flags) {
  for (;;) {
    msghdr message{};
    message.msg_iov = pieces.at.data();
    message.msg_iovlen = pieces.count;
    const ssize_t sent =
        ::sendmsg(socket_.native_handle(), &message, MSG_NOSIGNAL | MSG_DONTWAIT | flags);
    if (sent < 0) {
      if (errno == EINTR) continue;
      return errno == EAGAIN || errno == EWOULDBLOCK ? Sent::Some : Sent::Failed;
    }
    if (pieces.drop(static_cast<std::size_t>(sent))) return Sent::All;
  }
}

asio::awaitable<bool> Connection::wait_writable(Millis patience) {
  deadline_ = coarse_now() + patience;
  ErrorCode ec;
  co_await socket_.async_wait(Socket::wait_write, asio::redirect_error(asio::use_awaitable, ec));
  deadline_ = SteadyTime::max();
  co_return !ec;
}

asio::awaitable<bool> Connection::send_rest(Pieces pieces, Millis patience) {
  for (;;) {
    if (!co_await wait_writable(patience)) co_return false;
    const Sent sent = send_now(pieces);
    if (sent != Sent::Some) co_return sent == Sent::All;
  }
}

asio::awaitable<bool> Connection::send_file(int fd, std::uint64_t offset, std::uint64_t length) {
  auto from = static_cast<off_t>(offset);
  while (length > 0) {
    const ssize_t sent =
        ::sendfile(socket_.native_handle(), fd, &from, std::min<std::uint64_t>(length, kFilePiece));
    if (sent > 0) {
      length -= static_cast<std::uint64_t>(sent);
      sent_ += static_cast<std::uint64_t>(sent);
      continue;
    }
    const bool full = sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    if (full && co_await wait_writable(context_.options.stream_write_time)) continue;
    if (sent < 0 && !full && errno == EINTR) continue;
    co_return false;  // the client is gone, or the file is shorter than promised
  }
  co_return true;
}

Result<void> Connection::may_write(std::uint64_t bytes) {
  if (gone_) return fail(Errc::Unavailable, "the client is gone");
  if (!stream_left_) return {};
  if (bytes > *stream_left_) {
    log::error("http.stream_too_long request={} path={}", request_.id, request_.target.path);
    gone_ = true;
    return fail(Errc::Internal, "a stream writes no more than the length it announced");
  }
  *stream_left_ -= bytes;
  return {};
}

asio::awaitable<Result<void>> Connection::write(std::string_view bytes) {
  if (bytes.empty()) co_return Result<void>{};
  TY_CO_DO(may_write(bytes.size()));
  std::array<char, 20> size_line{};
  Pieces pieces;
  if (chunked_) {
    const auto end = fmt::format_to(size_line.data(), "{:x}\r\n", bytes.size());
    pieces.add({size_line.data(), static_cast<std::size_t>(end - size_line.data())});
  }
  pieces.add(bytes);
  if (chunked_) pieces.add("\r\n");
  const Sent sent = send_now(pieces);
  bool ok = sent == Sent::All;
  if (sent == Sent::Some) ok = co_await send_rest(pieces, context_.options.stream_write_time);
  gone_ |= !ok;
  if (!ok) co_return fail(Errc::Unavailable, "the client is gone");
  sent_ += bytes.size();
  co_return Result<void>{};
}

asio::awaitable<Result<void>> Connection::write_file(int fd,
                                                     std::uint64_t offset,
                                                     std::uint64_t length) {
  if (length == 0) co_return Result<void>{};
  TY_CO_DO(may_write(length));
  bool ok = true;
  std::array<char, 20> size_line{};
  if (chunked_) {
    const auto end = fmt::format_to(size_line.data(), "{:x}\r\n", length);
    Pieces pieces;
    pieces.add({size_line.data(), static_cast<std::size_t>(end - size_line.data())});
    const Sent sent = send_now(pieces, MSG_MORE);
    ok = sent == Sent::All;
    if (sent == Sent::Some) ok = co_await send_rest(pieces, context_.options.stream_write_time);
  }
  if (ok) ok = co_await send_file(fd, offset, length);
  if (ok && chunked_) {
    Pieces pieces;
    pieces.add("\r\n");
    const Sent sent = send_now(pieces);
    ok = sent == Sent::All;
    if (sent == Sent::Some) ok = co_await send_rest(pieces, context_.options.stream_write_time);
  }
  gone_ |= !ok;
  if (!ok) co_return fail(Errc::Unavailable, "the client is gone");
  co_return Result<void>{};
}

asio::awaitable<Result<std::string_view>> Connection::read_some() {
  if (input_broken_) co_return fail(Errc::Invalid, "the body is not well-formed");
  if (want_continue_) {
    want_continue_ = false;
    Pieces pieces;
    pieces.add("HTTP/1.1 100 Continue\r\n\r\n");
    const Sent sent = send_now(pieces);
    if (sent == Sent::Some) co_await send_rest(pieces, context_.options.write_time);
  }
  while (!parser_->is_done()) {
    if (!input_.empty()) {
      beast::error_code ec;
      const std::size_t used = parser_->feed(input_.unread(), ec);
      input_.used(used);
      if (ec) {
        input_broken_ = true;
        co_return fail(Errc::Invalid, explain(ec));
      }
      if (!parser_->piece().empty()) {
        body_received_ += parser_->piece().size();
        co_return parser_->piece();
      }
      if (used > 0) continue;
      if (input_.unread().size() > context_.options.max_header) {
        input_broken_ = true;
        co_return fail(Errc::Invalid, "a chunk of the body has an endless header");
      }
    }
    input_.grow_to(kBodyBuffer);
    deadline_ =
        body_began_ + context_.options.body_time + std::chrono::seconds(body_received_ / 1024);
    const std::size_t got = co_await fill();
    deadline_ = SteadyTime::max();
    if (got == 0) {
      input_broken_ = true;
      if (expired_) co_return fail(Errc::Timeout, "the body did not arrive in time");
      co_return fail(Errc::Unavailable, "the client went away while sending the body");
    }
  }
  co_return std::string_view{};
}

asio::awaitable<void> Connection::skip_body() {
  while (!parser_->is_done() && !input_broken_) {
    const auto piece = co_await read_some();
    if (!piece) break;
  }
  input_.shrink_to(kSmallBuffer);
}

/// Closing a socket whose input has not been read resets the connection, and the client may lose
/// the answer that was on its way. So: say that nothing more will come, and swallow what the client
/// still sends for a moment.
asio::awaitable<void> Connection::linger() {
  ErrorCode ec;
  socket_.shutdown(Socket::shutdown_send, ec);
  if (ec || (parser_->is_header_done() && parser_->is_done() && input_.empty() && !input_broken_))
    co_return;
  phase_ = Phase::Linger;
  expired_ = false;
  deadline_ = coarse_now() + kLinger;
  input_.grow_to(kBodyBuffer);
  do {
    input_.clear();
  } while (co_await fill() > 0 && coarse_now() < deadline_);
}

void Connection::watch_for_close() {
  watching_ = std::make_shared<bool>(true);
  auto seen = [this, watching = watching_](const ErrorCode& ec) {
    if (ec || !*watching) return;
    char byte = 0;
    const ssize_t got = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    // Something to read is the next request, sent ahead; then the end shows only when writing
    // fails.
    if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR))) return;
    gone_ = true;
    cancel.emit(asio::cancellation_type::terminal);
  };
  socket_.async_wait(Socket::wait_read, std::move(seen));
}

void Connection::sweep(SteadyTime now) {
  if (now < deadline_) return;
  deadline_ = SteadyTime::max();
  expired_ = true;
  ErrorCode ignored;
  socket_.cancel(ignored);
}

void Connection::stop_soon() {
  if (phase_ == Phase::Idle || phase_ == Phase::Linger) return close();
  if (phase_ == Phase::Stream && endless_) {
    gone_ = true;
    cancel.emit(asio::cancellation_type::terminal);
  }
}

void Connection::stop_now() {
  gone_ = true;
  cancel.emit(asio::cancellation_type::terminal);
  close();
}

void Connection::close() {
  ErrorCode ignored;
  socket_.close(ignored);
}

}  // namespace ty::net
