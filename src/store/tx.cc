#include "store/tx.h"

#include <algorithm>

#include "store/impl/driver.h"

namespace ty::store {

namespace {

struct SequenceRow {
  const char* name;
  const char* largest;  ///< what the table itself holds
};
constexpr SequenceRow kSequences[] = {
    {"jobs", "select max(seq) from jobs"},
    {"events", "select max(id) from events"},
    {"users", "select max(id) from users"},
    {"tokens", "select max(id) from tokens"},
    {"workspaces", "select max(id) from workspaces"},
};

}  // namespace

Rows::Rows(std::unique_ptr<Statement> statement) : statement_(std::move(statement)) {}
Rows::Rows(Error error) : error_(std::move(error)) {}
Rows::Rows(Rows&& other) noexcept = default;
Rows& Rows::operator=(Rows&& other) noexcept {
  if (this != &other) {
    if (statement_) Connection::give_back(std::move(statement_));
    statement_ = std::move(other.statement_);
    error_ = std::move(other.error_);
  }
  return *this;
}
Rows::~Rows() {
  if (statement_) Connection::give_back(std::move(statement_));
}

bool Rows::next() {
  if (error_ || !statement_) return false;
  Result<bool> row = statement_->step();
  if (row && *row) return true;
  if (!row) error_ = std::move(row).error();
  Connection::give_back(std::move(statement_));
  return false;
}

Result<void> Rows::status() const {
  if (error_) return std::unexpected(*error_);
  return {};
}

bool Rows::is_null(int column) const { return statement_->is_null(column); }
std::int64_t Rows::integer(int column) const { return statement_->integer(column); }
std::string_view Rows::text(int column) const { return statement_->text(column); }
std::string_view Rows::blob(int column) const { return statement_->blob(column); }

Rows Tx::query_params(std::string_view sql, std::span<const Param> params) {
  auto statement = connection_->take(sql);
  if (!statement) return Rows(std::move(statement).error());
  for (std::size_t i = 0; i < params.size(); ++i) {
    (*statement)->bind(static_cast<int>(i), params[i], Bound::Copied);
  }
  return Rows(*std::move(statement));
}

Result<std::int64_t> Tx::exec_params(std::string_view sql, std::span<const Param> params) {
  TY_TRY(auto statement, connection_->take(sql));
  for (std::size_t i = 0; i < params.size(); ++i) {
    statement->bind(static_cast<int>(i), params[i], Bound::UntilStepped);
  }
  Result<bool> done = statement->step();
  const std::int64_t changed = done ? statement->changed_rows() : 0;
  Connection::give_back(std::move(statement));
  if (!done) return std::unexpected(std::move(done).error());
  changes_ += changed;
  return changed;
}

Result<std::int64_t> Tx::next_id(Sequence sequence) {
  auto& last = memory().last_id[static_cast<int>(sequence)];
  if (!last) {
    const SequenceRow& row = kSequences[static_cast<int>(sequence)];
    // Rows may have gone from the end of the table: the sequence remembers what they were called.
    TY_TRY(auto remembered,
           value<std::int64_t>("select value from sequences where name = :name", row.name));
    TY_TRY(auto largest, value<std::optional<std::int64_t>>(row.largest));
    last = std::max(remembered.value_or(0), largest.value_or(std::nullopt).value_or(0));
  }
  return ++*last;
}

Result<void> Tx::remember_id(Sequence sequence, std::int64_t id) {
  TY_DO(
      exec("insert into sequences (name, value) values (:name, :value) on conflict (name) "
           "do update set value = excluded.value where excluded.value > sequences.value",
           kSequences[static_cast<int>(sequence)].name,
           id));
  return {};
}

WriterMemory& Tx::memory() {
  TY_CHECK(memory_, "only a write has the writer's memory");
  return *memory_;
}

bool Tx::is_postgres() const { return connection_->is_postgres(); }

}  // namespace ty::store
