#include "store/impl/migrations.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <map>
#include <string>
#include <utility>

#include "store/messages.h"

namespace ty::store {

namespace {

/// FNV-1a: tells an edited file from the one that was applied; nobody attacks it.
std::string checksum(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const unsigned char c : text) hash = (hash ^ c) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

int number_of(std::string_view name) {
  int number = 0;
  std::from_chars(name.data(), name.data() + name.size(), number);
  TY_CHECK(number > 0, "a migration's file name begins with its number");
  return number;
}

std::map<int, MigrationFile> chosen(std::span<const MigrationFile> files, bool postgres) {
  std::map<int, MigrationFile> by_number;
  for (const MigrationFile& file : files) {
    const bool for_pg = file.name.ends_with(".pg.sql");
    if (for_pg && !postgres) continue;
    MigrationFile& slot = by_number[number_of(file.name)];
    if (slot.name.empty() || for_pg) slot = file;
  }
  return by_number;
}

std::string with_time(std::string sql, Time now) {
  for (std::size_t at; (at = sql.find(":now")) != std::string::npos;) {
    sql.replace(at, 4, std::to_string(to_millis(now)));
  }
  return sql;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

void replace_word(std::string& text, std::string_view word, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos;) {
    const std::size_t end = at + word.size();
    const bool whole =
        (at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]));
    if (whole) text.replace(at, word.size(), by);
    at += whole ? by.size() : word.size();
  }
}

}  // namespace

std::string for_postgres(std::string_view sql) {
  std::string text(sql);
  replace_word(text, "integer", "bigint");
  replace_word(text, "blob", "bytea");
  replace_word(text, "text", "text collate \"C\"");
  replace_word(text, "without rowid", "");
  return text;
}

Result<void> Migrator::run(std::span<const MigrationFile> files) {
  TY_DO(connection_.begin(Connection::Access::Write));
  if (auto done = apply_missing(files); !done) {
    connection_.rollback();
    return done;
  }
  return connection_.commit();
}

Result<void> Migrator::apply_missing(std::span<const MigrationFile> files) {
  const bool postgres = connection_.is_postgres();
  const std::string table =
      "create table if not exists migrations (number integer primary key, name text not null, "
      "checksum text not null, applied_at integer not null)";
  TY_DO(connection_.run_script(postgres ? for_postgres(table) : table));

  Tx tx(connection_);
  std::map<int, std::pair<std::string, std::string>> applied;
  auto rows = tx.query("select number, name, checksum from migrations order by number");
  while (rows.next())
    applied[rows.get<int>(0)] = {rows.get<std::string>(1), rows.get<std::string>(2)};
  TY_DO(rows.status());

  const std::map<int, MigrationFile> known = chosen(files, postgres);
  const int newest = known.empty() ? 0 : known.rbegin()->first;
  if (!applied.empty() && applied.rbegin()->first > newest) {
    return fail(
        Errc::Conflict,
        say::database_from_newer_version({.theirs = applied.rbegin()->first, .ours = newest}));
  }
  const Time now = SystemClock{}.now();
  for (const auto& [number, file] : known) {
    if (const auto found = applied.find(number); found != applied.end()) {
      if (found->second.second == checksum(file.sql)) continue;
      return fail(Errc::Conflict, say::database_from_other_build({.file = file.name}));
    }
    const bool translate = postgres && !file.name.ends_with(".pg.sql");
    std::string sql = with_time(translate ? for_postgres(file.sql) : std::string(file.sql), now);
    if (auto done = connection_.run_script(sql); !done) {
      return std::unexpected(
          std::move(done).error().with_context(say::bringing_database_up({.file = file.name})));
    }
    TY_DO(
        tx.exec("insert into migrations (number, name, checksum, applied_at) "
                "values (:number, :name, :checksum, :at)",
                number,
                file.name,
                checksum(file.sql),
                now));
  }
  return {};
}

}  // namespace ty::store
