#pragma once
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "store/database.h"
#include "store/event_store.h"
#include "store/impl/test_postgres.h"
#include "store/job_store.h"
#include "store/token_store.h"
#include "store/user_store.h"
#include "store/workspace_store.h"

namespace ty::store::testing {

class TempDir {
 public:
  TempDir() {
    std::string name = (std::filesystem::temp_directory_path() / "ty-store-XXXXXX").string();
    TY_CHECK(mkdtemp(name.data()), "a temporary folder can be made");
    path_ = name;
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// Runs a coroutine to its end on a loop of its own.
template <class T>
T await(boost::asio::awaitable<T> task) {
  boost::asio::io_context io;
  std::optional<T> answer;
  auto run = [&]() -> boost::asio::awaitable<void> { answer.emplace(co_await std::move(task)); };
  boost::asio::co_spawn(io, run, [](std::exception_ptr thrown) {
    if (thrown) std::rethrow_exception(thrown);
  });
  io.run();
  return std::move(*answer);
}

/// The value, or a test failure that shows the error.
template <class T>
T ok(Result<T> result) {
  if (!result) {
    ADD_FAILURE() << to_string(result.error().code) << ": " << result.error().message;
    throw std::runtime_error(result.error().message.text());
  }
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}
template <class T>
T run(boost::asio::awaitable<Result<T>> task) {
  return ok(await(std::move(task)));
}
template <class T>
Error error_of(boost::asio::awaitable<Result<T>> task) {
  auto result = await(std::move(task));
  if (result) {
    ADD_FAILURE() << "succeeded where an error was due";
    return {};
  }
  return std::move(result).error();
}

inline const Time kStart = from_millis(1'700'000'000'000);

inline NewJob new_job(std::string name,
                      UserId owner,
                      WorkspaceId workspace = {1},
                      Time at = kStart) {
  NewJob fresh;
  fresh.job.id = random_job_id();
  fresh.job.name = std::move(name);
  fresh.job.owner = owner;
  fresh.job.workspace = workspace;
  fresh.job.created_at = at;
  fresh.job.life.queued_at = at;
  fresh.job.life.tasks = {model::Task{.ref = {0, 0}}};
  fresh.spec_json = R"({"name":")" + fresh.job.name + R"("})";
  fresh.original = {
      .media_type = "application/yaml", .bytes = "name: " + fresh.job.name + "\n", .sha256 = "00"};
  fresh.actor = "ann";
  return fresh;
}

/// The job as `insert` answered it, one step on.
inline JobChange change_of(const model::Job& job, model::JobState state, Time at = kStart) {
  JobChange change{.job = job.seq, .version = job.version, .life = job.life, .at = at};
  change.life.state = state;
  if (model::is_final(state)) change.life.ended_at = at;
  return change;
}

/// One database with all stores and two users.
struct World {
  explicit World(std::string url_) : url(std::move(url_)) { open(); }

  void open() {
    stores.reset();
    db.reset();
    db = ok(Database::open({.url = url, .readers = 4}));
    stores.emplace(*db);
  }
  UserId user(const std::string& name) {
    model::User user{.name = name, .created_at = kStart};
    return run(stores->users.create(user)).id;
  }
  model::Job insert(NewJob fresh) { return run(stores->jobs.insert(std::move(fresh))).job; }
  Result<Saved> save(JobChange change) {
    std::vector<JobChange> changes;
    changes.push_back(std::move(change));
    return run(stores->jobs.save(std::move(changes))).at(0);
  }

  struct Stores {
    explicit Stores(Database& db)
        : jobs(db), events(db), users(db), tokens(db), sessions(db), workspaces(db), settings(db) {}
    JobStore jobs;
    EventStore events;
    UserStore users;
    TokenStore tokens;
    SessionStore sessions;
    WorkspaceStore workspaces;
    SettingStore settings;
  };
  std::string url;
  std::unique_ptr<Database> db;
  std::optional<Stores> stores;
};

enum class Kind { Sqlite, Postgres };
inline std::string name_of(const ::testing::TestParamInfo<Kind>& info) {
  return info.param == Kind::Sqlite ? "Sqlite" : "Postgres";
}

/// Every test of the suites below runs on both databases.
class OnBoth : public ::testing::TestWithParam<Kind> {
 protected:
  OnBoth() : world(url()), ann(world.user("ann")), bob(world.user("bob")) {}
  std::string url() {
    return GetParam() == Kind::Sqlite ? dir / "test.db" : PostgresServer::shared().make_database();
  }
  World::Stores& stores() { return *world.stores; }

  TempDir dir;
  World world;
  UserId ann, bob;
};

#define TY_ON_BOTH(Suite) \
  INSTANTIATE_TEST_SUITE_P(Db, Suite, ::testing::Values(Kind::Sqlite, Kind::Postgres), name_of)

}  // namespace ty::store::testing
