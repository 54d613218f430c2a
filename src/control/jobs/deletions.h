#pragma once
#include <boost/asio/awaitable.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/job.h"

namespace ty::rt {
class BlockingPool;
}
namespace ty::engine {
class Engine;
}
namespace ty::store {
class JobStore;
}
namespace ty::telemetry {
class TaskRecords;
}

namespace ty::control {

class EventHub;

/// Removes jobs with their files. The record goes first: files without a record are removed later,
/// a record without its files would be a lie. A server that dies in between knows afterwards which
/// files nobody has a record of: `DIR/deleting` holds an empty file for each job under way, `JOB`
/// or, when its outputs stay, `JOB.logs`. Any thread.
class Deletions {
 public:
  struct Parts {
    std::string folder;  ///< made when it is first needed
    store::JobStore& jobs;
    engine::Engine& engine;
    std::shared_ptr<telemetry::TaskRecords> records;
    rt::BlockingPool& pool;
    EventHub& hub;
  };
  explicit Deletions(Parts parts) : p_(std::move(parts)) {}

  enum class Outputs : std::uint8_t { Go, Stay };
  /// Of a job that is final. Fails when the record cannot be removed; then nothing is.
  boost::asio::awaitable<Result<void>> remove(
      JobSeq seq, JobId job, Outputs outputs, std::string actor, Time at);
  /// What a server that died, or a disk that failed, left of removed jobs.
  boost::asio::awaitable<void> finish_interrupted();

 private:
  struct Deletion {
    JobId job;
    Outputs outputs = Outputs::Go;
  };
  std::string mark_of(const Deletion& deletion) const;
  std::vector<Deletion> marked() const;
  boost::asio::awaitable<void> remove_files(Deletion deletion);

  Parts p_;
};

}  // namespace ty::control
