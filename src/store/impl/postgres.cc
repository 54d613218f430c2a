#include "store/impl/postgres.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/encoding.h"
#include "base/text.h"
#include "store/impl/libpq.h"
#include "store/impl/placeholders.h"
#include "store/messages.h"

namespace ty::store {

namespace {

/// One server to a database: ids and groups are counted in its memory. The lock goes with the
/// connection.
constexpr const char* kLockQuery = "select pg_try_advisory_lock(8390880602276259201)::int";
constexpr auto kLockPatience = std::chrono::seconds(5);
constexpr int kOldestServer = 120'000;

/// How long a server may take to let us in, and a network to say that it is gone.
constexpr std::string_view kNetworkLimits =
    "connect_timeout=10&tcp_user_timeout=30000&keepalives_idle=30&keepalives_interval=10&"
    "keepalives_count=3";
/// Unless the URL, the role or the database has a limit of its own.
constexpr const char* kStatementLimit =
    "select set_config('statement_timeout', '60s', false) "
    "where current_setting('statement_timeout') = '0'";

struct Clear {
  const pq::Library* pq;
  void operator()(pq::Res* result) const { pq->clear(result); }
};
using Answer = std::unique_ptr<pq::Res, Clear>;

std::string first_line(const char* text) {
  std::string_view line = trim(text ? text : "");
  return std::string(line.substr(0, line.find('\n')));
}

}  // namespace

class PostgresConnection final : public Connection {
 public:
  PostgresConnection(const pq::Library* pq, pq::Conn* raw, Access access)
      : pq_(pq), raw_(raw), access_(access) {
    pq_->set_notice_processor(raw_, [](void*, const char*) {}, nullptr);
  }
  ~PostgresConnection() override {
    drop_statements();
    pq_->finish(raw_);
  }

  bool is_postgres() const override { return true; }
  Result<void> begin(Access access) override {
    lost_.reset();
    must_undo_ = false;
    return run(access == Access::Write ? "begin"
                                       : "begin isolation level repeatable read read only");
  }
  Result<void> commit() override {
    Result<void> done = run("commit");
    if (!done) rollback();
    return done;
  }
  void rollback() override {
    if (pq_->status(raw_) == pq::kConnectionOk) (void)run("rollback");
  }
  Result<void> savepoint() override { return run("savepoint one"); }
  Result<void> release_savepoint() override { return run("release savepoint one"); }
  Result<void> rollback_to_savepoint() override {
    must_undo_ = false;
    return run("rollback to savepoint one; release savepoint one");
  }
  Result<void> run_script(const std::string& sql) override {
    // Scripts are migrations: rewriting a large table may take as long as it takes.
    return run(("set local statement_timeout = 0;" + sql).c_str());
  }

  Result<void> reconnect() override {
    drop_statements();
    if (pq_->status(raw_) != pq::kConnectionOk) pq_->reset(raw_);
    return ready();
  }

  /// What every fresh connection needs.
  Result<void> ready() {
    if (pq_->status(raw_) != pq::kConnectionOk) {
      return fail(Errc::Unavailable,
                  say::postgres_unreachable({.why = first_line(pq_->error_message(raw_))}));
    }
    if (pq_->server_version(raw_) < kOldestServer) {
      return fail(Errc::Unavailable, say::postgres_too_old());
    }
    TY_DO(run("set client_encoding = 'UTF8'; set synchronous_commit = on; set bytea_output = hex"));
    TY_DO(run(kStatementLimit));
    if (access_ == Access::Write) TY_DO(lock());
    return {};
  }

  const pq::Library& pq() const { return *pq_; }
  pq::Conn* raw() { return raw_; }

  Error failed(const pq::Res* result) {
    must_undo_ = true;
    const char* field = result ? pq_->result_field(result, pq::kDiagSqlState) : nullptr;
    const std::string_view state = field ? field : "";
    const char* text = result ? pq_->result_field(result, pq::kDiagMessage) : nullptr;
    const std::string message = first_line(text ? text : pq_->error_message(raw_));
    if (state.starts_with("23")) return {Errc::Conflict, plain(message)};
    if (state == "57014") return {Errc::Timeout, say::postgres_too_slow({.why = message})};
    if (state == "22021") return {Errc::Invalid, plain(message)};  // bytes that are no text
    Error error{Errc::Internal, say::postgres_failed({.why = message})};
    const bool gone = pq_->status(raw_) != pq::kConnectionOk;
    if (state == "53100" || state == "53200") {
      error = {state == "53100" ? Errc::DiskFull : Errc::Exhausted,
               say::postgres_full({.why = message})};
    } else if (gone || state.starts_with("08") || state.starts_with("57P") ||
               state.starts_with("58") || state == "25006") {
      error = {Errc::Unavailable, say::postgres_unusable({.why = message})};
    } else {
      return error;
    }
    lost_ = error;
    return error;
  }

 protected:
  Result<std::unique_ptr<Statement>> prepare(std::string_view sql) override;

 private:
  Result<void> run(const char* sql) {
    Answer answer(pq_->exec(raw_, sql), Clear{pq_});
    const int status = pq_->result_status(answer.get());
    if (status == pq::kCommandOk || status == pq::kTuplesOk) return {};
    return std::unexpected(failed(answer.get()));
  }

