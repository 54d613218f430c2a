#pragma once
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "auth/principal.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "control/cluster/node_view.h"

namespace ty::control {

class Controller;

/// A waiting job, at its place in the queue.
struct QueuedJob {
  JobId id;          ///< empty: none of the caller's business
  std::string name;  ///< likewise
  std::int64_t priority = 0;
  std::int64_t tasks = 0;
  std::int64_t gpus = 0;
  Time queued_at{};
};

/// How busy the server is, and whether it is well.
struct ServerLoad {
  std::int64_t live = 0;  ///< jobs that have not ended
  std::int64_t waiting = 0;
  bool store_failing = false;  ///< nothing new is taken in: no space, or the last save failed
  Message store_problem;
};

/// The machines and who waits for them. Any thread.
class ClusterService {
 public:
  explicit ClusterService(Controller& controller) : controller_(controller) {}

  /// How much is used is everybody's business; by whom, an administrator's.
  boost::asio::awaitable<Result<std::vector<NodeView>>> nodes(auth::Principal who);
  /// In the order in which starts are decided. Others' jobs are counted, but have no name or id.
  boost::asio::awaitable<Result<std::vector<QueuedJob>>> queue(auth::Principal who,
                                                               std::size_t offset,
                                                               std::size_t limit);
  /// For probes and metrics: says nothing about anybody.
  boost::asio::awaitable<ServerLoad> load();

 private:
  Controller& controller_;
};

}  // namespace ty::control
