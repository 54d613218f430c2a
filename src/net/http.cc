#include "net/http.h"

#include <fmt/format.h>

#include "base/json_text.h"
#include "net/messages.h"

namespace ty::net {

namespace asio = boost::asio;

namespace {

constexpr std::pair<Method, std::string_view> kMethods[] = {
    {Method::Get, "GET"},
    {Method::Head, "HEAD"},
    {Method::Post, "POST"},
    {Method::Put, "PUT"},
    {Method::Patch, "PATCH"},
    {Method::Delete, "DELETE"},
    {Method::Options, "OPTIONS"},
};

class TextBody final : public BodySource {
 public:
  explicit TextBody(std::string text) : text_(std::move(text)) {}
  asio::awaitable<Result<std::string_view>> read_some() override {
    co_return std::exchange(given_, true) ? std::string_view{} : std::string_view(text_);
  }

 private:
  std::string text_;
  bool given_ = false;
};

}  // namespace

std::string_view to_string(Method method) {
  for (const auto& [value, word] : kMethods) {
    if (value == method) return word;
  }
  return "OTHER";
}

Method method_from(std::string_view word) {
  for (const auto& [value, name] : kMethods) {
    if (name == word) return value;
  }
  return Method::Other;
}

std::unique_ptr<BodySource> text_body(std::string text) {
  return std::make_unique<TextBody>(std::move(text));
}

std::string_view Request::param(std::string_view name) const {
  for (const auto& [key, value] : route_values) {
    if (key == name) return value;
  }
  TY_CHECK(false, "a handler asks only for parts of its own route");
  return {};
}

std::optional<std::string_view> Request::query(std::string_view name) const {
  for (const auto& [key, value] : target.query) {
    if (key == name) return value;
  }
  return std::nullopt;
}

std::vector<std::string_view> Request::query_all(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [key, value] : target.query) {
    if (key == name) values.push_back(value);
  }
  return values;
}

asio::awaitable<Result<std::string_view>> Request::read_some() {
  if (source == nullptr) co_return std::string_view{};
  co_return co_await source->read_some();
}

asio::awaitable<Result<std::string>> Request::body(std::uint64_t limit) {
  if (content_length && *content_length > limit) {
    co_return fail(Errc::TooLarge, say::body_too_large({.size = *content_length, .limit = limit}));
  }
  std::string whole;
  if (content_length) whole.reserve(*content_length);
  for (;;) {
    TY_CO_TRY(const std::string_view piece, co_await read_some());
    if (piece.empty()) co_return whole;
    if (whole.size() + piece.size() > limit)
      co_return fail(Errc::TooLarge, say::body_over_limit({.limit = limit}));
    whole += piece;
  }
}

Response text_response(int status, std::string text, std::string_view content_type) {
  Response response;
  response.status = status;
  response.headers.add("Content-Type", content_type);
  response.body = std::move(text);
  return response;
}

Response json_response(int status, std::string json) {
  return text_response(status, std::move(json), "application/json");
}

Response empty_response(int status) {
  Response response;
  response.status = status;
  return response;
}

Response file_response(FileBody file, std::string_view content_type) {
  Response response;
  response.headers.add("Content-Type", content_type);
  response.body = std::move(file);
  return response;
}

Response stream_response(std::string_view content_type,
                         std::function<asio::awaitable<void>(BodyWriter&)> write) {
  Response response;
  response.headers.add("Content-Type", content_type);
  response.body = StreamBody{.write = std::move(write)};
  return response;
}

Response problem_response(const Problem& problem, std::string_view request_id) {
  std::string json = "{\"code\":";
  append_json_string(json, problem.code);
  json += ",\"message\":";
  append_json_string(json, problem.message.text());
  json += ",\"says\":";
  append_json(json, problem.message);
  json += ",\"details\":[";
  for (std::size_t i = 0; i < problem.details.size(); ++i) {
    const Fault& fault = problem.details[i];
    json += i == 0 ? "{\"pointer\":" : ",{\"pointer\":";
    append_json_string(json, fault.pointer);
    json += ",\"message\":";
    append_json_string(json, fault.message.text());
    json += ",\"says\":";
    append_json(json, fault.message);
    if (!fault.code.empty()) {
      json += ",\"code\":";
      append_json_string(json, fault.code);
    }
    if (fault.line > 0)
      fmt::format_to(
          std::back_inserter(json), ",\"line\":{},\"column\":{}", fault.line, fault.column);
    json += '}';
  }
  json += "],\"request_id\":";
  append_json_string(json, request_id);
  json += "}\n";
  return json_response(problem.status, std::move(json));
}

std::string_view reason_phrase(int status) {
  switch (status) {
    case 100:
      return "Continue";
    case 101:
      return "Switching Protocols";
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 206:
      return "Partial Content";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 307:
      return "Temporary Redirect";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 411:
      return "Length Required";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Payload Too Large";
    case 415:
      return "Unsupported Media Type";
    case 416:
      return "Range Not Satisfiable";
    case 421:
      return "Misdirected Request";
    case 422:
      return "Unprocessable Entity";
    case 426:
      return "Upgrade Required";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    case 507:
      return "Insufficient Storage";
    default:
      return "Status";
  }
}

}  // namespace ty::net
