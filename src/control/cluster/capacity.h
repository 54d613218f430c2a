#pragma once
#include <mutex>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "sched/scheduler.h"

namespace ty::control {

/// The machines of an engine in the scheduler's words.
std::vector<sched::Node> scheduler_nodes(const engine::Engine& engine);

/// What the machines, all empty, could run: asked at submit, so that a job that can never start
/// says so at once without waiting for the controller. Any thread.
class Capacity {
 public:
  void set_nodes(std::vector<sched::Node> nodes);
  /// The error says what is asked for and the most there is.
  Result<void> fits_ever(const sched::Request& request) const;

 private:
  mutable std::mutex mutex_;  ///< a scheduler has one owner at a time, and scratch space even where
                              ///< it only answers
  sched::Scheduler empty_;
};

}  // namespace ty::control
