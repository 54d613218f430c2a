#include "store/database.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <future>
#include <span>

#include "rt/blocking_pool.h"
#include "store/impl/migrations.h"
#include "store/impl/postgres.h"
#include "store/impl/readers.h"
#include "store/impl/sqlite.h"
#include "store/impl/writer.h"

namespace ty::store {

namespace asio = boost::asio;

struct Database::Parts {
  bool postgres;
  std::string description;
  Readers readers;
  std::unique_ptr<rt::BlockingPool> pool;  ///< PostgreSQL only
  Writer writer;

  Parts(bool is_postgres,
        std::string text,
        int reader_count,
        Readers::Open open,
        std::unique_ptr<Connection> connection)
      : postgres(is_postgres),
        description(std::move(text)),
        readers(reader_count, std::move(open)),
        pool(is_postgres
                 ? std::make_unique<rt::BlockingPool>(static_cast<std::size_t>(reader_count))
                 : nullptr),
        writer(std::move(connection)) {}
};

Database::Database(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Database::~Database() = default;

Result<std::unique_ptr<Database>> Database::open(DatabaseConfig config) {
  const bool postgres =
      config.url.starts_with("postgres://") || config.url.starts_with("postgresql://");
  std::string place = config.url.starts_with("sqlite:") ? config.url.substr(7) : config.url;
  const auto connect = [postgres, place, reserve = config.reserve](Connection::Access access) {
    return postgres ? open_postgres(place, access) : open_sqlite(place, access, reserve);
  };
  TY_TRY(auto connection, connect(Connection::Access::Write));
  TY_DO(
      Migrator(*connection).run(std::span(kMigrations, static_cast<std::size_t>(kMigrationCount))));
  const auto open_reader = [connect] { return connect(Connection::Access::Read); };
  auto parts = std::make_unique<Parts>(postgres,
                                       postgres ? describe_postgres(place) : "SQLite, " + place,
                                       std::max(1, config.readers),
                                       open_reader,
                                       std::move(connection));
  return std::unique_ptr<Database>(new Database(std::move(parts)));
}

bool Database::is_postgres() const { return parts_->postgres; }
std::string Database::description() const { return parts_->description; }
bool Database::reads_inline() const { return !parts_->postgres; }

asio::awaitable<Result<void>> Database::enqueue(Work& work) {
  auto start = [this, &work](auto handler) {
    // Tracked: the caller's io_context must not run dry while its only coroutine waits for the
    // writer.
    auto executor = asio::prefer(asio::get_associated_executor(handler),
                                 asio::execution::outstanding_work.tracked);
    auto done = [executor, handler = std::move(handler)](Result<void> answer) mutable {
      auto back = [handler = std::move(handler), answer = std::move(answer)]() mutable {
        std::move(handler)(std::move(answer));
      };
      asio::post(executor, std::move(back));
    };
    parts_->writer.push(work, std::move(done));
  };
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<>, void(Result<void>)>(
      start, asio::use_awaitable);
}

Result<void> Database::enqueue_and_wait(Work& work) {
  std::promise<Result<void>> promise;
  parts_->writer.push(work,
                      [&promise](Result<void> answer) { promise.set_value(std::move(answer)); });
  return promise.get_future().get();
}

asio::awaitable<Result<void>> Database::read_on_pool(Work& work) {
  auto run = [this, &work] { return parts_->readers.run(work); };
  co_return co_await parts_->pool->run(std::move(run));
}

Result<void> Database::read_blocking(Work& work) { return parts_->readers.run(work); }

}  // namespace ty::store
