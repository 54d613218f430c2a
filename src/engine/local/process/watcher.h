#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

#include "base/result.h"
#include "base/time.h"

namespace ty::engine {

/// One thread that waits for all supervisors at once: for their word that a command runs or is over
/// (a shared pipe, eight bytes each), for lines in journals of those who have no such pipe (in
/// containers, or taken back), and for their own ends (pidfds).
class Watcher {
 public:
  struct Handlers {
    std::function<void(std::int64_t ticket)> running;
    std::function<void(std::int64_t ticket)> over;
    std::function<void(std::int64_t ticket)> gone;
    std::function<void(std::int64_t ticket)> journal;  ///< a watched journal has new lines
    std::function<void()> tick;  ///< about every `kTickEvery`, only while `wants_tick()`
    std::function<bool()> wants_tick;
  };

  static constexpr Millis kTickEvery{50};

  /// Handlers run on the watcher's thread and must not block for long.
  explicit Watcher(Handlers handlers);
  /// No handler runs after it.
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  /// What supervisors write their ticket to; -1 when no descriptors could be made.
  int notify_fd() const { return pipe_[1]; }
  /// `gone` is called once, soon after the process has ended. Any thread.
  Result<void> watch(int pidfd, std::int64_t ticket);
  /// Before the pidfd is closed. On the watcher's thread, or before `watch` could have fired.
  void forget(int pidfd);
  /// `journal` is called soon after each change of the file, until `forget_file`. -1: it cannot be
  /// watched. Any thread.
  int watch_file(const std::string& path, std::int64_t ticket);
  void forget_file(int watch);
  /// Makes `wants_tick` be asked again. Any thread.
  void wake();

 private:
  void run();
  void read_file_changes();

  Handlers handlers_;
  int files_ = -1;
  std::mutex files_mutex_;
  std::unordered_map<int, std::int64_t> file_tickets_;
  int epoll_ = -1;
  int wake_ = -1;
  int pipe_[2] = {-1, -1};
  std::atomic<bool> is_closing_ = false;
  std::thread thread_;
};

}  // namespace ty::engine
