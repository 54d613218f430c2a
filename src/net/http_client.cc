#include "net/http_client.h"

#include <fmt/format.h>

#include <boost/beast/http/error.hpp>
#include <boost/url/parse.hpp>
#include <charconv>

#include "base/text.h"
#include "net/impl/client_connection.h"
#include "net/impl/client_tunnel.h"
#include "net/impl/message_parser.h"
#include "net/messages.h"
#include "rt/within.h"

namespace ty::net {

namespace asio = boost::asio;

namespace {

/// From this size on the client asks before it sends: a refused upload then costs nothing.
constexpr std::uint64_t kAskFirst = std::uint64_t{1024} * 1024;
constexpr Millis kAskPatience{1'000};

std::uint64_t size_of(const std::vector<BodyPart>& parts) {
  std::uint64_t sum = 0;
  for (const BodyPart& part : parts) {
    const auto* text = std::get_if<std::string>(&part);
    sum += text != nullptr ? text->size() : std::get<FilePart>(part).size;
  }
  return sum;
}

bool is_port(std::string_view text) {
  std::uint16_t number = 0;
  const auto [end, ec] = std::from_chars(text.begin(), text.end(), number);
  return ec == std::errc{} && end == text.end();
}

bool may_repeat(const ClientRequest& request) {
  return request.method == "GET" || request.method == "HEAD" || request.method == "PUT" ||
         request.method == "DELETE" || request.headers.has("Idempotency-Key");
}

std::string head_of(const ClientRequest& request,
                    const Endpoint& endpoint,
                    std::uint64_t body_size) {
  std::string head =
      fmt::format("{} {}{} HTTP/1.1\r\n", request.method, endpoint.prefix, request.target);
  if (!request.headers.has("Host")) {
    const bool is_v6 = endpoint.host.find(':') != std::string::npos;
    head += fmt::format("Host: {}{}{}", is_v6 ? "[" : "", endpoint.host, is_v6 ? "]" : "");
    head += endpoint.port.empty() ? "\r\n" : ":" + endpoint.port + "\r\n";
  }
  for (std::size_t i = 0; i < request.headers.size(); ++i) {
    const auto [name, value] = request.headers[i];
    head += fmt::format("{}: {}\r\n", name, value);
  }
  const bool usually_has_body =
      request.method == "POST" || request.method == "PUT" || request.method == "PATCH";
  if (body_size > 0 || usually_has_body) head += fmt::format("Content-Length: {}\r\n", body_size);
  if (body_size >= kAskFirst) head += "Expect: 100-continue\r\n";
  head += "\r\n";
  return head;
}

}  // namespace

Result<Endpoint> parse_endpoint(std::string_view url) {
  Endpoint endpoint;
  if (url.starts_with("unix:")) {
    url.remove_prefix(5);
    while (url.starts_with("//")) url.remove_prefix(1);
    if (!url.starts_with('/'))
      return fail(Errc::Invalid, say::not_a_socket_url({.url = shorten(url)}));
    endpoint.socket_path = url;
    endpoint.host = "localhost";
    return endpoint;
  }
  const bool has_scheme = url.find("://") != std::string_view::npos;
  const std::string whole = (has_scheme ? "" : "http://") + std::string(url);
  const auto parsed = boost::urls::parse_uri(whole);
  const bool is_good = parsed && (parsed->scheme() == "http" || parsed->scheme() == "https") &&
                       !parsed->encoded_host().empty() && !parsed->has_userinfo() &&
                       !parsed->has_query() && !parsed->has_fragment() &&
                       (!parsed->has_port() || is_port(parsed->port()));
  if (!is_good) {
    return fail(Errc::Invalid, say::not_an_endpoint({.url = shorten(url)}));
  }
  endpoint.is_tls = parsed->scheme() == "https";
  endpoint.host = parsed->host_address();
  endpoint.port = parsed->has_port() ? std::string(parsed->port())
                                     : std::string(endpoint.is_tls ? "443" : "80");
  endpoint.prefix = std::string(parsed->encoded_path());
  while (endpoint.prefix.ends_with('/')) endpoint.prefix.pop_back();
  return endpoint;
}

struct HttpClient::Pool {
  asio::any_io_executor executor;
  Endpoint endpoint;
  ClientOptions options;
  std::vector<std::unique_ptr<ClientConnection>> idle;
  std::shared_ptr<const TlsClientContext> tls;  ///< made with the first connection that needs it

