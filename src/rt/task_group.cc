#include "rt/task_group.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <list>
#include <mutex>

#include "base/result.h"
#include "rt/log.h"
#include "rt/run_on.h"

namespace ty::rt {

namespace asio = boost::asio;

/// Shared with the completion of each task, which may run after the group's owner let go of it.
struct TaskGroup::State {
  struct Entry {
    std::string name;
    asio::cancellation_signal cancel;
  };

  explicit State(asio::any_io_executor ex) : executor(std::move(ex)), idle(executor) {
    idle.expires_at(asio::steady_timer::time_point::max());
  }

  void ended(std::list<Entry>::iterator entry, std::exception_ptr thrown) {
    if (thrown) end_program_unless_cancelled(entry->name, thrown);
    const std::lock_guard lock(mutex);
    entries.erase(entry);
    if (entries.empty()) idle.cancel();
  }

  static void end_program_unless_cancelled(const std::string& name, std::exception_ptr thrown) {
    try {
      std::rethrow_exception(std::move(thrown));
    } catch (const boost::system::system_error& e) {
      if (e.code() == asio::error::operation_aborted) return;
      log::error("task.failed task={} error={}", name, e.what());
    } catch (const std::exception& e) {
      log::error("task.failed task={} error={}", name, e.what());
    } catch (...) {
      log::error("task.failed task={} error=unknown exception", name);
    }
    TY_CHECK(false, "a task of a TaskGroup ends by returning or by cancellation");
  }

  asio::any_io_executor executor;
  mutable std::mutex
      mutex;  ///< entries may be added from any thread; signals are touched on the executor only
  std::list<Entry> entries;
  asio::steady_timer idle;  ///< cancelled when the last entry goes
  bool stopping = false;    ///< written under the mutex, on the executor
};

TaskGroup::TaskGroup(asio::any_io_executor executor)
    : state_(std::make_shared<State>(std::move(executor))) {}

TaskGroup::~TaskGroup() {
  TY_CHECK(size() == 0, "a TaskGroup is stopped before it goes: co_await group.stop()");
}

void TaskGroup::spawn(std::string name, asio::awaitable<void> task) {
  const std::lock_guard lock(state_->mutex);
  if (state_->stopping) return;
  const auto entry = state_->entries.emplace(state_->entries.end());
  entry->name = std::move(name);
  // Posted, so that a task cannot end (and erase its entry) inside this call while the lock is
  // held.
  auto start = [state = state_, entry, task = std::move(task)]() mutable {
    // stop() came in between: its signal found nothing to cancel yet.
    if (state->stopping) return state->ended(entry, nullptr);
    auto done = [state, entry](std::exception_ptr thrown) {
      state->ended(entry, std::move(thrown));
    };
    auto bound = asio::bind_cancellation_slot(entry->cancel.slot(), std::move(done));
    asio::co_spawn(state->executor, std::move(task), std::move(bound));
  };
  asio::post(state_->executor, std::move(start));
}

asio::awaitable<void> TaskGroup::stop() {
  // Parameters, not captures: the lambda is gone by the time its coroutine runs.
  auto cancel_all = [](std::shared_ptr<State> state) -> asio::awaitable<void> {
    {
      const std::lock_guard lock(state->mutex);
      state->stopping = true;
    }
    // No entry comes any more, and entries go on this executor only: walking without the lock is
    // safe, and emit() may end a task at once.
    for (auto it = state->entries.begin(); it != state->entries.end();) {
      auto& entry = *it++;
      entry.cancel.emit(asio::cancellation_type::terminal);
    }
    while (!state->entries.empty()) {
      boost::system::error_code ignored;
      co_await state->idle.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }
  };
  co_await run_on(state_->executor, cancel_all(state_));
}

std::size_t TaskGroup::size() const {
  const std::lock_guard lock(state_->mutex);
  return state_->entries.size();
}

}  // namespace ty::rt
