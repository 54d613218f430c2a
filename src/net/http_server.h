#pragma once
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "base/time.h"
#include "net/http.h"
#include "net/site_policy.h"
#include "net/time_source.h"
#include "net/tls.h"

namespace ty::net {

struct ServerOptions {
  std::string listen = "127.0.0.1:8080";  ///< HOST:PORT, [::1]:PORT; port 0: any
  unsigned threads = 2;
  std::size_t max_header = std::size_t{32} * 1024;  ///< request line and fields together, then 431
  /// Per server, and never more than half of the files that this process may open. When there are
  /// as many, idle ones make room; newcomers are told 503 only when none is idle.
  std::size_t max_connections = 10'000;
  std::size_t max_per_peer = 0;  ///< of them, from one address; 0: half
  Millis header_time{10'000};    ///< from the first byte of a request to the end of its header
  Millis idle_time{75'000};      ///< between two requests of one connection
  Millis body_time{30'000};      ///< a body may take this long plus a second per KiB received
  Millis write_time{60'000};     ///< without progress, plain answers
  Millis stream_write_time{
      15 * 60'000};      ///< without progress, streams and files: people pause their pagers
  SitePolicy site = {};  ///< which names and pages are answered
  std::shared_ptr<TlsIdentity> tls;         ///< null: plain HTTP
  const TimeSource* time = &kernel_time();  ///< what these limits are measured with
  Millis sweep{250};                        ///< how often they are looked at
};

/// One finished exchange, for access logs and metrics.
struct Exchange {
  const Request& request;
  int status = 0;
  std::uint64_t sent = 0;  ///< bytes of the body
  std::chrono::nanoseconds took{};
  bool complete = true;  ///< false: the client went away, or the stream broke off
};

struct ServerFigures {
  std::uint64_t connections = 0;  ///< open now
  std::uint64_t accepted = 0;
  std::uint64_t requests = 0;
  std::uint64_t refused = 0;  ///< over max_connections
  std::uint64_t shed = 0;     ///< idle ones that made room
};

/// An HTTP/1.1 server: one io_context per thread, and a connection lives and dies on the thread
/// that had the fewest when it came, so it needs no lock. `start` and `stop` are called from
/// outside, once each.
class HttpServer {
 public:
  /// `handler` is called on all threads at once; `done` after each exchange, on its thread, and
  /// must not block.
  HttpServer(ServerOptions options,
             Handler handler,
             std::function<void(const Exchange&)> done = {});
  /// Stops at once if still running.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// Listens and returns the address that was bound (`127.0.0.1:41873`). Conflict: the port is
  /// taken. A `listener` listens already (net/listener.h); `options.listen` is not used then.
  Result<std::string> start(Fd listener = {});

  /// Accepts nothing more, closes idle connections, ends streams, and gives answers under way
  /// `grace` to finish; then cancels what is left. Blocks until all threads have ended.
  void stop(Millis grace = Millis{3'000});

  ServerFigures figures() const;

 private:
  struct Shared;
  class Worker;
  std::unique_ptr<Shared> shared_;
};

}  // namespace ty::net
