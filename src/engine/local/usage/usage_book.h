#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/time.h"
#include "engine/engine.h"
#include "engine/local/runtime.h"
#include "engine/local/usage/usage_reader.h"

namespace ty::engine {

/// Knows where the usage of each running task is read, which is found out once for each. Safe to
/// call from any thread.
class UsageBook {
 public:
  struct Running {
    std::int64_t ticket = 0;  ///< one for each supervisor
    model::TaskKey key;
    std::string run_dir;
  };
  UsageBook(Runtime& runtime, const Clock& clock) : runtime_(runtime), clock_(clock) {}

  /// What these use now, as far as it is known. All others are forgotten.
  std::vector<UsageReport> look(std::vector<Running> running);

 private:
  Runtime& runtime_;
  const Clock& clock_;
  std::mutex mutex_;
  std::map<std::int64_t, UsageReader> readers_;
};

}  // namespace ty::engine
