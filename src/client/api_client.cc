#include "client/api_client.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/ids.h"
#include "base/text.h"
#include "client/messages.h"
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

Error problem_of(const net::Answer& answer) {
  boost::system::error_code ec;
  const json::value body = json::parse(answer.body, ec);
  if (ec || !body.is_object()) {
    return {
        Errc::Unavailable,
        fmt::format(
            "the server answered {} and said: {}", answer.status, shorten(trim(answer.body), 200)),
        {}};
  }
  const json::object& object = body.get_object();
  Error error{errc_from(text_of(object, "code"), answer.status), text_of(object, "message"), {}};
  if (const json::value* details = object.if_contains("details");
      details != nullptr && details->is_array()) {
    for (const json::value& detail : details->get_array()) {
      if (!detail.is_object()) continue;
      const json::object& one = detail.get_object();
      error.details.push_back({.pointer = text_of(one, "pointer"),
                               .message = text_of(one, "message"),
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

ApiClient::ApiClient(Credentials credentials) : credentials_(std::move(credentials)) {
  Result<net::Endpoint> endpoint = net::parse_endpoint(credentials_.url);
  net::ClientOptions options;
  options.trust = credentials_.trust;
  if (endpoint)
    http_ = std::make_unique<net::BlockingHttpClient>(*std::move(endpoint), options);
  else
    endpoint_ =
        std::unexpected(std::move(endpoint).error().with_context(plain(credentials_.source)));
}

ApiClient::~ApiClient() = default;

net::ClientRequest ApiClient::request(std::string_view method,
                                      std::string_view path,
                                      const Query& query) const {
  net::ClientRequest request{.method = std::string(method), .target = std::string(path)};
  for (std::size_t i = 0; i < query.size(); ++i) {
    request.target += fmt::format(
        "{}{}={}", i == 0 ? '?' : '&', query[i].first, net::percent_encode(query[i].second));
  }
  if (!credentials_.token.empty())
    request.headers.set("Authorization", "Bearer " + credentials_.token.reveal());
  request.headers.set("User-Agent", "trainyard");
  return request;
}

Error ApiClient::unreachable(Error error) const {
  if (error.code == Errc::Forbidden) {
    return {
        Errc::Unavailable, say::trust_hint({.why = error.message, .url = credentials_.url}), {}};
  }
  if (error.code != Errc::Unavailable && error.code != Errc::Timeout) return error;
  return {error.code,
          fmt::format(
              "no server answers at {} (from {}): {}; is it running? `trainyard serve` starts one",
              credentials_.url,
              credentials_.source,
              error.message),
          {}};
}

Result<json::value> ApiClient::send(net::ClientRequest request) {
  TY_DO(endpoint_);
  Result<net::Answer> answer = http_->send(std::move(request));
  if (!answer) return std::unexpected(unreachable(std::move(answer).error()));
  return parsed(*answer);
}

Result<json::value> ApiClient::get(std::string_view path, const Query& query) {
  return send(request("GET", path, query));
}

Result<json::value> ApiClient::post(std::string_view path,
                                    const json::value& body,
                                    const Query& query) {
  net::ClientRequest out = request("POST", path, query);
  if (!body.is_null()) {
    out.headers.set("Content-Type", "application/json");
    out.body.emplace_back(json::serialize(body));
  }
  return send(std::move(out));
}

Result<json::value> ApiClient::put(std::string_view path, const json::value& body) {
  net::ClientRequest out = request("PUT", path, {});
  out.headers.set("Content-Type", "application/json");
  out.body.emplace_back(json::serialize(body));
  return send(std::move(out));
}

Result<json::value> ApiClient::remove(std::string_view path, const Query& query) {
  return send(request("DELETE", path, query));
}

Result<json::value> ApiClient::post_text(std::string_view path,
                                         std::string_view text,
                                         const Query& query) {
  net::ClientRequest out = request("POST", path, query);
  out.headers.set("Content-Type", "application/yaml");
  out.body.emplace_back(std::string(text));
  return send(std::move(out));
}

Result<json::value> ApiClient::submit(std::string_view job_file,
                                      const std::vector<Upload>& uploads,
                                      const Query& query,
                                      std::string_view idempotency_key) {
  net::ClientRequest out = request("POST", "/api/v1/jobs", query);
  out.headers.set("Idempotency-Key", idempotency_key);
  if (uploads.empty()) {
    out.headers.set("Content-Type", "application/yaml");
    out.body.emplace_back(std::string(job_file));
    return send(std::move(out));
  }
  const std::string boundary = "trainyard-" + random_hex(16);
  out.headers.set("Content-Type", "multipart/form-data; boundary=" + boundary);
  const auto head = [&](std::string_view name, std::string_view file) {
    return fmt::format(
        "--{}\r\nContent-Disposition: form-data; name=\"{}\"; filename=\"{}\"\r\n\r\n",
        boundary,
        name,
        file);
  };
  out.body.emplace_back(head("job", "job.yaml") + std::string(job_file) + "\r\n");
  for (const Upload& upload : uploads) {
    std::error_code ec;
    const auto size = std::filesystem::file_size(upload.file, ec);
    if (ec)
      return fail(Errc::Internal,
                  say::upload_unreadable({.path = upload.file, .why = ec.message()}));
    out.body.emplace_back(head(upload.name, "code.tar.zst"));
    out.body.emplace_back(net::FilePart{.path = upload.file, .size = size});
    out.body.emplace_back("\r\n");
  }
  out.body.emplace_back(fmt::format("--{}--\r\n", boundary));
  return send(std::move(out));
}

Result<void> ApiClient::stream(std::string_view path,
                               const Query& query,
                               const std::function<bool(std::string_view)>& piece,
                               const std::vector<std::pair<std::string, std::string>>& headers) {
  TY_DO(endpoint_);
  net::ClientRequest out = request("GET", path, query);
  for (const auto& [name, value] : headers) out.headers.set(name, value);
  Result<net::Answer> answer = http_->stream(std::move(out), piece);
  if (!answer) return std::unexpected(unreachable(std::move(answer).error()));
  if (answer->status >= 400) return std::unexpected(problem_of(*answer));
  return {};
}

Result<std::string> ApiClient::text(std::string_view path, const Query& query) {
  std::string all;
  const auto keep = [&all](std::string_view piece) {
    all += piece;
    return true;
  };
  TY_DO(stream(path, query, keep));
  return all;
}

}  // namespace ty::client
