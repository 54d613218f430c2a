#include "store/impl/sqlite.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/fd.h"
#include "rt/log.h"
#include "store/messages.h"

namespace ty::store {

namespace {

/// Page cache of one connection. The file system's cache stands behind it, so a miss costs about a
/// microsecond.
constexpr int kWriterCacheKb = 12 * 1024;
constexpr int kReaderCacheKb = 2 * 1024;
/// Pages in the WAL before the writer copies them back: more of them means that pages written often
/// (counters, the right edge of each index) are copied once instead of many times.
constexpr int kCheckpointPages = 4000;
constexpr int kBusyMillis = 10'000;
/// The WAL keeps its file up to this size when it begins anew; more cannot be set aside in it.
constexpr std::int64_t kWalKept = std::int64_t{64} << 20;

bool is_full(int code, int system_error) {
  if ((code & 0xff) == SQLITE_FULL) return true;
  return (code & 0xff) == SQLITE_IOERR && disk_errc(system_error) == Errc::DiskFull;
}

/// Nothing of the transaction can be kept, whoever caused it.
bool loses_transaction(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_READONLY:
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_NOMEM:
    case SQLITE_CANTOPEN:
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      return true;
    default:
      return false;
  }
}

/// The database holds hashes of passwords and tokens; SQLite gives its companions the same mode.
/// What goes wrong here goes wrong again, with words, when SQLite opens the file.
void make_private_file(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file >= 0) close(file);
}

Error explain(sqlite3* db, int code, const std::string& path) {
  const int system_error = db ? sqlite3_system_errno(db) : 0;
  const std::string cause =
      system_error != 0 ? std::string(strerror(system_error)) : std::string(sqlite3_errstr(code));
  if (is_full(code, system_error)) {
    return {Errc::DiskFull, say::disk_full({.path = path})};
  }
  switch (code & 0xff) {
    case SQLITE_IOERR:
    case SQLITE_NOMEM:
    case SQLITE_PROTOCOL:
      return {Errc::Unavailable, say::database_unusable({.path = path, .why = cause})};
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      return {Errc::Unavailable, say::database_read_only({.path = path, .why = cause})};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {Errc::Unavailable, say::database_held({.path = path})};
    case SQLITE_NOTADB:
      return {Errc::Unavailable, say::not_a_database({.path = path})};
    case SQLITE_CORRUPT:
      return {Errc::Unavailable, say::database_damaged({.path = path})};
    case SQLITE_CONSTRAINT:
      return {Errc::Conflict, plain(sqlite3_errmsg(db))};
    case SQLITE_TOOBIG:
      return {Errc::TooLarge, say::too_large_for_database()};
    default:
      return {Errc::Internal,
              say::database_failed({.path = path, .why = db ? sqlite3_errmsg(db) : cause})};
  }
}

}  // namespace

class SqliteConnection;

class SqliteStatement final : public Statement {
 public:
  SqliteStatement(SqliteConnection& connection, sqlite3_stmt* raw)
      : connection_(connection), raw_(raw) {}
  ~SqliteStatement() override { sqlite3_finalize(raw_); }

  void bind(int index, const Param& value, Bound bound) override {
    const auto kept = bound == Bound::Copied ? SQLITE_TRANSIENT : SQLITE_STATIC;
    int code = SQLITE_OK;
    switch (value.kind()) {
      case Param::Kind::Null:
        code = sqlite3_bind_null(raw_, index + 1);
        break;
      case Param::Kind::Integer:
        code = sqlite3_bind_int64(raw_, index + 1, value.integer());
        break;
      case Param::Kind::Text:
        code = sqlite3_bind_text64(raw_,
                                   index + 1,
                                   value.bytes().data() ? value.bytes().data() : "",
                                   value.bytes().size(),
                                   kept,
                                   SQLITE_UTF8);
        break;
      case Param::Kind::Blob:
        code = value.bytes().empty()
                   ? sqlite3_bind_zeroblob(raw_, index + 1, 0)
                   : sqlite3_bind_blob64(
                         raw_, index + 1, value.bytes().data(), value.bytes().size(), kept);
        break;
    }
    TY_CHECK(code == SQLITE_OK || code == SQLITE_NOMEM || code == SQLITE_TOOBIG,
             "a statement is bound with as many values as it has placeholders");
  }

  Result<bool> step() override;
  std::int64_t changed_rows() const override;

  void reset() override {
    sqlite3_reset(raw_);
    sqlite3_clear_bindings(raw_);
  }

  bool is_null(int column) const override {
    return sqlite3_column_type(raw_, column) == SQLITE_NULL;
  }
  std::int64_t integer(int column) const override { return sqlite3_column_int64(raw_, column); }
  std::string_view text(int column) const override {
    const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(raw_, column));
    return {data ? data : "", static_cast<std::size_t>(sqlite3_column_bytes(raw_, column))};
  }
  std::string_view blob(int column) const override {
    const auto* data = static_cast<const char*>(sqlite3_column_blob(raw_, column));
    return {data ? data : "", static_cast<std::size_t>(sqlite3_column_bytes(raw_, column))};
  }

 private:
  SqliteConnection& connection_;
  sqlite3_stmt* raw_;
};

