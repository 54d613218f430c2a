#include "net/impl/response_writer.h"

#include <fmt/format.h>

#include <array>
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>
#include <exception>

#include "net/messages.h"
#include "rt/log.h"

namespace ty::net {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kSmallAnswer =
    std::size_t{16} * 1024;  // copied behind its head, so that both leave in one piece

bool has_body(int status) { return status >= 200 && status != 204 && status != 304; }

}  // namespace

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

Response handler_failed(const Request& request, const char* why) {
  log::error(
      "http.handler_failed request={} path={} error={}", request.id, request.target.path, why);
  const Problem problem{.status = 500, .code = "internal", .message = say::our_fault()};
  return problem_response(problem, request.id);
}

ResponseWriter::ResponseWriter(Wire& wire,
                               ConnectionContext& context,
                               const Request& request,
                               std::function<void()> on_gone)
    : wire_(wire), context_(context), request_(request), on_gone_(std::move(on_gone)) {}

void ResponseWriter::write_head(const Response& response,
                                std::optional<std::uint64_t> length,
                                Framing framing) {
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
  if (std::holds_alternative<Upgrade>(response.body)) {
    out_ += "Connection: Upgrade\r\n";
  } else if (!framing.keep) {
    out_ += "Connection: close\r\n";
  } else if (framing.http_1_0) {
    out_ += "Connection: keep-alive\r\n";
  }
  out_ += "X-Request-Id: ";
  out_ += request_.id;
  out_ += "\r\n\r\n";
}

asio::awaitable<bool> ResponseWriter::send(Response& response, Framing framing) {
  wire_.forget_expiry();
  chunked_ = false;
  sent_ = 0;
  const bool with_body = has_body(response.status) && request_.method != Method::Head;
  if (auto* text = std::get_if<std::string>(&response.body)) {
    write_head(response, text->size(), framing);
    Pieces pieces;
    if (with_body && text->size() <= kSmallAnswer) out_ += *text;
    pieces.add(out_);
    if (with_body && text->size() > kSmallAnswer) pieces.add(*text);
    sent_ = with_body ? text->size() : 0;
    const Wire::Sent sent = wire_.send_now(pieces);
    if (sent == Wire::Sent::Some)
      co_return co_await wire_.send_rest(pieces, context_.options.write_time);
    co_return sent == Wire::Sent::All;
  }
  auto* stream = std::get_if<StreamBody>(&response.body);
  const auto* file = std::get_if<FileBody>(&response.body);
  std::optional<std::uint64_t> length;
  if (file != nullptr) length = file->length;
  if (stream != nullptr) length = stream->length;
  chunked_ = !length && !framing.http_1_0;
  write_head(response, length, framing);
  Pieces head;
  head.add(out_);
  const Wire::Sent sent = wire_.send_now(head, file != nullptr && with_body);
  if (sent == Wire::Sent::Failed) co_return false;
  if (sent == Wire::Sent::Some && !co_await wire_.send_rest(head, context_.options.write_time))
    co_return false;
  if (!with_body) co_return true;
  if (file != nullptr) {
    co_return co_await wire_.send_file(
        file->fd.get(), file->offset, file->length, context_.options.stream_write_time, sent_);
  }
  co_return co_await send_stream(*stream);
}

asio::awaitable<bool> ResponseWriter::send_stream(StreamBody& stream) {
  stream_left_ = stream.length;
  is_endless_ = stream.endless;
  gone_ = context_.stopping && is_endless_;
  wire_.watch_for_end([this] {
    gone_ = true;
    on_gone_();
  });
  bool whole = false;
  try {
    co_await stream.write(*this);
    whole = !gone_ && stream_left_.value_or(0) == 0;
  } catch (const boost::system::system_error& e) {
    if (e.code() != asio::error::operation_aborted) handler_failed(request_, e.what());
  } catch (const std::exception& e) {
    handler_failed(request_, e.what());
  }
  is_endless_ = false;
  wire_.stop_watching();
  if (!whole) co_return false;
  if (!chunked_) co_return true;
  co_return co_await send_chunk_line("0\r\n\r\n", false);
}

asio::awaitable<bool> ResponseWriter::send_chunk_line(std::string_view line, bool more) {
  Pieces pieces;
  pieces.add(line);
  const Wire::Sent sent = wire_.send_now(pieces, more);
  if (sent == Wire::Sent::Some)
    co_return co_await wire_.send_rest(pieces, context_.options.stream_write_time);
  co_return sent == Wire::Sent::All;
}

Result<void> ResponseWriter::may_write(std::uint64_t bytes) {
  if (gone_) return fail(Errc::Unavailable, say::client_gone());
  if (!stream_left_) return {};
  if (bytes > *stream_left_) {
    log::error("http.stream_too_long request={} path={}", request_.id, request_.target.path);
    gone_ = true;
    return fail(Errc::Internal, say::stream_too_long());
  }
  *stream_left_ -= bytes;
  return {};
}

asio::awaitable<Result<void>> ResponseWriter::write(std::string_view bytes) {
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
  const Wire::Sent sent = wire_.send_now(pieces);
  bool ok = sent == Wire::Sent::All;
  if (sent == Wire::Sent::Some)
    ok = co_await wire_.send_rest(pieces, context_.options.stream_write_time);
  gone_ |= !ok;
  if (!ok) co_return fail(Errc::Unavailable, say::client_gone());
  sent_ += bytes.size();
  co_return Result<void>{};
}

asio::awaitable<Result<void>> ResponseWriter::write_file(int fd,
                                                         std::uint64_t offset,
                                                         std::uint64_t length) {
  if (length == 0) co_return Result<void>{};
  TY_CO_DO(may_write(length));
  bool ok = true;
  if (chunked_) ok = co_await send_chunk_line(fmt::format("{:x}\r\n", length), true);
  if (ok) {
    ok = co_await wire_.send_file(fd, offset, length, context_.options.stream_write_time, sent_);
  }
  if (ok && chunked_) ok = co_await send_chunk_line("\r\n", false);
  gone_ |= !ok;
  if (!ok) co_return fail(Errc::Unavailable, say::client_gone());
  co_return Result<void>{};
}

}  // namespace ty::net
