#include "store/impl/readers.h"

#include <utility>

namespace ty::store {

Result<void> Readers::run(const std::function<Result<void>(Tx&)>& work) {
  TY_TRY(auto connection, take());
  Result<void> done;
  try {
    done = run_on(*connection, work);
  } catch (...) {
    connection->rollback();
    give_back(std::move(connection));
    throw;
  }
  give_back(std::move(connection));
  return done;
}

Result<void> Readers::run_on(Connection& connection, const std::function<Result<void>(Tx&)>& work) {
  if (auto begun = connection.begin(Connection::Access::Read); !begun) {
    TY_DO(connection.reconnect());
    TY_DO(connection.begin(Connection::Access::Read));
  }
  Tx tx(connection);
  Result<void> done = work(tx);
  if (done) {
    // Nothing was written, so there is nothing whose failure could matter to the answer.
    (void)connection.commit();
  } else {
    connection.rollback();
  }
  return done;
}

Result<std::unique_ptr<Connection>> Readers::take() {
  std::unique_lock lock(mutex_);
  free_.wait(lock, [this] { return !idle_.empty() || taken_ < most_; });
  ++taken_;
  if (!idle_.empty()) {
    std::unique_ptr<Connection> connection = std::move(idle_.back());
    idle_.pop_back();
    return connection;
  }
  lock.unlock();
  auto opened = open_();
  if (!opened) {
    lock.lock();
    --taken_;
    free_.notify_one();
  }
  return opened;
}

void Readers::give_back(std::unique_ptr<Connection> connection) {
  {
    std::lock_guard lock(mutex_);
    --taken_;
    idle_.push_back(std::move(connection));
  }
  free_.notify_one();
}

}  // namespace ty::store
