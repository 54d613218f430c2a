#include "net/http_server.h"

#include <fmt/format.h>

#include <atomic>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <charconv>
#include <csignal>
#include <list>
#include <thread>

#include "base/ids.h"
#include "net/impl/connection.h"
#include "net/messages.h"
#include "rt/log.h"

namespace ty::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using ErrorCode = boost::system::error_code;

namespace {

/// Small enough to fit any socket's buffer, so it can be sent without waiting.
const std::string& busy_answer() {
  static const std::string text = [] {
    const Problem problem{
        .status = 503, .code = "unavailable", .message = say::too_many_connections()};
    const std::string body = std::get<std::string>(problem_response(problem, "").body);
    return fmt::format(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\n"
        "Connection: close\r\nContent-Length: {}\r\n\r\n{}",
        body.size(),
        body);
  }();
  return text;
}

/// `host:port`, `[::1]:port`, `:port` for any address.
Result<std::pair<std::string, std::string>> split_address(std::string_view listen) {
  const std::size_t colon = listen.rfind(':');
  if (colon == std::string_view::npos || colon + 1 == listen.size()) {
    return fail(Errc::Invalid, say::not_an_address_to_listen({.address = listen}));
  }
  // The resolver would quietly take 99999 for the port 34463.
  const std::string_view port = listen.substr(colon + 1);
  std::uint16_t number = 0;
  const auto [end, ec] = std::from_chars(port.begin(), port.end(), number);
  if (ec != std::errc{} || end != port.end()) {
    return fail(Errc::Invalid, say::listen_without_port({.address = listen}));
  }
  std::string_view host = listen.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return std::pair(std::string(host.empty() ? "0.0.0.0" : host), std::string(port));
}

}  // namespace

/// One thread and the connections that live on it.
class HttpServer::Worker {
 public:
  using Socket = Wire::Socket;

  Worker(Shared& shared, int number);

  void start() {
    thread_ = std::thread([this] { io_.run(); });
  }
  void join() {
    if (thread_.joinable()) thread_.join();
  }

  asio::io_context& io() { return io_; }
  std::uint64_t open() const { return open_.load(std::memory_order_relaxed); }
  std::uint64_t requests() const { return requests_.load(std::memory_order_relaxed); }

  /// On this worker's thread from here on.
  void adopt(Socket socket);
  void stop(Millis grace);

 private:
  void ended(std::list<Connection>::iterator connection, std::exception_ptr thrown);
  void end_if_empty();
  void sweep_later();

  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  asio::steady_timer sweeper_{io_};
  asio::steady_timer grace_{io_};
  ConnectionContext context_;
  std::list<Connection> connections_;
  std::thread thread_;
  /// Counted when a socket is handed over, so that a burst of accepts spreads evenly.
  std::atomic<std::uint64_t> open_ = 0;
  std::atomic<std::uint64_t> requests_ = 0;
  bool sweeping_ = false;

  friend struct Shared;
};

struct HttpServer::Shared {
  using Acceptor = asio::basic_socket_acceptor<tcp, asio::io_context::executor_type>;

  ServerOptions options;
  Handler handler;
  std::function<void(const Exchange&)> done;
  std::vector<std::unique_ptr<Worker>> workers;
  std::unique_ptr<Acceptor> acceptor;
  std::atomic<std::uint64_t> accepted = 0;
  std::atomic<std::uint64_t> refused = 0;
  bool running = false;

  Result<std::string> listen();
  asio::awaitable<void> accept_all();
  std::uint64_t open() const {
    std::uint64_t sum = 0;
    for (const auto& worker : workers) sum += worker->open();
    return sum;
  }
};

HttpServer::Worker::Worker(Shared& shared, int number)
    : work_(asio::make_work_guard(io_)),
      context_{.options = shared.options,
               .handler = shared.handler,
               .done = shared.done,
               .id_prefix = random_hex(4) + static_cast<char>('a' + number % 26)} {}

void HttpServer::Worker::adopt(Socket socket) {
  if (context_.stopping) {
    --open_;
    return;
  }
  const auto connection = connections_.emplace(connections_.end(), std::move(socket), context_);
  // Posted: a coroutine may end inside the call that cancels it, which still needs the connection.
  auto done = [this, connection](std::exception_ptr thrown) {
    asio::post(io_, [this, connection, thrown] { ended(connection, thrown); });
  };
  asio::co_spawn(io_,
                 connection->run(),
                 asio::bind_cancellation_slot(connection->cancel.slot(), std::move(done)));
  if (!sweeping_) sweep_later();
}

void HttpServer::Worker::ended(std::list<Connection>::iterator connection,
                               std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(std::move(thrown));
  } catch (const boost::system::system_error& e) {
    if (e.code() != asio::error::operation_aborted)
      log::error("http.connection_failed error={}", e.what());
  } catch (const std::exception& e) {
    log::error("http.connection_failed error={}", e.what());
  }
  connections_.erase(connection);
  --open_;
  requests_ = context_.requests;
  if (context_.stopping) end_if_empty();
}

void HttpServer::Worker::end_if_empty() {
  if (!connections_.empty()) return;
  grace_.cancel();
  sweeper_.cancel();
  work_.reset();
}

void HttpServer::Worker::sweep_later() {
  sweeping_ = true;
  sweeper_.expires_after(context_.options.sweep);
  sweeper_.async_wait([this](const ErrorCode& ec) {
    sweeping_ = false;
    requests_ = context_.requests;
    if (ec || connections_.empty()) return;
    const auto now = context_.options.time->now();
    for (Connection& connection : connections_) connection.sweep(now);
    sweep_later();
  });
}

