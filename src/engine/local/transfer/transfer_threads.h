#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

#include "rt/blocking_pool.h"

namespace ty::engine {

/// The threads that carry data to and from object stores, made when there is something to carry.
/// That may take hours: it must not keep other tasks from starting, and one task's data not
/// another's for ever.
class TransferThreads {
 public:
  /// False: we are closing, and the next server does it anew.
  bool later(std::function<void()> work);
  /// What is under way should ask for this now and then, and give up.
  bool is_closing() const { return is_closing_; }
  /// Waits for what is under way.
  void close();

 private:
  std::atomic<bool> is_closing_ = false;
  std::mutex mutex_;
  std::unique_ptr<rt::BlockingPool> pool_;
};

}  // namespace ty::engine
