#include "engine/local/docker/client.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <charconv>

#include "base/text.h"
#include "engine/messages.h"

namespace ty::engine::docker {
namespace {

namespace json = boost::json;

/// The newest version whose answers we know. Daemons refuse versions older than some years, so we
/// speak theirs where it is older than this, and this where theirs is newer.
constexpr int kNewestMinor = 50;
constexpr int kOldestMinor = 40;  // Docker 19.03: GPUs
/// A start on a machine with its hands full takes Docker this long and more.
constexpr Millis kAnswerTime{180'000};

std::optional<int> minor_of(std::string_view version) {
  if (!version.starts_with("1.")) return std::nullopt;
  int minor = 0;
  const auto [end, error] =
      std::from_chars(version.data() + 2, version.data() + version.size(), minor);
  return error == std::errc{} ? std::optional(minor) : std::nullopt;
}

}  // namespace

Client::Client(std::string socket) : socket_(std::move(socket)) {}
Client::~Client() = default;

net::Endpoint Client::endpoint() const {
  net::Endpoint endpoint;
  endpoint.host = "docker";
  endpoint.socket_path = socket_;
  return endpoint;
}

std::string Client::encode(std::string_view text) {
  std::string out;
  for (const unsigned char c : text) {
    const bool is_plain = std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' || c == '~';
    is_plain ? out.push_back(static_cast<char>(c))
             : void(fmt::format_to(std::back_inserter(out), "%{:02X}", c));
  }
  return out;
}

Result<void> Client::check(int status, std::string_view body) {
  if (status < 400) return {};
  std::string said;
  boost::system::error_code error;
  const json::value parsed = json::parse(body, error);
  if (!error && parsed.is_object()) {
    for (const char* key : {"message", "cause"}) {
      const json::value* text = parsed.as_object().if_contains(key);
      if (text != nullptr && text->is_string() && said.empty())
        said = std::string(text->as_string());
    }
  }
  const Errc code = status == 404   ? Errc::NotFound
                    : status == 409 ? Errc::Conflict
                    : status < 500  ? Errc::Invalid
                                    : Errc::Internal;
  if (!said.empty()) return fail(code, plain(said));
  return fail(code, say::docker_status({.status = status, .why = plain(shorten(body))}));
}

std::string Client::words_of(const Message& message) {
  if (message.code == "plain") return message.text();
  const Value* why = message.find("why");
  const auto* inner = why == nullptr ? nullptr : std::get_if<Value::Messages>(&why->any());
  return inner == nullptr || inner->empty() ? std::string() : words_of(inner->front());
}

std::unique_ptr<net::BlockingHttpClient> Client::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto connection = std::move(idle_.back());
      idle_.pop_back();
      return connection;
    }
  }
  net::ClientOptions options;
  options.answer_time = kAnswerTime;
  return std::make_unique<net::BlockingHttpClient>(endpoint(), options);
}

void Client::give_back(std::unique_ptr<net::BlockingHttpClient> connection) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(connection));
}

Result<net::Answer> Client::send(std::string method, std::string target, std::string body) {
  net::ClientRequest request;
  request.method = std::move(method);
  request.target = std::move(target);
  if (!body.empty()) request.headers.set("Content-Type", "application/json");
  if (!body.empty()) request.body.emplace_back(std::move(body));
  // Ours are all idempotent by name: a repeated create is a conflict, a repeated start is nothing.
  request.headers.set("Idempotency-Key", "1");
  auto connection = take();
  auto answer = connection->send(std::move(request));
  if (!answer) {
    return fail(Errc::Unavailable,
                say::docker_silent({.socket = socket_, .why = std::move(answer).error().message}));
  }
  give_back(std::move(connection));
  return answer;
}

Result<std::string> Client::version() {
  {
    const std::lock_guard lock(mutex_);
    if (!version_.empty()) return version_;
  }
  TY_TRY(const net::Answer answer, send("GET", "/version", {}));
  TY_DO(check(answer.status, answer.body));
  boost::system::error_code error;
  const json::value parsed = json::parse(answer.body, error);
  const json::value* theirs =
      !error && parsed.is_object() ? parsed.as_object().if_contains("ApiVersion") : nullptr;
  const auto minor =
      theirs != nullptr && theirs->is_string() ? minor_of(theirs->as_string()) : std::nullopt;
  if (!minor) return fail(Errc::Invalid, say::not_docker({.socket = socket_}));
  if (*minor < kOldestMinor) {
    return fail(Errc::Invalid,
                say::docker_too_old({.socket = socket_, .theirs = *minor, .needed = kOldestMinor}));
  }
  const std::lock_guard lock(mutex_);
  is_podman_ = answer.body.find("\"Podman Engine\"") != std::string::npos;
  version_ = fmt::format("1.{}", std::min(*minor, kNewestMinor));
  return version_;
}

Result<bool> Client::is_podman() {
  TY_TRY([[maybe_unused]] const std::string spoken, version());
  const std::lock_guard lock(mutex_);
  return is_podman_;
}

Result<void> Client::ping() {
  auto answer = send("GET", "/_ping", {});
  if (!answer) {
    // Another version may come back.
    const std::lock_guard lock(mutex_);
    version_.clear();
    return std::unexpected(std::move(answer).error());
  }
  return check(answer->status, answer->body);
}

Result<std::string> Client::call(std::string method, std::string_view path, std::string body) {
  TY_TRY(const std::string spoken, version());
  TY_TRY(net::Answer answer,
         send(std::move(method), fmt::format("/v{}{}", spoken, path), std::move(body)));
  TY_DO(check(answer.status, answer.body));
  return std::move(answer.body);
}

Result<std::string> Client::get(std::string_view path) { return call("GET", path, {}); }
Result<std::string> Client::post(std::string_view path, std::string body) {
  return call("POST", path, std::move(body));
}
Result<void> Client::remove(std::string_view path) {
  TY_TRY([[maybe_unused]] const std::string body, call("DELETE", path, {}));
  return {};
}

}  // namespace ty::engine::docker
