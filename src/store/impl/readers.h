#pragma once
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/result.h"
#include "store/impl/driver.h"

namespace ty::store {

/// Connections for reading, opened when first needed and kept. A read takes one for itself; when
/// all are in use it waits for the next.
class Readers {
 public:
  using Open = std::function<Result<std::unique_ptr<Connection>>()>;

  Readers(int most, Open open) : most_(most), open_(std::move(open)) {}

  /// Calls `work` inside a read transaction.
  Result<void> run(const std::function<Result<void>(Tx&)>& work);

 private:
  Result<std::unique_ptr<Connection>> take();
  void give_back(std::unique_ptr<Connection> connection);
  Result<void> run_on(Connection& connection, const std::function<Result<void>(Tx&)>& work);

  const int most_;
  const Open open_;
  std::mutex mutex_;
  std::condition_variable free_;
  std::vector<std::unique_ptr<Connection>> idle_;
  int taken_ = 0;
};

}  // namespace ty::store
