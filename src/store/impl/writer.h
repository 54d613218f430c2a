#pragma once
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/result.h"
#include "store/impl/driver.h"
#include "store/impl/name_index.h"

namespace ty::store {

/// The one thread that changes the database. Everything queued until it commits is in that commit:
/// what came while the last one went to disk, and what came while this one was made.
class Writer {
 public:
  using Work = std::function<Result<void>(Tx&)>;
  using Done = std::move_only_function<void(Result<void>)>;

  explicit Writer(std::unique_ptr<Connection> connection);
  /// Finishes what is queued.
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  /// `work` must live until `done` was called, on the writer's thread, with how its group ended.
  void push(Work& work, Done done);

 private:
  struct Item {
    Work* work;
    Done done;
    Result<void> answer;
  };

  void loop();
  /// Everything queued; false when there is nothing and there will be nothing more.
  bool wait_for_work(std::vector<Item>& items);
  void run_group(std::vector<Item>& items);
  /// Runs all, and those who come meanwhile; false when some `fn` failed after it had changed
  /// something.
  bool try_all(std::vector<Item>& items);
  bool take_late_comers(std::vector<Item>& items);
  /// The careful way: each in a savepoint of its own.
  Result<void> run_one_by_one(std::vector<Item>& items);
  Result<void> call(Work& work, Tx& tx);
  Result<void> begin();
  void index_names();

  std::unique_ptr<Connection> connection_;
  WriterMemory memory_;
  NameIndex names_;
  bool failing_ = false;  ///< the last group was: said once, not for every group

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Item> queue_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace ty::store
