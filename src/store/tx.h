#pragma once
#include <chrono>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"

namespace ty::store {

class Connection;
class Statement;
struct WriterMemory;

/// Bytes that are not text.
struct Blob {
  std::string_view bytes;
};

/// One bound value. It refers to the text it was made from: use it only as an argument.
class Param {
 public:
  enum class Kind : std::uint8_t { Null, Integer, Text, Blob };

  Param(std::nullopt_t) {}
  template <std::integral I>
  Param(I value) : kind_(Kind::Integer), integer_(static_cast<std::int64_t>(value)) {}
  template <class E>
    requires std::is_enum_v<E>
  Param(E value) : Param(static_cast<std::int64_t>(value)) {}
  template <class Tag>
  Param(NumberId<Tag> id) : Param(id.value) {}
  template <class Tag>
  Param(const TextId<Tag>& id) : Param(std::string_view(id.str())) {}
  Param(Time time) : Param(to_millis(time)) {}
  template <class Rep, class Period>
  Param(std::chrono::duration<Rep, Period> duration)
      : Param(std::chrono::duration_cast<Millis>(duration).count()) {}
  Param(std::string_view text) : kind_(Kind::Text), text_(text) {}
  Param(const std::string& text) : Param(std::string_view(text)) {}
  Param(const char* text) : Param(std::string_view(text)) {}
  Param(Blob blob) : kind_(Kind::Blob), text_(blob.bytes) {}
  template <class T>
  Param(const std::optional<T>& value) : Param(value ? Param(*value) : Param(std::nullopt)) {}

  Kind kind() const { return kind_; }
  std::int64_t integer() const { return integer_; }
  std::string_view bytes() const { return text_; }

 private:
  Kind kind_ = Kind::Null;
  std::int64_t integer_ = 0;
  std::string_view text_;
};

/// The answer of a query, row by row. Texts are valid until the next `next()`.
///   auto rows = tx.query("select id, name from users where disabled = :off", false);
///   while (rows.next()) use(rows.get<UserId>(0), rows.text(1));
///   TY_DO(rows.status());
class Rows {
 public:
  Rows(Rows&& other) noexcept;
  Rows& operator=(Rows&& other) noexcept;
  ~Rows();

  /// False after the last row, and when the query failed: `status()` tells which.
  bool next();
  Result<void> status() const;

  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  std::string_view text(int column) const;
  std::string_view blob(int column) const;

  template <class T>
  T get(int column) const;

 private:
  friend class Tx;
  explicit Rows(std::unique_ptr<Statement> statement);
  explicit Rows(Error error);

  std::unique_ptr<Statement> statement_;
  std::optional<Error> error_;
};

/// What is numbered by `Tx::next_id`.
enum class Sequence : std::uint8_t { Jobs, Events, Users, Tokens, Workspaces };

/// One transaction on one connection, as a function given to Database::read or ::write sees it. Not
/// to be kept. SQL is written once for both databases, with `:name` placeholders bound in the order
/// in which the names first appear.
class Tx {
 public:
  template <class... Args>
  Rows query(std::string_view sql, const Args&... args) {
    return query_params(sql, {Param(args)...});
  }
  /// How many rows it changed.
  template <class... Args>
  Result<std::int64_t> exec(std::string_view sql, const Args&... args) {
    return exec_params(sql, {Param(args)...});
  }
  /// The first column of the first row, if there is one.
  template <class T, class... Args>
  Result<std::optional<T>> value(std::string_view sql, const Args&... args) {
    Rows rows = query_params(sql, {Param(args)...});
    std::optional<T> found;
    if (rows.next()) found = rows.get<T>(0);
    TY_DO(rows.status());
    return found;
  }

  /// The same of a statement that changes something: `insert … returning …`.
  template <class T, class... Args>
  Result<std::optional<T>> changed_value(std::string_view sql, const Args&... args) {
    auto found = value<T>(sql, args...);
    if (found && *found) ++changes_;
    return found;
  }

  Rows query_params(std::string_view sql, std::span<const Param> params);
  Rows query_params(std::string_view sql, std::initializer_list<Param> params) {
    return query_params(sql, std::span(params.begin(), params.size()));
  }
  Result<std::int64_t> exec_params(std::string_view sql, std::span<const Param> params);
  Result<std::int64_t> exec_params(std::string_view sql, std::initializer_list<Param> params) {
    return exec_params(sql, std::span(params.begin(), params.size()));
  }

  /// The next number of a sequence: larger than every one given out before, also before a restart.
  /// Only in writes.
  Result<std::int64_t> next_id(Sequence sequence);
  /// To be called when the row of that id goes, so that the number is not given out again.
  Result<void> remember_id(Sequence sequence, std::int64_t id);

  bool is_postgres() const;
  /// Only in writes.
  WriterMemory& memory();
  /// What this transaction has changed so far; 0 means that nothing needs to be undone.
  std::int64_t changes() const { return changes_; }

 private:
  friend class Writer;
  friend class Readers;
  friend class Migrator;
  explicit Tx(Connection& connection, WriterMemory* memory = nullptr)
      : connection_(&connection), memory_(memory) {}

  Connection* connection_;
  WriterMemory* memory_;  ///< null in reads
  std::int64_t changes_ = 0;
};

namespace impl {
template <class T>
struct Column;
template <class T>
struct Column<std::optional<T>> {
  static std::optional<T> read(const Rows& rows, int column) {
    if (rows.is_null(column)) return std::nullopt;
    return rows.get<T>(column);
  }
};
template <class T>
  requires std::integral<T> || std::is_enum_v<T>
struct Column<T> {
  static T read(const Rows& rows, int column) { return static_cast<T>(rows.integer(column)); }
};
template <class Tag>
struct Column<NumberId<Tag>> {
  static NumberId<Tag> read(const Rows& rows, int column) { return {rows.integer(column)}; }
};
template <class Tag>
struct Column<TextId<Tag>> {
  static TextId<Tag> read(const Rows& rows, int column) {
    return TextId<Tag>(std::string(rows.text(column)));
  }
};
template <>
struct Column<Time> {
  static Time read(const Rows& rows, int column) { return from_millis(rows.integer(column)); }
};
template <class Rep, class Period>
struct Column<std::chrono::duration<Rep, Period>> {
  static auto read(const Rows& rows, int column) {
    return std::chrono::duration_cast<std::chrono::duration<Rep, Period>>(
        Millis{rows.integer(column)});
  }
};
template <>
struct Column<std::string> {
  static std::string read(const Rows& rows, int column) { return std::string(rows.text(column)); }
};
}  // namespace impl

template <class T>
T Rows::get(int column) const {
  return impl::Column<T>::read(*this, column);
}

}  // namespace ty::store