  Result<void> lock() {
    // The connection of a server that was just killed may live a moment longer than the server.
    const auto give_up = std::chrono::steady_clock::now() + kLockPatience;
    for (;;) {
      Answer answer(pq_->exec(raw_, kLockQuery), Clear{pq_});
      if (pq_->result_status(answer.get()) != pq::kTuplesOk)
        return std::unexpected(failed(answer.get()));
      if (std::string_view(pq_->value(answer.get(), 0, 0)) == "1") return {};
      if (std::chrono::steady_clock::now() > give_up) {
        return fail(Errc::Conflict, say::postgres_taken());
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }

  const pq::Library* pq_;
  pq::Conn* raw_;
  const Access access_;
  int names_ = 0;
};

/// The whole answer is fetched at the first step; our queries ask for pages, not for tables.
class PostgresStatement final : public Statement {
 public:
  PostgresStatement(PostgresConnection& connection, std::string name, int count)
      : connection_(connection),
        name_(std::move(name)),
        values_(static_cast<std::size_t>(count)),
        texts_(static_cast<std::size_t>(count)),
        lengths_(static_cast<std::size_t>(count)),
        formats_(static_cast<std::size_t>(count)) {}

  void bind(int index, const Param& value, Bound bound) override {
    const auto i = static_cast<std::size_t>(index);
    TY_CHECK(i < values_.size(), "a statement is bound with as many values as it has placeholders");
    switch (value.kind()) {
      case Param::Kind::Null:
        values_[i] = nullptr;
        return;
      case Param::Kind::Integer:
        texts_[i] = std::to_string(value.integer());
        values_[i] = texts_[i].c_str();
        formats_[i] = 0;
        return;
      case Param::Kind::Text:
      case Param::Kind::Blob:
        break;
    }
    // In binary form both are their bytes, with a length: a NUL is refused by the server instead of
    // ending the text.
    std::string_view bytes = value.bytes();
    if (bound == Bound::Copied) bytes = texts_[i] = bytes;
    values_[i] = bytes.data() ? bytes.data() : "";
    lengths_[i] = static_cast<int>(bytes.size());
    formats_[i] = 1;
  }

  Result<bool> step() override {
    const pq::Library& pq = connection_.pq();
    if (!answer_) {
      answer_ = Answer(pq.exec_prepared(connection_.raw(),
                                        name_.c_str(),
                                        static_cast<int>(values_.size()),
                                        values_.data(),
                                        lengths_.data(),
                                        formats_.data(),
                                        0),
                       Clear{&pq});
      const int status = pq.result_status(answer_.get());
      if (status != pq::kTuplesOk && status != pq::kCommandOk) {
        return std::unexpected(connection_.failed(answer_.get()));
      }
      row_ = -1;
      rows_ = status == pq::kTuplesOk ? pq.rows(answer_.get()) : 0;
    }
    return ++row_ < rows_;
  }

  std::int64_t changed_rows() const override {
    std::int64_t count = 0;
    if (!answer_ || rows_ > 0) return rows_;
    const char* text = connection_.pq().affected(answer_.get());
    std::from_chars(text, text + std::strlen(text), count);
    return count;
  }

  void reset() override { answer_.reset(); }

  bool is_null(int column) const override {
    return connection_.pq().is_null(answer_.get(), row_, column) != 0;
  }
  std::int64_t integer(int column) const override {
    std::int64_t value = 0;
    const std::string_view digits = text(column);
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
  }
  std::string_view text(int column) const override {
    const pq::Library& pq = connection_.pq();
    return {pq.value(answer_.get(), row_, column),
            static_cast<std::size_t>(pq.length(answer_.get(), row_, column))};
  }
  std::string_view blob(int column) const override {
    std::string_view hex = text(column);
    if (hex.starts_with("\\x")) hex.remove_prefix(2);
    decoded_ = from_hex(hex).value_or("");
    return decoded_;
  }

 private:
  PostgresConnection& connection_;
  std::string name_;
  std::vector<const char*> values_;
  std::vector<std::string> texts_;
  std::vector<int> lengths_;
  std::vector<int> formats_;
  Answer answer_{nullptr, Clear{nullptr}};
  int row_ = -1;
  int rows_ = 0;
  mutable std::string decoded_;
};

Result<std::unique_ptr<Statement>> PostgresConnection::prepare(std::string_view sql) {
  const NumberedSql numbered = number_placeholders(sql);
  std::string name = "s" + std::to_string(++names_);
  Answer answer(pq_->prepare(raw_, name.c_str(), numbered.sql.c_str(), 0, nullptr), Clear{pq_});
  if (pq_->result_status(answer.get()) != pq::kCommandOk)
    return std::unexpected(failed(answer.get()));
  return std::make_unique<PostgresStatement>(*this, std::move(name), numbered.count);
}

Result<std::unique_ptr<Connection>> open_postgres(const std::string& url,
                                                  Connection::Access access) {
  TY_TRY(const pq::Library* pq, pq::load());
  auto connection = std::make_unique<PostgresConnection>(
      pq, pq->connect(with_network_limits(url).c_str()), access);
  TY_DO(connection->ready());
  return connection;
}

std::string with_network_limits(const std::string& url) {
  const auto query = url.find('?');
  std::string limited = url.substr(0, query);
  limited += '?';
  limited += kNetworkLimits;
  // Of a parameter that is there twice libpq takes the last: what the URL says holds.
  if (query != url.npos) limited += "&" + url.substr(query + 1);
  return limited;
}

std::string describe_postgres(const std::string& url) {
  std::string_view rest(url);
  if (const auto scheme = rest.find("://"); scheme != rest.npos) rest.remove_prefix(scheme + 3);
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?"));
  if (const auto at = authority.rfind('@'); at != authority.npos) rest.remove_prefix(at + 1);
  return "PostgreSQL, " + std::string(rest.substr(0, rest.find('?')));
}

}  // namespace ty::store