void HttpServer::Worker::stop(Millis grace) {
  context_.stopping = true;
  if (connections_.empty()) return end_if_empty();
  for (Connection& connection : connections_) connection.stop_soon();
  grace_.expires_after(grace);
  grace_.async_wait([this](const ErrorCode& ec) {
    if (ec) return;
    for (Connection& connection : connections_) connection.stop_now();
    if (!connections_.empty()) log::info("http.cut_off connections={}", connections_.size());
  });
}

Result<std::string> HttpServer::Shared::listen() {
  TY_TRY(const auto address, split_address(options.listen));
  asio::io_context& io = workers.front()->io();
  ErrorCode ec;
  tcp::resolver resolver(io);
  const auto found = resolver.resolve(address.first, address.second, tcp::resolver::passive, ec);
  if (ec || found.empty()) {
    return fail(Errc::Invalid,
                say::cannot_listen({.address = options.listen, .why = ec.message()}));
  }
  const tcp::endpoint endpoint = found.begin()->endpoint();
  acceptor = std::make_unique<Acceptor>(io.get_executor());
  acceptor->open(endpoint.protocol(), ec);
  if (!ec) acceptor->set_option(tcp::acceptor::reuse_address(true), ec);
  if (!ec) acceptor->bind(endpoint, ec);
  if (!ec) acceptor->listen(1024, ec);
  if (ec == asio::error::address_in_use) {
    return fail(Errc::Conflict, say::address_in_use({.address = options.listen}));
  }
  if (ec)
    return fail(Errc::Unavailable,
                say::cannot_listen({.address = options.listen, .why = ec.message()}));
  const auto bound = acceptor->local_endpoint();
  const std::string host = bound.address().to_string();
  return fmt::format("{}:{}", bound.address().is_v6() ? "[" + host + "]" : host, bound.port());
}

asio::awaitable<void> HttpServer::Shared::accept_all() {
  asio::steady_timer pause(acceptor->get_executor());
  bool complained = false;
  while (acceptor->is_open()) {
    Worker* target = workers.front().get();
    for (const auto& worker : workers) {
      if (worker->open() < target->open()) target = worker.get();
    }
    ErrorCode ec;
    auto socket = co_await acceptor->async_accept(target->io(),
                                                  asio::redirect_error(asio::use_awaitable, ec));
    if (ec == asio::error::operation_aborted) break;
    if (ec) {
      // Out of file descriptors, most likely: those who wait in the kernel's queue are taken when
      // some are free.
      if (!std::exchange(complained, true)) log::error("http.accept_failed error={}", ec.message());
      pause.expires_after(std::chrono::milliseconds(100));
      co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, ec));
      continue;
    }
    complained = false;
    ++accepted;
    if (open() >= options.max_connections) {
      ++refused;
      ErrorCode ignored;
      socket.non_blocking(true, ignored);
      socket.write_some(asio::buffer(busy_answer()), ignored);
      continue;
    }
    ++target->open_;
    asio::post(target->io(), [target, socket = std::move(socket)]() mutable {
      target->adopt(std::move(socket));
    });
  }
}

HttpServer::HttpServer(ServerOptions options,
                       Handler handler,
                       std::function<void(const Exchange&)> done)
    : shared_(std::make_unique<Shared>()) {
  shared_->options = std::move(options);
  shared_->handler = std::move(handler);
  shared_->done = std::move(done);
}

HttpServer::~HttpServer() {
  try {
    stop(Millis{0});
  } catch (const std::exception& e) {
    log::error("http.stop_failed error={}", e.what());
  }
}

Result<std::string> HttpServer::start() {
  // sendfile() has no MSG_NOSIGNAL: without this a client that hangs up ends the program.
  std::signal(SIGPIPE, SIG_IGN);
  const unsigned threads = std::max(1U, shared_->options.threads);
  for (unsigned i = 0; i < threads; ++i) {
    shared_->workers.push_back(std::make_unique<Worker>(*shared_, static_cast<int>(i)));
  }
  TY_TRY(auto address, shared_->listen());
  asio::co_spawn(
      shared_->workers.front()->io(), shared_->accept_all(), [](std::exception_ptr thrown) {
        TY_CHECK(!thrown, "accepting connections does not throw");
      });
  for (auto& worker : shared_->workers) worker->start();
  shared_->running = true;
  return address;
}

void HttpServer::stop(Millis grace) {
  if (!std::exchange(shared_->running, false)) return;
  // In the acceptor's thread first: what it has accepted is posted to its worker before that
  // worker's stop.
  std::atomic<bool> closed = false;
  asio::post(shared_->workers.front()->io(), [this, &closed] {
    ErrorCode ignored;
    shared_->acceptor->close(ignored);
    closed = true;
    closed.notify_one();
  });
  closed.wait(false);
  for (auto& worker : shared_->workers) {
    asio::post(worker->io(), [&worker = *worker, grace] { worker.stop(grace); });
  }
  for (auto& worker : shared_->workers) worker->join();
}

ServerFigures HttpServer::figures() const {
  ServerFigures figures{
      .connections = shared_->open(), .accepted = shared_->accepted, .refused = shared_->refused};
  for (const auto& worker : shared_->workers) figures.requests += worker->requests();
  return figures;
}

}  // namespace ty::net
