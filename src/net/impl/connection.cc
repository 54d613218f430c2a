#include "net/impl/connection.h"

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>
#include <chrono>
#include <exception>

namespace ty::net {

namespace asio = boost::asio;

namespace {

constexpr Millis kLinger{2'000};

}  // namespace

Connection::Connection(Wire::Socket socket, Peer peer, ConnectionContext& context)
    : context_(context),
      peer_(peer),
      wire_(std::move(socket), *context.options.time),
      writer_(
          wire_, context_, request_, [this] { cancel.emit(asio::cancellation_type::terminal); }) {
  request_.peer = wire_.peer();
}

asio::awaitable<void> Connection::run() {
  if (context_.options.tls && !co_await secure()) co_return wire_.close();
  for (;;) {
    phase_ = Phase::Reading;
    std::optional<Problem> fault;
    if (!co_await reader_.read_head(fault)) break;
    if (!fault) fault = context_.options.site.refuse(request_);
    phase_ = Phase::Answering;
    const auto began = std::chrono::steady_clock::now();
    ++context_.requests;

    Response response = fault ? problem_response(*fault, request_.id) : co_await call_handler();
    const Framing framing = framing_of(response);
    bool complete = co_await writer_.send(response, framing);
    auto* upgrade = std::get_if<Upgrade>(&response.body);
    if (complete && upgrade != nullptr) complete = co_await hand_over(*upgrade);
    if (context_.done) {
      const auto took = std::chrono::steady_clock::now() - began;
      const Exchange exchange{.request = request_,
                              .status = response.status,
                              .sent = writer_.sent() + tunnelled_,
                              .took = took,
                              .complete = complete};
      context_.done(exchange);
    }
    if (!complete || upgrade != nullptr) break;
    if (!framing.keep) {
      co_await linger();
      break;
    }
    co_await reader_.skip_body();
    if (reader_.is_broken()) break;
  }
  wire_.close();
}

/// TLS first. Who asks plainly is told where to ask instead of left with noise.
asio::awaitable<bool> Connection::secure() {
  auto identity = context_.options.tls->current();
  const auto secured = co_await wire_.secure(std::move(identity), context_.options.header_time);
  request_.is_secure = secured == Wire::Secured::Yes;
  if (secured == Wire::Secured::NotTls) {
    Pieces answer;
    answer.add(
        "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close\r\n"
        "Content-Length: 49\r\n\r\nThis server speaks https; write https:// instead\n");
    wire_.send_now(answer);
    wire_.end_sending();
  }
  co_return request_.is_secure;
}

asio::awaitable<Response> Connection::call_handler() {
  try {
    co_return co_await context_.handler(request_);
  } catch (const boost::system::system_error& e) {
    if (e.code() == asio::error::operation_aborted) throw;
    co_return handler_failed(request_, e.what());
  } catch (const std::exception& e) {
    co_return handler_failed(request_, e.what());
  }
}

Framing Connection::framing_of(const Response& response) const {
  Framing framing{.http_1_0 = reader_.is_http_1_0()};
  const auto* stream = std::get_if<StreamBody>(&response.body);
  const bool ends_with_connection = stream != nullptr && !stream->length && framing.http_1_0;
  framing.keep =
      !response.close && !context_.stopping && !ends_with_connection && reader_.can_continue();
  return framing;
}

asio::awaitable<bool> Connection::hand_over(Upgrade& upgrade) {
  ServerTunnel tunnel(wire_, reader_.input(), context_.options.stream_write_time);
  tunnel_ = &tunnel;
  bool whole = false;
  try {
    co_await upgrade.run(tunnel);
    whole = true;
  } catch (const boost::system::system_error& e) {
    if (e.code() != asio::error::operation_aborted) handler_failed(request_, e.what());
  } catch (const std::exception& e) {
    handler_failed(request_, e.what());
  }
  tunnel_ = nullptr;
  tunnelled_ = tunnel.sent();
  co_return whole;
}

void Connection::sweep(SteadyTime now) {
  wire_.sweep(now);
  if (tunnel_ != nullptr) tunnel_->tick(now);
}

/// Closing a socket whose input has not been read resets the connection, and the client may lose
/// the answer that was on its way. So: say that nothing more will come, and swallow what the client
/// still sends for a moment.
asio::awaitable<void> Connection::linger() {
  if (!wire_.end_sending() || reader_.has_read_all()) co_return;
  phase_ = Phase::Lingering;
  co_await reader_.swallow(kLinger);
}

void Connection::stop_soon() {
  if (phase_ == Phase::Lingering || (phase_ == Phase::Reading && reader_.is_idle()))
    return wire_.close();
  if (tunnel_ != nullptr && tunnel_->stop()) return;
  if (writer_.is_endless() || tunnel_ != nullptr) {
    writer_.abandon();
    cancel.emit(asio::cancellation_type::terminal);
  }
}

void Connection::stop_now() {
  writer_.abandon();
  cancel.emit(asio::cancellation_type::terminal);
  wire_.close();
}

}  // namespace ty::net
