#pragma once
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "base/result.h"
#include "store/tx.h"

namespace ty::store {

struct DatabaseConfig {
  /// A path (or `sqlite:PATH`) of an SQLite file, made if missing; or `postgres://…`, as libpq
  /// understands it.
  std::string url;
  int readers = 8;  ///< connections that may read at the same time
  /// SQLite: bytes of its disk taken for it beforehand, so that it can write on for a while after
  /// others have filled the disk. 0: none.
  std::int64_t reserve = 0;
};

/// The one database of the server. Safe to call from any thread; coroutines go on where they were.
///
/// One writer commits in groups: everything that waits when it is free becomes one commit, so an
/// answered write is on disk and many of them cost one sync. Must be destroyed before the
/// io_contexts whose coroutines use it, and after those who call it have stopped.
class Database {
 public:
  /// Opens, checks and migrates. Errors say what a person can do: the directory cannot be written,
  /// the file is no database or damaged, it is from a newer version, libpq5 is missing, the server
  /// cannot be reached, another Trainyard uses it.
  static Result<std::unique_ptr<Database>> open(DatabaseConfig config);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Runs `fn(Tx&) -> Result<T>` in the next group and answers once the group is on disk. A failing
  /// `fn` changes nothing and does not disturb the others of its group. `fn` may run more than once
  /// (its first run is undone then), on the writer's thread: it must not depend on what it did
  /// before, and must not call back into the Database. When the disk is full, or the database is
  /// away: Exhausted or Unavailable, nothing has changed, and later writes are tried afresh.
  template <class F>
  boost::asio::awaitable<std::invoke_result_t<F&, Tx&>> write(F fn) {
    std::optional<std::invoke_result_t<F&, Tx&>> answer;
    Work work = bind(fn, answer);
    Result<void> done = co_await enqueue(work);
    if (!done) co_return std::unexpected(std::move(done).error());
    co_return std::move(*answer);
  }

  /// The same, blocking: for start-up, tools and tests.
  template <class F>
  std::invoke_result_t<F&, Tx&> write_now(F fn) {
    std::optional<std::invoke_result_t<F&, Tx&>> answer;
    Work work = bind(fn, answer);
    TY_DO(enqueue_and_wait(work));
    return std::move(*answer);
  }

  /// Runs `fn(Tx&) -> Result<T>` on one snapshot of everything committed. SQLite answers on the
  /// calling thread (a list page takes about a tenth of a millisecond), PostgreSQL on a pool.
  template <class F>
  boost::asio::awaitable<std::invoke_result_t<F&, Tx&>> read(F fn) {
    if (reads_inline()) co_return read_now(std::move(fn));
    std::optional<std::invoke_result_t<F&, Tx&>> answer;
    Work work = bind(fn, answer);
    Result<void> done = co_await read_on_pool(work);
    if (!done) co_return std::unexpected(std::move(done).error());
    co_return std::move(*answer);
  }

  template <class F>
  std::invoke_result_t<F&, Tx&> read_now(F fn) {
    std::optional<std::invoke_result_t<F&, Tx&>> answer;
    Work work = bind(fn, answer);
    TY_DO(read_blocking(work));
    return std::move(*answer);
  }

  bool is_postgres() const;
  /// `SQLite, /var/lib/trainyard/trainyard.db` or `PostgreSQL, db.example:5432/trainyard`; no
  /// password.
  std::string description() const;

 private:
  using Work = std::function<Result<void>(Tx&)>;
  struct Parts;

  explicit Database(std::unique_ptr<Parts> parts);

  template <class F, class R>
  static Work bind(F& fn, std::optional<R>& answer) {
    return [&fn, &answer](Tx& tx) -> Result<void> {
      answer.emplace(fn(tx));
      if (!*answer) return std::unexpected(answer->error());
      return {};
    };
  }

  bool reads_inline() const;
  boost::asio::awaitable<Result<void>> enqueue(Work& work);
  Result<void> enqueue_and_wait(Work& work);
  boost::asio::awaitable<Result<void>> read_on_pool(Work& work);
  Result<void> read_blocking(Work& work);

  std::unique_ptr<Parts> parts_;
};

}  // namespace ty::store