class SqliteConnection final : public Connection {
 public:
  SqliteConnection(std::string path, sqlite3* raw) : path_(std::move(path)), raw_(raw) {}
  ~SqliteConnection() override {
    drop_statements();
    // What SQLite does itself when the last connection closes, had it not been told to leave the
    // WAL, which owns the reserve, where it is.
    if (keeps_wal_)
      sqlite3_wal_checkpoint_v2(raw_, nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
    sqlite3_close(raw_);
  }

  /// Disk for the WAL and its index. Only for writers; readers just leave the WAL there.
  Result<void> set_aside(std::int64_t bytes, Access access) {
    sqlite3_db_config(raw_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    if (access != Access::Write) return {};
    keeps_wal_ = true;
    // Makes the two files, where they are not there yet.
    TY_DO(run_script("begin immediate; rollback"));
    const Fd wal(::open((path_ + "-wal").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    allocate(wal.get(), bytes);
    // Kept open: closing any descriptor of this file would drop the locks that SQLite holds on it.
    // Its index has 8 bytes for a page of 4 KB, in pieces of 32 KB.
    wal_index_ = Fd(::open((path_ + "-shm").c_str(), O_RDWR | O_CLOEXEC));
    allocate(wal_index_.get(), bytes / 256 + std::int64_t{64} * 1024);
    return {};
  }

  bool is_postgres() const override { return false; }

  Result<void> begin(Access access) override {
    lost_.reset();
    must_undo_ = false;
    return run(access == Access::Write ? "begin immediate" : "begin");
  }
  Result<void> commit() override {
    Result<void> done = run("commit");
    if (!done) rollback();
    return done;
  }
  void rollback() override {
    // SQLite ends the transaction by itself after some errors.
    if (!sqlite3_get_autocommit(raw_)) (void)run("rollback");
  }
  Result<void> savepoint() override { return run("savepoint one"); }
  Result<void> release_savepoint() override { return run("release one"); }
  Result<void> rollback_to_savepoint() override {
    must_undo_ = false;
    TY_DO(run("rollback to one"));
    return run("release one");
  }

  Result<void> run_script(const std::string& sql) override {
    const int code = sqlite3_exec(raw_, sql.c_str(), nullptr, nullptr, nullptr);
    if (code == SQLITE_OK) return {};
    return std::unexpected(failed());
  }

  Error failed() {
    const int code = sqlite3_extended_errcode(raw_);
    Error error = explain(raw_, code, path_);
    if (loses_transaction(code) || sqlite3_get_autocommit(raw_)) lost_ = error;
    return error;
  }

  sqlite3* raw() { return raw_; }

 protected:
  Result<std::unique_ptr<Statement>> prepare(std::string_view sql) override {
    sqlite3_stmt* statement = nullptr;
    const int code = sqlite3_prepare_v3(raw_,
                                        sql.data(),
                                        static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT,
                                        &statement,
                                        nullptr);
    if (code != SQLITE_OK) return std::unexpected(failed());
    return std::make_unique<SqliteStatement>(*this, statement);
  }

 private:
  Result<void> run(std::string_view sql) {
    TY_TRY(auto statement, take(sql));
    Result<bool> done = statement->step();
    give_back(std::move(statement));
    if (!done) return std::unexpected(std::move(done).error());
    return {};
  }

  /// Blocks without length: the file looks as before.
  void allocate(int file, std::int64_t bytes) {
    if (file >= 0 && ::fallocate(file, FALLOC_FL_KEEP_SIZE, 0, bytes) == 0) return;
    log::warn("store.nothing_set_aside path={} problem={}", path_, strerror(errno));
  }

  std::string path_;
  sqlite3* raw_;
  bool keeps_wal_ = false;
  Fd wal_index_;
};

Result<bool> SqliteStatement::step() {
  const int code = sqlite3_step(raw_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return std::unexpected(connection_.failed());
}

std::int64_t SqliteStatement::changed_rows() const {
  return sqlite3_stmt_readonly(raw_) ? 0 : sqlite3_changes64(connection_.raw());
}

Result<std::unique_ptr<Connection>> open_sqlite(const std::string& path,
                                                Connection::Access access,
                                                std::int64_t reserve) {
  sqlite3* raw = nullptr;
  const bool writer = access == Connection::Access::Write;
  if (writer) make_private_file(path);
  // Also readers open for writing: whoever comes first after a crash must be able to recover the
  // WAL.
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (writer ? SQLITE_OPEN_CREATE : 0);
  const int code = sqlite3_open_v2(path.c_str(), &raw, flags, nullptr);
  if (code != SQLITE_OK) {
    Error error = explain(raw, code, path);
    sqlite3_close(raw);
    return std::unexpected(std::move(error));
  }
  sqlite3_extended_result_codes(raw, 1);
  sqlite3_busy_timeout(raw, kBusyMillis);
  auto connection = std::make_unique<SqliteConnection>(path, raw);
  if (sqlite3_db_readonly(raw, "main") == 1) {
    return std::unexpected(explain(nullptr, SQLITE_READONLY, path));
  }
  if (writer) {
    // 4 KB is the unit of the disks and file systems we run on; only a new file takes it.
    TY_DO(connection->run_script("pragma page_size = 4096; pragma journal_mode = wal"));
  }
  TY_DO(connection->run_script(
      fmt::format("pragma synchronous = full; pragma temp_store = memory; pragma cache_size = -{}; "
                  "pragma wal_autocheckpoint = {}; pragma journal_size_limit = {}; "
                  "pragma foreign_keys = off; pragma trusted_schema = off",
                  writer ? kWriterCacheKb : kReaderCacheKb,
                  writer ? kCheckpointPages : 0,
                  kWalKept)));
  if (reserve > 0) TY_DO(connection->set_aside(std::min(reserve, kWalKept), access));
  return connection;
}

}  // namespace ty::store
