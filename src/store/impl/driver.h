#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "store/tx.h"

/// The thin layer over two databases: what SQLite and PostgreSQL both can, in the shape that SQLite
/// has it.
namespace ty::store {

/// How long a bound text stays where it is: until the statement was stepped once, or not even that.
enum class Bound : std::uint8_t { UntilStepped, Copied };

/// One prepared statement. Bound from 0, in the order in which the placeholders first appear.
class Statement {
 public:
  using Home = std::vector<std::unique_ptr<Statement>>;

  virtual ~Statement() = default;
  virtual void bind(int index, const Param& value, Bound bound) = 0;
  /// True: there is a row to look at.
  virtual Result<bool> step() = 0;
  virtual std::int64_t changed_rows() const = 0;
  /// Back to before the first step; lets go of what was bound.
  virtual void reset() = 0;

  virtual bool is_null(int column) const = 0;
  virtual std::int64_t integer(int column) const = 0;
  virtual std::string_view text(int column) const = 0;
  virtual std::string_view blob(int column) const = 0;

  Home* home = nullptr;  ///< where it waits between uses
};

/// One connection, used by one thread at a time.
class Connection {
 public:
  enum class Access : std::uint8_t { Read, Write };

  virtual ~Connection() = default;
  virtual bool is_postgres() const = 0;
  virtual Result<void> begin(Access access) = 0;
  virtual Result<void> commit() = 0;
  virtual void rollback() = 0;
  virtual Result<void> savepoint() = 0;
  virtual Result<void> release_savepoint() = 0;
  virtual Result<void> rollback_to_savepoint() = 0;
  /// Statements without parameters, separated by `;`.
  virtual Result<void> run_script(const std::string& sql) = 0;
  /// Usable again after `lost()`; SQLite always is.
  virtual Result<void> reconnect() { return {}; }

  Result<std::unique_ptr<Statement>> take(std::string_view sql);
  static void give_back(std::unique_ptr<Statement> statement);

  /// Why the whole transaction cannot go on (disk full, connection gone), since `begin`.
  const std::optional<Error>& lost() const { return lost_; }
  /// A statement failed since `begin` or the last `rollback_to_savepoint`, and the database insists
  /// on undoing what came before it.
  bool must_undo() const { return must_undo_; }

 protected:
  virtual Result<std::unique_ptr<Statement>> prepare(std::string_view sql) = 0;
  void drop_statements() { statements_.clear(); }

  std::optional<Error> lost_;
  bool must_undo_ = false;

  friend class SqliteStatement;
  friend class PostgresStatement;

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, Statement::Home, Hash, std::equal_to<>> statements_;
};

/// What the writer knows without asking the database. All of it may be ahead of the database after
/// a rollback, never behind.
struct WriterMemory {
  std::optional<std::int64_t> last_id[5];        ///< by Sequence
  std::optional<Time> last_created_at;           ///< of the newest job
  std::optional<std::int64_t> names_indexed_to;  ///< jobs up to this seq are in the name index
  bool more_names = false;                       ///< there were more at the last look
};

}  // namespace ty::store