  asio::awaitable<Result<std::unique_ptr<ClientConnection>>> open();

  std::unique_ptr<ClientConnection> take() {
    while (!idle.empty()) {
      auto connection = std::move(idle.back());
      idle.pop_back();
      if (connection->usable()) return connection;
    }
    return nullptr;
  }
  void give_back(std::unique_ptr<ClientConnection> connection) {
    if (idle.size() < options.keep) idle.push_back(std::move(connection));
  }
};

asio::awaitable<Result<std::unique_ptr<ClientConnection>>> HttpClient::Pool::open() {
  if (endpoint.is_tls && !tls) {
    TY_CO_TRY(tls, TlsClientContext::make(options.trust));
  }
  auto opened =
      co_await rt::within(options.connect_time, ClientConnection::open(executor, endpoint, tls));
  if (!opened && opened.error().code == Errc::Timeout) {
    co_return fail(
        Errc::Timeout,
        say::cannot_connect({.address = to_text(endpoint), .why = opened.error().message}));
  }
  co_return opened;
}

struct ClientResponse::Live {
  std::shared_ptr<HttpClient::Pool> pool;
  std::unique_ptr<ClientConnection> connection;
  int status = 0;
  Headers headers;
  std::optional<ResponseParser> parser;
  bool any_byte = false;

