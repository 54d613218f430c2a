#include "store/impl/writer.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <utility>

#include "rt/log.h"
#include "store/messages.h"

namespace ty::store {

namespace {
/// How long nobody may have asked for anything before the writer tidies up.
constexpr auto kQuiet = std::chrono::milliseconds(50);
/// A group that takes in late-comers takes no more than this, so that those who came first are not
/// kept waiting.
constexpr std::size_t kGroup = 256;
}  // namespace

Writer::Writer(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {
  thread_ = std::thread([this] { loop(); });
}

Writer::~Writer() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Writer::push(Work& work, Done done) {
  bool first;
  {
    std::lock_guard lock(mutex_);
    first = queue_.empty();
    queue_.push_back({&work, std::move(done), {}});
  }
  if (first) wake_.notify_one();
}

void Writer::loop() {
  std::vector<Item> items;
  while (wait_for_work(items)) {
    run_group(items);
    for (Item& item : items) item.done(std::move(item.answer));
    items.clear();
    if (names_.far_behind(memory_)) index_names();
  }
}

bool Writer::wait_for_work(std::vector<Item>& items) {
  std::unique_lock lock(mutex_);
  const auto due = [this] { return stopping_ || !queue_.empty(); };
  // Tidying begins after a quiet moment and goes on, a little at a time, until somebody comes.
  auto patience = kQuiet;
  while (!due() && names_.behind(memory_)) {
    if (wake_.wait_for(lock, patience, due)) break;
    lock.unlock();
    index_names();
    lock.lock();
    patience = kQuiet.zero();
  }
  wake_.wait(lock, due);
  items.swap(queue_);
  return !items.empty();
}

void Writer::run_group(std::vector<Item>& items) {
  const auto fail_all = [&](const Error& error) {
    connection_->rollback();
    for (Item& item : items) item.answer = std::unexpected(error);
    if (!failing_)
      log::warn("store.commit_failed writes={} error={:?}", items.size(), error.message);
    failing_ = true;
  };
  if (auto begun = begin(); !begun) return fail_all(begun.error());
  if (!try_all(items)) {
    connection_->rollback();
    if (auto begun = begin(); !begun) return fail_all(begun.error());
    if (auto done = run_one_by_one(items); !done) return fail_all(done.error());
  }
  if (connection_->lost()) return fail_all(Error(*connection_->lost()));
  if (auto committed = connection_->commit(); !committed) return fail_all(committed.error());
  if (failing_) log::info("store.commit_works_again");
  failing_ = false;
}

bool Writer::try_all(std::vector<Item>& items) {
  std::size_t next = 0;
  do {
    for (; next < items.size(); ++next) {
      Item& item = items[next];
      Tx tx(*connection_, &memory_);
      item.answer = call(*item.work, tx);
      if (connection_->lost()) return true;  // nobody's fault, and nothing to be saved
      // A refusal before the first change (a stale version, a taken name) leaves nothing to undo.
      if (connection_->must_undo() || (!item.answer && tx.changes() > 0)) return false;
    }
  } while (take_late_comers(items));
  return true;
}

bool Writer::take_late_comers(std::vector<Item>& items) {
  if (items.size() >= kGroup) return false;
  const std::lock_guard lock(mutex_);
  if (queue_.empty()) return false;
  std::ranges::move(queue_, std::back_inserter(items));
  queue_.clear();
  return true;
}

Result<void> Writer::run_one_by_one(std::vector<Item>& items) {
  for (Item& item : items) {
    TY_DO(connection_->savepoint());
    Tx tx(*connection_, &memory_);
    item.answer = call(*item.work, tx);
    if (connection_->lost()) return std::unexpected(*connection_->lost());
    if (item.answer && connection_->must_undo()) {
      item.answer = fail(Errc::Internal, say::write_went_on());
    }
    TY_DO(item.answer ? connection_->release_savepoint() : connection_->rollback_to_savepoint());
  }
  return {};
}

Result<void> Writer::call(Work& work, Tx& tx) {
  try {
    return work(tx);
  } catch (const std::exception& e) {
    // Counted as a change, so that whatever it did is undone.
    ++tx.changes_;
    return fail(Errc::Internal, say::write_threw({.why = e.what()}));
  }
}

Result<void> Writer::begin() {
  auto begun = connection_->begin(Connection::Access::Write);
  if (begun) return begun;
  TY_DO(connection_->reconnect());
  memory_ = {};
  return connection_->begin(Connection::Access::Write);
}

void Writer::index_names() {
  if (auto begun = begin(); !begun) return names_.pause();
  Tx tx(*connection_, &memory_);
  Result<void> done = names_.advance(tx);
  if (done) done = connection_->commit();
  if (done) return;
  connection_->rollback();
  names_.pause();
  memory_.names_indexed_to.reset();
  log::warn("store.name_index_failed error={:?}", done.error().message);
}

}  // namespace ty::store
