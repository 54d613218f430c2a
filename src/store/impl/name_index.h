#pragma once
#include <chrono>
#include <cstdint>

#include "base/result.h"
#include "store/impl/driver.h"

namespace ty::store {

/// Keeps SQLite's index of name pieces (job_names) up with the jobs. A submit does not wait for it:
/// the writer calls `advance` when it is idle, or when the part that is not indexed yet has grown
/// long. Searches read that part row by row. PostgreSQL keeps its own.
class NameIndex {
 public:
  bool behind(const WriterMemory& memory) const;
  bool far_behind(const WriterMemory& memory) const;
  /// Indexes the next names, few enough that a write which arrives meanwhile hardly waits.
  Result<void> advance(Tx& tx);
  /// It failed: leave it alone for a while.
  void pause();

  /// Jobs up to this seq are indexed.
  static Result<std::int64_t> indexed_to(Tx& tx);
  /// The job goes, in this transaction.
  static Result<void> forget(Tx& tx, JobSeq job, std::string_view name);

 private:
  std::chrono::steady_clock::time_point paused_until_{};
};

}  // namespace ty::store