  /// Reads headers up to the final one; with `until_continue`, a 100 is enough.
  asio::awaitable<Result<void>> read_head(bool head_only, bool until_continue);
  /// `parts` belongs to the caller, who awaits this: a body may have to be sent twice.
  asio::awaitable<Result<void>> send_body(const std::vector<BodyPart>& parts);
};

asio::awaitable<Result<void>> ClientResponse::Live::read_head(bool head_only, bool until_continue) {
  for (;;) {
    parser.emplace(status, headers);
    parser->header_limit(static_cast<std::uint32_t>(pool->options.max_header));
    parser->skip(head_only);
    while (!parser->is_header_done()) {
      if (!connection->unread().empty()) {
        any_byte = true;
        beast::error_code ec;
        connection->used(parser->feed(connection->unread(), ec));
        if (ec) co_return fail(Errc::Invalid, say::answer_not_http({.why = ec.message()}));
        if (parser->is_header_done()) break;
        if (connection->unread().size() > pool->options.max_header) {
          co_return fail(Errc::Invalid, say::answer_header_endless());
        }
      }
      TY_CO_TRY(const bool more, co_await connection->fill());
      if (!more) co_return fail(Errc::Unavailable, say::closed_without_answer());
    }
    if (status >= 200 || status == 101 || (until_continue && status == 100))
      co_return Result<void>{};
  }
}

asio::awaitable<Result<void>> ClientResponse::Live::send_body(const std::vector<BodyPart>& parts) {
  for (const BodyPart& part : parts) {
    if (const auto* text = std::get_if<std::string>(&part)) {
      TY_CO_DO(co_await connection->write(*text));
    } else {
      TY_CO_DO(co_await connection->write_file(std::get<FilePart>(part)));
    }
  }
  co_return Result<void>{};
}

ClientResponse::ClientResponse() = default;
ClientResponse::ClientResponse(ClientResponse&&) noexcept = default;
ClientResponse& ClientResponse::operator=(ClientResponse&&) noexcept = default;
ClientResponse::~ClientResponse() = default;

asio::awaitable<Result<std::string_view>> ClientResponse::read_some() {
  if (!live_) co_return std::string_view{};
  ResponseParser& parser = *live_->parser;
  ClientConnection& connection = *live_->connection;
  while (!parser.is_done()) {
    if (!connection.unread().empty()) {
      beast::error_code ec;
      const std::size_t used = parser.feed(connection.unread(), ec);
      connection.used(used);
      if (ec) co_return fail(Errc::Invalid, say::answer_malformed({.why = ec.message()}));
      if (!parser.piece().empty()) co_return parser.piece();
      if (used > 0) continue;
    }
    const Millis patience = live_->pool->options.idle_read_time;
    auto filled = patience > Millis{0} ? co_await rt::within(patience, connection.fill())
                                       : co_await connection.fill();
    TY_CO_TRY(const bool more, std::move(filled));
    if (!more) {
      beast::error_code ec;
      parser.put_eof(ec);
      if (ec) co_return fail(Errc::Unavailable, say::closed_in_answer());
    }
  }
  if (parser.keep_alive() && status != 101) live_->pool->give_back(std::move(live_->connection));
  live_.reset();
  co_return std::string_view{};
}

asio::awaitable<Result<std::string>> ClientResponse::body(std::uint64_t limit) {
  std::string whole;
  for (;;) {
    TY_CO_TRY(const std::string_view piece, co_await read_some());
    if (piece.empty()) co_return whole;
    if (whole.size() + piece.size() > limit) {
      live_.reset();
      co_return fail(Errc::TooLarge, say::answer_too_large({.limit = limit}));
    }
    whole += piece;
  }
}

std::unique_ptr<Tunnel> ClientResponse::take_over() {
  TY_CHECK(status == 101 && live_, "only a connection whose protocol was switched is handed over");
  auto tunnel = std::make_unique<ClientTunnel>(std::move(live_->connection));
  live_.reset();
  return tunnel;
}

HttpClient::HttpClient(asio::any_io_executor executor, Endpoint endpoint, ClientOptions options)
    : pool_(std::make_shared<Pool>()) {
  pool_->executor = std::move(executor);
  pool_->endpoint = std::move(endpoint);
  pool_->options = options;
}

HttpClient::~HttpClient() = default;

const Endpoint& HttpClient::endpoint() const { return pool_->endpoint; }

asio::awaitable<Result<ClientResponse>> HttpClient::send(ClientRequest request) {
  const std::uint64_t body_size = size_of(request.body);
  const std::string head = head_of(request, pool_->endpoint, body_size);
  for (bool first = true;; first = false) {
    ClientResponse response;
    response.live_ = std::make_unique<ClientResponse::Live>();
    ClientResponse::Live& live = *response.live_;
    live.pool = pool_;
    if (first) live.connection = pool_->take();
    const bool reused = live.connection != nullptr;
    if (!reused) {
      TY_CO_TRY(live.connection, co_await pool_->open());
    }
    const bool head_only = request.method == "HEAD";
    auto result = co_await live.connection->write(head);
    bool answered = false;
    if (result && body_size >= kAskFirst) {
      const auto asked = co_await rt::within(kAskPatience, live.read_head(head_only, true));
      // No word in time is a yes: not every server knows the question.
      answered = asked.has_value() && live.status >= 200;
      if (!asked && asked.error().code != Errc::Timeout) result = asked;
    }
    if (result && !answered) {
      result = co_await live.send_body(request.body);
      // A server that refuses a body may answer and hang up before it has read it: the answer is
      // what counts.
      const bool may_have_answered = !result && result.error().code == Errc::Unavailable;
      if (result || may_have_answered) {
        auto answer =
            co_await rt::within(pool_->options.answer_time, live.read_head(head_only, false));
        if (answer || result) result = std::move(answer);
      }
    }
    if (!result) {
      const bool died_of_age = reused && !live.any_byte && result.error().code == Errc::Unavailable;
      if (died_of_age && may_repeat(request)) continue;
      co_return std::unexpected(
          std::move(result).error().with_context(plain(to_text(pool_->endpoint))));
    }
    response.status = live.status;
    response.headers = std::move(live.headers);
    if (live.parser->is_done() && live.status != 101) TY_CO_DO(co_await response.read_some());
    co_return response;
  }
}

}  // namespace ty::net
