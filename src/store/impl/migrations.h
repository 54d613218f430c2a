#pragma once
#include <span>
#include <string_view>

#include "base/result.h"
#include "store/impl/driver.h"

namespace ty::store {

struct MigrationFile {
  std::string_view
      name;  ///< `0001_core.sql`; `0002_name_search.pg.sql` takes its place on PostgreSQL
  std::string_view sql;
};

/// Every file of migrations/, by name; written at build time.
extern const MigrationFile kMigrations[];
extern const int kMigrationCount;

/// Brings the database to the newest of `files` in one transaction. Refuses a database that knows
/// migrations we do not (it is from a newer version) and one made from migrations that differ from
/// ours.
class Migrator {
 public:
  explicit Migrator(Connection& connection) : connection_(connection) {}
  Result<void> run(std::span<const MigrationFile> files);

 private:
  Result<void> apply_missing(std::span<const MigrationFile> files);

  Connection& connection_;
};

/// The one text as PostgreSQL reads it: integer → bigint and so on, see 0001_core.sql.
std::string for_postgres(std::string_view sql);

}  // namespace ty::store
