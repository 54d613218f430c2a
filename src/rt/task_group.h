#pragma once
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <memory>
#include <string>

namespace ty::rt {

/// Owns the coroutines a component has set off: each has a name, and none outlives `stop()`.
///
/// The executor must run one thing at a time (a strand, or an io_context with one thread). `spawn`
/// may be called from any thread. A task ends by returning or by being cancelled; any other
/// exception is a bug: it is logged with the task's name and ends the program, because a component
/// that silently lost its loop is worse than a restart.
class TaskGroup {
 public:
  explicit TaskGroup(boost::asio::any_io_executor executor);
  /// Every task must have ended: call `stop()` first.
  ~TaskGroup();
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  /// After `stop()` has begun nothing starts any more; the awaitable is dropped.
  void spawn(std::string name, boost::asio::awaitable<void> task);

  /// Cancels every task and returns once the last has ended. May be called from any executor, and
  /// again.
  boost::asio::awaitable<void> stop();

  /// How many tasks have not ended yet.
  std::size_t size() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ty::rt
