#include "client/transport.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <fstream>
#include <sstream>

#include "base/text.h"
#include "client/messages.h"
#include "client/said.h"
#include "net/url.h"

namespace ty::client {

namespace json = boost::json;

namespace {

Errc errc_from(std::string_view word, int status) {
  for (const Errc code : {Errc::Invalid,
                          Errc::Unauthenticated,
                          Errc::Forbidden,
                          Errc::NotFound,
                          Errc::Conflict,
                          Errc::TooLarge,
                          Errc::Unprocessable,
                          Errc::Exhausted,
                          Errc::DiskFull,
                          Errc::Unavailable,
                          Errc::Timeout}) {
    if (to_string(code) == word) return code;
  }
  return status >= 500 ? Errc::Unavailable : Errc::Internal;
}

std::string text_of(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

int number_of(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_int64() ? static_cast<int>(value->get_int64()) : 0;
}

Message message_of(const json::object& object) {
  const json::value* says = object.if_contains("says");
  return said(says == nullptr ? json::value() : *says, text_of(object, "message"));
}

Error problem_of(const net::Answer& answer) {
  boost::system::error_code ec;
  const json::value body = json::parse(answer.body, ec);
  if (ec || !body.is_object()) {
    return {
        Errc::Unavailable,
        say::server_answered({.status = answer.status, .text = shorten(trim(answer.body), 200)}),
        {}};
  }
  const json::object& object = body.get_object();
  Error error{errc_from(text_of(object, "code"), answer.status), message_of(object), {}};
  if (const json::value* details = object.if_contains("details");
      details != nullptr && details->is_array()) {
    for (const json::value& detail : details->get_array()) {
      if (!detail.is_object()) continue;
      const json::object& one = detail.get_object();
      error.details.push_back({.pointer = text_of(one, "pointer"),
                               .message = message_of(one),
                               .code = text_of(one, "code"),
                               .line = number_of(one, "line"),
                               .column = number_of(one, "column")});
    }
  }
  return error;
}

Result<json::value> parsed(const net::Answer& answer) {
  if (answer.status >= 400) return std::unexpected(problem_of(answer));
  if (answer.body.empty()) return json::value(nullptr);
  boost::system::error_code ec;
  json::value body = json::parse(answer.body, ec);
  if (ec) return fail(Errc::Unavailable, say::answer_not_json());
  return body;
}

}  // namespace

Result<std::string> fingerprint_of(const std::string& certificate_file) {
  std::ifstream file(certificate_file);
  std::ostringstream text;
  text << file.rdbuf();
  return net::certificate_fingerprint(text.str());
}

void Request::add_value(std::string_view value) { http_.target += net::percent_encode(value); }

void Request::query(std::string_view name, std::string_view value) {
  http_.target += fmt::format("{}{}={}", has_query_ ? '&' : '?', name, net::percent_encode(value));
  has_query_ = true;
}

void Request::query(std::string_view name, std::int64_t value) {
  query(name, std::string_view(std::to_string(value)));
}

void Request::query(std::string_view name, bool value) {
  query(name, std::string_view(value ? "true" : "false"));
}

void Request::query(std::string_view name, const std::vector<std::string>& values) {
  for (const std::string& value : values) query(name, std::string_view(value));
}

void Request::header(std::string_view name, const std::optional<std::string>& value) {
  if (value) http_.headers.set(name, *value);
}

void Request::json(const json::value& body) {
  payload({.type = "application/json", .parts = {json::serialize(body)}});
}

void Request::text(std::string_view body) {
  payload({.type = "application/yaml", .parts = {std::string(body)}});
}

void Request::payload(const Payload& body) {
  http_.headers.set("Content-Type", body.type);
  http_.body = body.parts;
}

net::ClientRequest Request::take(const Secret& token) && {
  if (!token.empty()) http_.headers.set("Authorization", "Bearer " + token.reveal());
  http_.headers.set("User-Agent", "trainyard");
  return std::move(http_);
}

Transport::Transport(Credentials credentials) : credentials_(std::move(credentials)) {
  Result<net::Endpoint> endpoint = net::parse_endpoint(credentials_.url);
  net::ClientOptions options;
  options.trust = credentials_.trust;
  if (endpoint)
    http_ = std::make_unique<net::BlockingHttpClient>(*std::move(endpoint), options);
  else
    endpoint_ =
        std::unexpected(std::move(endpoint).error().with_context(plain(credentials_.source)));
}

Transport::~Transport() = default;

Error Transport::unreachable(Error error) const {
  if (error.code == Errc::Forbidden) {
    return {
        Errc::Unavailable, say::trust_hint({.why = error.message, .url = credentials_.url}), {}};
  }
  if (error.code != Errc::Unavailable && error.code != Errc::Timeout) return error;
  return {error.code,
          say::no_server_answers({.url = credentials_.url,
                                  .source = credentials_.source,
                                  .why = std::move(error.message)}),
          {}};
}

Result<json::value> Transport::exchange(Request request) {
  TY_DO(endpoint_);
  Result<net::Answer> answer = http_->send(std::move(request).take(credentials_.token));
  if (!answer) return std::unexpected(unreachable(std::move(answer).error()));
  return parsed(*answer);
}

Result<void> Transport::send(Request request) {
  TY_DO(exchange(std::move(request)));
  return {};
}

Result<void> Transport::stream(Request request, const Piece& piece) {
  TY_DO(endpoint_);
  Result<net::Answer> answer = http_->stream(std::move(request).take(credentials_.token), piece);
  if (!answer) return std::unexpected(unreachable(std::move(answer).error()));
  if (answer->status >= 400) return std::unexpected(problem_of(*answer));
  return {};
}

Result<std::string> Transport::text(Request request) {
  std::string all;
  const auto keep = [&all](std::string_view piece) {
    all += piece;
    return true;
  };
  TY_DO(stream(std::move(request), keep));
  return all;
}

}  // namespace ty::client
