#pragma once
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include "net/impl/connection_context.h"
#include "net/impl/peer_counts.h"
#include "net/impl/request_reader.h"
#include "net/impl/response_writer.h"
#include "net/impl/server_tunnel.h"
#include "net/impl/wire.h"

namespace ty::net {

/// One accepted socket: reads requests, calls the handler, writes answers, until either side has
/// had enough. Lives on one thread; `run` is its coroutine, everything else is called by the worker
/// on the same thread.
class Connection {
 public:
  Connection(Wire::Socket socket, Peer peer, ConnectionContext& context);

  boost::asio::awaitable<void> run();

  /// Ends what has taken too long. Called a few times a second.
  void sweep(SteadyTime now);
  Peer peer() const { return peer_; }
  /// Waits for the first byte of a request.
  bool is_idle() const { return phase_ == Phase::Reading && reader_.is_idle() && !is_shed_; }
  /// Until when it may go on doing so.
  SteadyTime idle_until() const { return wire_.read_deadline(); }
  /// Others need its place.
  void shed() {
    is_shed_ = true;
    wire_.close();
  }
  /// The server is stopping: idle connections and endless streams end at once, tunnels when they
  /// have said goodbye, the rest after their answer.
  void stop_soon();
  /// Time is up.
  void stop_now();

  /// The slot under which `run` was spawned.
  boost::asio::cancellation_signal cancel;

 private:
  enum class Phase : std::uint8_t { Reading, Answering, Lingering };

  boost::asio::awaitable<bool> secure();
  boost::asio::awaitable<Response> call_handler();
  Framing framing_of(const Response& response) const;
  boost::asio::awaitable<bool> hand_over(Upgrade& upgrade);
  boost::asio::awaitable<void> linger();

  ConnectionContext& context_;
  const Peer peer_;
  Wire wire_;
  Request request_;
  RequestReader reader_{wire_, context_, request_};
  ResponseWriter writer_;
  ServerTunnel* tunnel_ = nullptr;  ///< once an answer has taken over
  std::uint64_t tunnelled_ = 0;
  Phase phase_ = Phase::Reading;
  bool is_shed_ = false;
};

}  // namespace ty::net
