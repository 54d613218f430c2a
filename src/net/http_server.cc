#include "net/http_server.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>
#include <list>
#include <thread>

#include "base/ids.h"
#include "net/impl/connection.h"
#include "net/impl/peer_counts.h"
#include "net/listener.h"
#include "net/messages.h"
#include "rt/log.h"
#include "rt/run_on.h"

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

/// The other half of the files is for logs, tasks that start, and the database.
void limit_connections(ServerOptions& options) {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur != RLIM_INFINITY)
    options.max_connections =
        std::clamp<std::size_t>(files.rlim_cur / 2, 1, options.max_connections);
  if (options.max_per_peer == 0)
    options.max_per_peer = std::max<std::size_t>(1, options.max_connections / 2);
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
  void adopt(Socket socket, Peer peer);
  /// Closes idle connections, those of `peer` first, the longest idle first; says how many.
  std::size_t shed(std::size_t most, Peer peer, bool only_peer);
  void stop(Millis grace);

 private:
  void ended(std::list<Connection>::iterator connection, std::exception_ptr thrown);
  void end_if_empty();
  void sweep_later();

  Shared& shared_;
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
  std::atomic<std::uint64_t> shed_count = 0;
  PeerCounts peers;
  bool running = false;

  Result<std::string> listen(Fd fd);
  asio::awaitable<void> accept_all();
  asio::awaitable<bool> make_room(Peer peer);
  std::uint64_t open() const {
    std::uint64_t sum = 0;
    for (const auto& worker : workers) sum += worker->open();
    return sum;
  }
};

HttpServer::Worker::Worker(Shared& shared, int number)
    : shared_(shared),
      work_(asio::make_work_guard(io_)),
      context_{.options = shared.options,
               .handler = shared.handler,
               .done = shared.done,
               .id_prefix = random_hex(4) + static_cast<char>('a' + number % 26)} {}

void HttpServer::Worker::adopt(Socket socket, Peer peer) {
  if (context_.stopping) {
    --open_;
    shared_.peers.remove(peer);
    return;
  }
  const auto connection =
      connections_.emplace(connections_.end(), std::move(socket), peer, context_);
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
  shared_.peers.remove(connection->peer());
  connections_.erase(connection);
  --open_;
  requests_ = context_.requests;
  if (context_.stopping) end_if_empty();
}

std::size_t HttpServer::Worker::shed(std::size_t most, Peer peer, bool only_peer) {
  std::vector<Connection*> idle;
  for (Connection& connection : connections_) {
    if (connection.is_idle() && (!only_peer || connection.peer() == peer))
      idle.push_back(&connection);
  }
  most = std::min(most, idle.size());
  const auto last = idle.begin() + static_cast<std::ptrdiff_t>(most);
  std::ranges::partial_sort(idle, last, {}, [&](const Connection* one) {
    return std::pair(one->peer() != peer, one->idle_until());
  });
  for (auto at = idle.begin(); at != last; ++at) (*at)->shed();
  return most;
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

Result<std::string> HttpServer::Shared::listen(Fd fd) {
  if (!fd) {
    TY_TRY(fd, listen_on(options.listen));
  }
  TY_TRY(std::string address, address_of(fd.get()));
  acceptor = std::make_unique<Acceptor>(workers.front()->io().get_executor());
  ErrorCode ec;
  acceptor->assign(address.starts_with('[') ? tcp::v6() : tcp::v4(), fd.get(), ec);
  if (ec)
    return fail(Errc::Unavailable, say::cannot_listen({.address = address, .why = ec.message()}));
  fd.release();
  return address;
}

/// Whether one more from `peer` can be taken. One address gets its share and no more; when all of
/// them together are too many, who has the most gives first. What is closed is idle: a client that
/// finds its connection closed between two requests opens another.
asio::awaitable<bool> HttpServer::Shared::make_room(Peer peer) {
  const bool has_its_share = peers.of(peer) >= options.max_per_peer;
  if (!has_its_share && open() < options.max_connections) co_return true;
  const Peer from = has_its_share ? peer : peers.largest();
  // Many at a time: a crowd is not looked through for each newcomer.
  const std::size_t each = options.max_connections / (32 * workers.size()) + 1;
  std::size_t closed = 0;
  for (const auto& worker : workers) {
    if (!acceptor->is_open()) break;  // it may have ended, and would not answer
    auto shed =
        [](Worker& worker, std::size_t most, Peer from, bool only) -> asio::awaitable<std::size_t> {
      co_return worker.shed(most, from, only);
    };
    closed +=
        co_await rt::run_on(worker->io().get_executor(), shed(*worker, each, from, has_its_share));
  }
  shed_count += closed;
  co_return closed > 0;
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
    ErrorCode ignored;
    const Peer peer = peer_of(socket.remote_endpoint(ignored).address());
    const bool has_room = co_await make_room(peer);
    if (!acceptor->is_open()) break;
    if (!has_room) {
      ++refused;
      socket.non_blocking(true, ignored);
      socket.write_some(asio::buffer(busy_answer()), ignored);
      continue;
    }
    ++target->open_;
    peers.add(peer);
    asio::post(target->io(), [target, peer, socket = std::move(socket)]() mutable {
      target->adopt(std::move(socket), peer);
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

Result<std::string> HttpServer::start(Fd listener) {
  // sendfile() has no MSG_NOSIGNAL: without this a client that hangs up ends the program.
  std::signal(SIGPIPE, SIG_IGN);
  limit_connections(shared_->options);
  const unsigned threads = std::max(1U, shared_->options.threads);
  for (unsigned i = 0; i < threads; ++i) {
    shared_->workers.push_back(std::make_unique<Worker>(*shared_, static_cast<int>(i)));
  }
  TY_TRY(auto address, shared_->listen(std::move(listener)));
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
  ServerFigures figures{.connections = shared_->open(),
                        .accepted = shared_->accepted,
                        .refused = shared_->refused,
                        .shed = shared_->shed_count};
  for (const auto& worker : shared_->workers) figures.requests += worker->requests();
  return figures;
}

}  // namespace ty::net
