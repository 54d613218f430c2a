#include "engine/local/transfer/transfer_threads.h"

#include <utility>

namespace ty::engine {
namespace {

constexpr std::size_t kAtOnce = 4;

}  // namespace

bool TransferThreads::later(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  if (is_closing_) return false;
  if (!pool_) pool_ = std::make_unique<rt::BlockingPool>(kAtOnce);
  pool_->post(std::move(work));
  return true;
}

void TransferThreads::close() {
  std::unique_ptr<rt::BlockingPool> pool;
  {
    const std::lock_guard lock(mutex_);
    is_closing_ = true;
    pool = std::move(pool_);
  }
}

}  // namespace ty::engine
