#include "net/websocket.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "base/text.h"
#include "net/impl/client_tunnel.h"
#include "net/impl/tunnel_stream.h"
#include "net/messages.h"
#include "rt/within.h"

namespace ty::net {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = beast::websocket;
using ErrorCode = boost::system::error_code;

namespace {

constexpr Millis kCloseTime{5'000};
constexpr Millis kOwnTick{250};
constexpr std::size_t kMaskedPiece = std::size_t{64} * 1024;

/// How RFC 6455 wants the key of a request to be answered.
std::string accept_key(std::string_view key) {
  const std::string text = std::string(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  std::array<unsigned char, SHA_DIGEST_LENGTH> digest{};
  SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  std::array<unsigned char, 64> encoded{};
  const int size = EVP_EncodeBlock(encoded.data(), digest.data(), digest.size());
  return {reinterpret_cast<const char*>(encoded.data()), static_cast<std::size_t>(size)};
}

/// The first protocol the client names that we speak.
std::string choose_protocol(const Headers& headers, const std::vector<std::string>& ours) {
  for (const std::string& offered : split(headers.get("Sec-WebSocket-Protocol"), ',')) {
    const auto found = std::ranges::find(ours, trim(offered));
    if (found != ours.end()) return *found;
  }
  return {};
}

Errc errc_of_status(unsigned status) {
  if (status == 401) return Errc::Unauthenticated;
  if (status == 403) return Errc::Forbidden;
  return status == 404 ? Errc::NotFound : Errc::Unavailable;
}

class BeastWebSocket final : public WebSocket {
 public:
  BeastWebSocket(Tunnel& tunnel, WebSocketOptions options)
      : options_(std::move(options)),
        stream_(tunnel, traffic_),
        settled_(tunnel.executor()),
        own_ticks_(tunnel.executor()) {
    // How long things may take is watched over by `tick`, on the connection's clock.
    stream_.set_option(
        websocket::stream_base::timeout{.handshake_timeout = websocket::stream_base::none(),
                                        .idle_timeout = websocket::stream_base::none(),
                                        .keep_alive_pings = false});
    stream_.read_message_max(options_.max_message);
    stream_.auto_fragment(false);
    stream_.write_buffer_bytes(kMaskedPiece);
  }
  /// The other end's side: owns its connection.
  BeastWebSocket(std::unique_ptr<Tunnel> tunnel, WebSocketOptions options)
      : BeastWebSocket(*tunnel, std::move(options)) {
    owned_ = std::move(tunnel);
  }

  /// The connection has read the request and written the answer; Beast only has to know.
  asio::awaitable<Result<void>> accept(std::string key, std::string protocol) {
    protocol_ = std::move(protocol);
    beast::http::request<beast::http::empty_body> request{beast::http::verb::get, "/", 11};
    request.set(beast::http::field::host, "localhost");
    request.set(beast::http::field::upgrade, "websocket");
    request.set(beast::http::field::connection, "Upgrade");
    request.set(beast::http::field::sec_websocket_key, key);
    request.set(beast::http::field::sec_websocket_version, "13");
    traffic_->swallow = true;
    ErrorCode ec;
    co_await stream_.async_accept(request, asio::redirect_error(asio::use_awaitable, ec));
    traffic_->swallow = false;
    if (ec) co_return fail(Errc::Internal, say::no_websocket({.why = ec.message()}));
    Tunnel& tunnel = stream_.next_layer().tunnel();
    tunnel.on_tick([this](SteadyTime now) { tick(now); });
    tunnel.on_stop([this] { leave(); });
    co_return Result<void>{};
  }

  asio::awaitable<Result<void>> connect(std::string host, WebSocketRequest request) {
    stream_.set_option(websocket::stream_base::decorator([&request,
                                                          this](websocket::request_type& head) {
      for (std::size_t i = 0; i < request.headers.size(); ++i)
        head.insert(std::string(request.headers[i].name), std::string(request.headers[i].value));
      if (!options_.protocols.empty())
        head.set(beast::http::field::sec_websocket_protocol, join(options_.protocols, ", "));
    }));
    websocket::response_type answer;
    ErrorCode ec;
    co_await stream_.async_handshake(
        answer, host, request.target, asio::redirect_error(asio::use_awaitable, ec));
    if (ec == websocket::error::upgrade_declined) {
      const unsigned status = answer.result_int();
      co_return fail(
          errc_of_status(status),
          say::websocket_refused({.status = status, .text = shorten(trim(answer.body()), 200)}));
    }
    if (ec) co_return fail(Errc::Unavailable, say::no_websocket({.why = ec.message()}));
    protocol_ = answer[beast::http::field::sec_websocket_protocol];
    tick_later();
    co_return Result<void>{};
  }

  asio::awaitable<Result<std::optional<WebSocketMessage>>> read() override {
    buffer_.clear();
    is_reading_ = true;
    ErrorCode ec;
    co_await stream_.async_read(buffer_, asio::redirect_error(asio::use_awaitable, ec));
    is_reading_ = false;
    // Once we have said goodbye, whatever ends the reading is the end we asked for.
    if (ec == websocket::error::closed || (ec && is_closing_)) co_return std::nullopt;
    if (ec == websocket::error::message_too_big || ec == websocket::error::buffer_overflow) {
      co_return fail(Errc::TooLarge, say::message_too_large({.limit = options_.max_message}));
    }
    if (ec) co_return broken(ec);
    WebSocketMessage message{
        .kind = stream_.got_text() ? MessageKind::Text : MessageKind::Binary,
        .bytes = {static_cast<const char*>(buffer_.data().data()), buffer_.size()}};
    co_return message;
  }

  asio::awaitable<Result<void>> write(MessageKind kind, std::string_view bytes) override {
    stream_.text(kind == MessageKind::Text);
    ErrorCode ec;
    co_await stream_.async_write(asio::buffer(bytes),
                                 asio::redirect_error(asio::use_awaitable, ec));
    if (ec) co_return broken(ec);
    co_return Result<void>{};
  }

  asio::awaitable<void> close(std::uint16_t code, std::string_view reason) override {
    if (!stream_.is_open() || std::exchange(is_closing_, true)) co_return;
    websocket::close_reason why(code);
    why.reason.assign(reason.data(), std::min(reason.size(), why.reason.max_size()));
    ErrorCode ignored;
    co_await stream_.async_close(why, asio::redirect_error(asio::use_awaitable, ignored));
  }

  const std::string& protocol() const override { return protocol_; }

  /// Ends what is still under way and waits for it: nothing may call us back afterwards.
  asio::awaitable<void> settle() {
    Tunnel& tunnel = stream_.next_layer().tunnel();
    tunnel.on_tick({});
    tunnel.on_stop({});
    tunnel.abort();
    if (traffic_->under_way == 0) co_return;
    traffic_->settled = [this] { settled_.cancel(); };
    ErrorCode ignored;
    settled_.expires_at(SteadyTime::max());
    co_await settled_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    traffic_->settled = nullptr;
  }

 private:
  std::unexpected<Error> broken(const ErrorCode& ec) const {
    if (was_silent_) return fail(Errc::Timeout, say::peer_silent());
    return fail(Errc::Unavailable, say::connection_broke({.why = ec.message()}));
  }

  void tick(SteadyTime now) {
    if (is_closing_) {
      closing_since_ = closing_since_ == SteadyTime() ? now : closing_since_;
      if (now - closing_since_ >= kCloseTime) stream_.next_layer().tunnel().abort();
      return;
    }
    // Silence counts while somebody listens: what is not read may well have been said.
    if (traffic_->received != heard_ || !is_reading_ || heard_at_ == SteadyTime()) {
      heard_ = traffic_->received;
      heard_at_ = now;
      has_pinged_ = false;
      return;
    }
    if (now - heard_at_ >= options_.idle) {
      was_silent_ = true;
      stream_.next_layer().tunnel().abort();
    } else if (now - heard_at_ >= options_.idle / 2 && !std::exchange(has_pinged_, true)) {
      stream_.async_ping({}, [](const ErrorCode&) {});
    }
  }

  /// A client's connection has nobody who looks after it a few times a second.
  void tick_later() {
    own_ticks_.expires_after(std::min(kOwnTick, options_.idle / 4));
    own_ticks_.async_wait([this, alive = std::weak_ptr(traffic_)](const ErrorCode& ec) {
      if (ec || alive.expired()) return;
      tick(std::chrono::steady_clock::now());
      tick_later();
    });
  }

  /// The server stops: 1001, "going away". Whoever reads is told by the answer to it.
  void leave() {
    if (!stream_.is_open() || std::exchange(is_closing_, true)) return;
    stream_.async_close(websocket::close_reason(websocket::close_code::going_away),
                        [](const ErrorCode&) {});
  }

  WebSocketOptions options_;
  std::unique_ptr<Tunnel> owned_;  ///< before the stream that uses it
  std::shared_ptr<TunnelStream::Traffic> traffic_ = std::make_shared<TunnelStream::Traffic>();
  websocket::stream<TunnelStream, false> stream_;
  beast::flat_buffer buffer_;
  asio::steady_timer settled_;
  asio::steady_timer own_ticks_;
  std::string protocol_;
  std::uint64_t heard_ = 0;
  SteadyTime heard_at_;
  SteadyTime closing_since_;
  bool is_reading_ = false;
  bool is_closing_ = false;
  bool has_pinged_ = false;
  bool was_silent_ = false;
};

Response refuse(const Request& request, int status, Message message) {
  const Problem problem{.status = status, .code = "invalid", .message = std::move(message)};
  return problem_response(problem, request.id);
}

}  // namespace

Response websocket_response(const Request& request,
                            WebSocketOptions options,
                            std::function<asio::awaitable<void>(WebSocket&)> talk) {
  const std::string key(trim(request.headers.get("Sec-WebSocket-Key")));
  const bool asks = request.method == Method::Get && request.source == nullptr &&
                    request.headers.has_token("Upgrade", "websocket") &&
                    request.headers.has_token("Connection", "upgrade");
  if (!asks) {
    Response response = refuse(request, 426, say::speaks_websocket());
    response.headers.add("Upgrade", "websocket");
    return response;
  }
  if (request.headers.get("Sec-WebSocket-Version") != "13") {
    Response response = refuse(request, 426, say::websocket_version());
    response.headers.add("Sec-WebSocket-Version", "13");
    return response;
  }
  if (key.size() != 24) return refuse(request, 400, say::websocket_key());

  std::string protocol = choose_protocol(request.headers, options.protocols);
  Response response{.status = 101};
  response.headers.add("Upgrade", "websocket");
  response.headers.add("Sec-WebSocket-Accept", accept_key(key));
  if (!protocol.empty()) response.headers.add("Sec-WebSocket-Protocol", protocol);
  struct Talk {
    std::string key;
    std::string protocol;
    WebSocketOptions options;
    std::function<asio::awaitable<void>(WebSocket&)> talk;

    asio::awaitable<void> operator()(Tunnel& tunnel) const {
      BeastWebSocket socket(tunnel, options);
      std::exception_ptr thrown;
      try {
        if (co_await socket.accept(key, protocol)) {
          co_await talk(socket);
          co_await socket.close(1000, {});
        }
      } catch (...) {
        thrown = std::current_exception();
      }
      // Also when cancelled: what was begun must have ended before the socket goes.
      co_await asio::this_coro::throw_if_cancelled(false);
      co_await socket.settle();
      if (thrown) std::rethrow_exception(thrown);
    }
  };
  response.body = Upgrade{.run = Talk{.key = key,
                                      .protocol = std::move(protocol),
                                      .options = std::move(options),
                                      .talk = std::move(talk)}};
  return response;
}

asio::awaitable<Result<std::unique_ptr<WebSocket>>> connect_websocket(
    asio::any_io_executor executor, Endpoint endpoint, WebSocketRequest request) {
  auto open = [](asio::any_io_executor where,
                 Endpoint to,
                 WebSocketRequest what) -> asio::awaitable<Result<std::unique_ptr<WebSocket>>> {
    std::shared_ptr<const TlsClientContext> tls;
    if (to.is_tls) {
      TY_CO_TRY(tls, TlsClientContext::make(what.trust));
    }
    TY_CO_TRY(auto connection, co_await ClientConnection::open(where, to, std::move(tls)));
    auto tunnel = std::make_unique<ClientTunnel>(std::move(connection));
    auto socket = std::make_unique<BeastWebSocket>(std::move(tunnel), what.options);
    what.target = to.prefix + what.target;
    auto connected = co_await socket->connect(fmt::format("{}:{}", to.host, to.port), what);
    if (!connected)
      co_return std::unexpected(std::move(connected).error().with_context(plain(to_text(to))));
    co_return socket;
  };
  const Millis limit = request.connect_time;
  return rt::within(limit, open(std::move(executor), std::move(endpoint), std::move(request)));
}

}  // namespace ty::net
