#include "store/database.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <latch>
#include <thread>

#include "store/impl/migrations.h"
#include "store/impl/placeholders.h"
#include "store/impl/postgres.h"
#include "store/impl/sqlite.h"
#include "store/impl/test_fixture.h"

namespace ty::store::testing {
namespace {

namespace asio = boost::asio;

Result<void> put(Tx& tx, const std::string& name, const std::string& value) {
  TY_DO(tx.exec("insert into settings (name, value) values (:name, :value)", name, value));
  return {};
}

class DatabaseTest : public OnBoth {
 protected:
  Database& db() { return *world.db; }
  std::int64_t settings() {
    return *ok(db().read_now(
        [](Tx& tx) { return tx.value<std::int64_t>("select count(*) from settings"); }));
  }

  /// Holds the writer until `n` more writes are queued, so that they become one group.
  template <class F>
  std::vector<Result<void>> write_as_one_group(int n, F fn) {
    std::latch queued(1);
    std::thread first([&] {
      ok(db().write_now([&](Tx&) -> Result<void> {
        queued.wait();
        return {};
      }));
    });
    std::vector<Result<void>> answers(static_cast<std::size_t>(n));
    asio::io_context io;
    for (int i = 0; i < n; ++i) {
      auto one = [&, i]() -> asio::awaitable<void> {
        auto write = [&fn, i](Tx& tx) { return fn(tx, i); };
        answers[static_cast<std::size_t>(i)] = co_await db().write(std::move(write));
      };
      asio::co_spawn(io, one, [](std::exception_ptr thrown) {
        if (thrown) std::rethrow_exception(thrown);
      });
    }
    io.poll();
    queued.count_down();
    io.run();
    first.join();
    return answers;
  }
};
TY_ON_BOTH(DatabaseTest);

TEST_P(DatabaseTest, AFailingWriteOfAGroupIsUndoneAloneAndTheOthersStay) {
  const auto answers = write_as_one_group(20, [](Tx& tx, int i) -> Result<void> {
    TY_DO(put(tx, "s" + std::to_string(i), "v"));
    if (i % 5 == 3) return fail(Errc::Invalid, plain("not this one"));
    return {};
  });
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(answers[static_cast<std::size_t>(i)].has_value(), i % 5 != 3) << i;
  }
  EXPECT_EQ(settings(), 16);
  EXPECT_FALSE(run(stores().settings.get("s3")));
  EXPECT_TRUE(run(stores().settings.get("s4")));
}

TEST_P(DatabaseTest, ARefusalBeforeAnyChangeDisturbsNobody) {
  int runs = 0;
  const auto answers = write_as_one_group(10, [&](Tx& tx, int i) -> Result<void> {
    ++runs;
    if (i == 5) return fail(Errc::Conflict, plain("stale"));
    return put(tx, "s" + std::to_string(i), "v");
  });
  EXPECT_EQ(runs, 10) << "nothing had to be run again";
  EXPECT_EQ(answers[5].error().code, Errc::Conflict);
  EXPECT_EQ(settings(), 9);
}

TEST_P(DatabaseTest, AStatementThatTheDatabaseRefusesFailsOnlyItsOwnWrite) {
  ok(db().write_now([](Tx& tx) { return put(tx, "taken", "v"); }));
  const auto answers = write_as_one_group(6, [](Tx& tx, int i) -> Result<void> {
    TY_DO(put(tx, "s" + std::to_string(i), "v"));
    if (i == 2) return put(tx, "taken", "w");
    return {};
  });
  EXPECT_EQ(answers[2].error().code, Errc::Conflict);
  EXPECT_EQ(settings(), 6);
}

TEST_P(DatabaseTest, AnErrorThatAWriteSwallowsStillUndoesIt) {
  ok(db().write_now([](Tx& tx) { return put(tx, "taken", "v"); }));
  const auto answers = write_as_one_group(4, [](Tx& tx, int i) -> Result<void> {
    if (i == 1) (void)put(tx, "taken", "w");
    return put(tx, "s" + std::to_string(i), "v");
  });
  EXPECT_TRUE(answers[0]);
  EXPECT_TRUE(answers[2]);
  EXPECT_TRUE(answers[3]);
  // SQLite forgives a failed statement, PostgreSQL does not; neither keeps half of a write that
  // reports an error.
  EXPECT_EQ(settings(), answers[1] ? 5 : 4);
}

TEST_P(DatabaseTest, AnExceptionInAWriteIsItsOwnError) {
  const auto answers = write_as_one_group(3, [](Tx& tx, int i) -> Result<void> {
    TY_DO(put(tx, "s" + std::to_string(i), "v"));
    if (i == 1) throw std::runtime_error("oops");
    return {};
  });
  EXPECT_EQ(answers[1].error().code, Errc::Internal);
  EXPECT_EQ(settings(), 2);
}

TEST_P(DatabaseTest, AnAnsweredWriteIsSeenByTheNextRead) {
  for (int i = 0; i < 50; ++i) {
    run(stores().settings.set("n", std::to_string(i)));
    EXPECT_EQ(run(stores().settings.get("n")), std::to_string(i));
  }
}

TEST_P(DatabaseTest, AReadSeesOneMoment) {
  run(stores().settings.set("n", "1"));
  ok(db().read_now([&](Tx& tx) -> Result<void> {
    TY_TRY(auto before, tx.value<std::string>("select value from settings where name = 'n'"));
    std::thread([&] { run(stores().settings.set("n", "2")); }).join();
    TY_TRY(auto after, tx.value<std::string>("select value from settings where name = 'n'"));
    EXPECT_EQ(before, after);
    return {};
  }));
  EXPECT_EQ(run(stores().settings.get("n")), "2");
}

TEST_P(DatabaseTest, CoroutinesGoOnWhereTheyWere) {
  asio::io_context io;
  bool done = false;
  auto task = [&]() -> asio::awaitable<void> {
    const auto home = std::this_thread::get_id();
    auto write = [](Tx& tx) { return put(tx, "a", "b"); };
    EXPECT_TRUE((co_await db().write(std::move(write))).has_value());
    EXPECT_EQ(std::this_thread::get_id(), home);
    auto read = [](Tx& tx) { return tx.value<std::string>("select value from settings"); };
    EXPECT_EQ((co_await db().read(std::move(read))).value(), "b");
    EXPECT_EQ(std::this_thread::get_id(), home);
    done = true;
  };
  asio::co_spawn(io, task, [](std::exception_ptr thrown) {
    if (thrown) std::rethrow_exception(thrown);
  });
  io.run();
  EXPECT_TRUE(done);
}

TEST_P(DatabaseTest, TextsAreBytesAndNumbersAreExact) {
  const std::string text = "quote ' \" \\ % 中文 \xF0\x9F\x9A\x82";
  std::string blob("\0\x01\xff\\x", 5);
  ok(db().write_now([&](Tx& tx) -> Result<void> {
    TY_DO(put(tx, "t", text));
    TY_DO(tx.exec(
        "insert into job_files (job_seq, media_type, sha256, secret_ranges, original_size, body) "
        "values (:seq, '', '', '', :size, :body)",
        1,
        INT64_MIN,
        Blob{blob}));
    return {};
  }));
  ok(db().read_now([&](Tx& tx) -> Result<void> {
    auto rows = tx.query("select body, original_size from job_files");
    EXPECT_TRUE(rows.next());
    EXPECT_EQ(rows.blob(0), blob);
    EXPECT_EQ(rows.integer(1), INT64_MIN);
    return rows.status();
  }));
  EXPECT_EQ(run(stores().settings.get("t")), text);
}

TEST_P(DatabaseTest, ManyThreadsWriteAndReadAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([this, t] {
      for (int i = 0; i < 40; ++i) {
        const std::string name = std::to_string(t) + "." + std::to_string(i);
        ok(db().write_now([&](Tx& tx) { return put(tx, name, "v"); }));
        EXPECT_EQ(ok(db().read_now([&](Tx& tx) {
                    return tx.value<std::string>("select value from settings where name = :name",
                                                 name);
                  })),
                  "v");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(settings(), 320);
}

TEST_P(DatabaseTest, ADatabaseOfANewerVersionIsLeftAlone) {
  ok(db().write_now([](Tx& tx) {
    return tx.exec(
        "insert into migrations (number, name, checksum, applied_at) values (900, '0900_x.sql', "
        "'c', 0)");
  }));
  world.stores.reset();
  world.db.reset();
  const auto opened = Database::open({.url = world.url});
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.text().find("newer version of Trainyard (its format is 900"),
            std::string::npos)
      << opened.error().message;
}

TEST_P(DatabaseTest, ADatabaseMadeWithAnEditedMigrationIsLeftAlone) {
  ok(db().write_now(
      [](Tx& tx) { return tx.exec("update migrations set checksum = 'x' where number = 1"); }));
  world.stores.reset();
  world.db.reset();
  const auto opened = Database::open({.url = world.url});
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.text().find("another 0001_core.sql"), std::string::npos)
      << opened.error().message;
}

TEST_P(DatabaseTest, OnlyTheDefaultWorkspaceIsThereAtFirst) {
  const auto workspaces = run(stores().workspaces.list());
  ASSERT_EQ(workspaces.size(), 1u);
  EXPECT_EQ(workspaces[0].name, "default");
  EXPECT_GT(workspaces[0].created_at, kStart);
}

// SQLite's own troubles.

TEST(SqliteTest, AFullDiskRefusesTheGroupAndLaterWritesSucceedAgain) {
  TempDir dir;
  World world(dir / "t.db");
  const std::string big(200'000, 'x');
  const auto limit_pages = [&](int more) {
    return ok(world.db->write_now([more](Tx& tx) -> Result<std::int64_t> {
      TY_TRY(auto pages, tx.value<std::int64_t>("pragma page_count"));
      TY_TRY(auto most,
             tx.value<std::int64_t>("pragma max_page_count = " + std::to_string(*pages + more)));
      return *most;
    }));
  };
  limit_pages(10);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      const auto answer =
          world.db->write_now([&](Tx& tx) { return put(tx, std::to_string(i), big); });
      ASSERT_FALSE(answer);
      EXPECT_EQ(answer.error().code, Errc::DiskFull);
      EXPECT_NE(answer.error().message.text().find("is full; free some space"), std::string::npos)
          << answer.error().message;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(run(world.stores->settings.get("0")));
  limit_pages(10'000);
  ok(world.db->write_now([&](Tx& tx) { return put(tx, "0", big); }));
  EXPECT_EQ(run(world.stores->settings.get("0")), big);
}

TEST(SqliteTest, TheReserveStaysOverRestartsAndTheFileIsWholeWithoutIt) {
  TempDir dir;
  const auto allocated = [&] {
    struct stat found{};
    return ::stat((dir / "t.db-wal").c_str(), &found) == 0 ? found.st_blocks * 512 : 0;
  };
  for (int life = 0; life < 2; ++life) {
    {
      auto db = ok(Database::open({.url = dir / "t.db", .reserve = 1 << 20}));
      EXPECT_GE(allocated(), 1 << 20);
      ok(db->write_now([&](Tx& tx) { return put(tx, std::to_string(life), "kept"); }));
      (void)ok(db->read_now([](Tx& tx) { return tx.value<std::int64_t>("select 1"); }));
    }
    EXPECT_GE(allocated(), 1 << 20);
  }
  // A copy of the one file is a backup of all of it.
  std::filesystem::copy_file(dir / "t.db", dir / "copy.db");
  World copy(dir / "copy.db");
  EXPECT_EQ(run(copy.stores->settings.get("0")), "kept");
  EXPECT_EQ(run(copy.stores->settings.get("1")), "kept");
}

TEST(SqliteTest, WhatIsNoDatabaseSaysSo) {
  TempDir dir;
  std::ofstream(dir / "t.db") << std::string(10'000, 'x');
  const auto opened = Database::open({.url = dir / "t.db"});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().message.text(),
            (dir / "t.db") + " is not an SQLite database; move it away, or choose another file");
}

TEST(SqliteTest, ADamagedDatabaseSaysSo) {
  TempDir dir;
  {
    World world(dir / "t.db");
  }
  {
    std::fstream file(dir / "t.db", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(100);
    file << std::string(8000, '\xee');
  }
  const auto opened = Database::open({.url = dir / "t.db"});
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.text().find("is damaged; restore it from a backup"),
            std::string::npos)
      << opened.error().message;
}

TEST(SqliteTest, AMissingDirectorySaysSo) {
  const auto opened = Database::open({.url = "/nonexistent/deep/t.db"});
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.text().find("No such file or directory"), std::string::npos)
      << opened.error().message;
}

/// Runs `check` in a child that is not root, since root may write anywhere.
template <class F>
int as_nobody(F check) {
  const pid_t pid = fork();
  if (pid == 0) {
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(99);
    _exit(check());
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(SqliteTest, AReadOnlyDirectorySaysSo) {
  TempDir dir;
  const auto refused = [&] {
    const auto opened = Database::open({.url = dir / "t.db"});
    if (opened) return 1;
    return opened.error().message.text().find("make the file and its directory writable") ==
                   std::string::npos
               ? 2
               : 0;
  };
  chmod((dir / "").c_str(), 0555);
  EXPECT_EQ(as_nobody(refused), 0) << "a new database";
  chmod((dir / "").c_str(), 0755);
  {
    World world(dir / "t.db");
  }
  chmod((dir / "t.db").c_str(), 0444);
  chmod((dir / "").c_str(), 0555);
  EXPECT_EQ(as_nobody(refused), 0) << "an existing database";
  chmod((dir / "").c_str(), 0755);
}

TEST(SqliteTest, OnlyItsOwnerMayReadTheFiles) {
  TempDir dir;
  World world(dir / "t.db");
  for (const char* end : {"", "-wal", "-shm"}) {
    struct stat about{};
    ASSERT_EQ(stat(((dir / "t.db") + end).c_str(), &about), 0) << end;
    EXPECT_EQ(about.st_mode & 0777, 0600u) << end;
  }
}

TEST(SqliteTest, MigrationsAreAllOrNothing) {
  TempDir dir;
  auto connection = ok(open_sqlite(dir / "t.db", Connection::Access::Write));
  const MigrationFile one{"0001_a.sql", "create table a (x integer); insert into a values (:now);"};
  const MigrationFile two{"0002_b.sql", "create table b (x integer);"};
  const MigrationFile broken{"0003_c.sql", "create table c (x integer); create nonsense;"};
  ok(Migrator(*connection).run(std::array{one}));
  ok(Migrator(*connection).run(std::array{one, two}));
  const auto failed = Migrator(*connection).run(std::array{one, two, broken});
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message.text().find("migrating the database to 0003_c.sql"),
            std::string::npos);
  ok(Migrator(*connection).run(std::array{one, two}));
  EXPECT_TRUE(connection->run_script("select x from b"));
  EXPECT_FALSE(connection->run_script("select x from c"));
}

// PostgreSQL's own.

TEST(PostgresTest, AServerThatIsNotThereSaysSo) {
  const auto opened = Database::open({.url = "postgres://nobody@127.0.0.1:1/none"});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Errc::Unavailable);
  EXPECT_NE(opened.error().message.text().find("cannot reach PostgreSQL"), std::string::npos)
      << opened.error().message;
}

TEST(PostgresTest, TwoServersCannotShareADatabase) {
  World world(PostgresServer::shared().make_database());
  const auto second = Database::open({.url = world.url});
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.text().find("another Trainyard server"), std::string::npos)
      << second.error().message;
}

TEST(PostgresTest, ALostConnectionIsMadeAnew) {
  World world(PostgresServer::shared().make_database());
  run(world.stores->settings.set("a", "1"));
  const auto cut = [](Tx& tx) -> Result<void> {
    // The backend ends itself, so the group's own connection breaks under it.
    TY_DO(tx.value<std::int64_t>("select pg_terminate_backend(pg_backend_pid())::int"));
    return {};
  };
  const auto answer = world.db->write_now(cut);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::Unavailable);
  run(world.stores->settings.set("a", "2"));
  EXPECT_FALSE(world.db->read_now(cut));
  EXPECT_EQ(run(world.stores->settings.get("a")), "2");
}

TEST(PostgresTest, AStatementThatTakesTooLongIsGivenUpAndTheNextOneWorks) {
  World world(PostgresServer::shared().make_database() + "?options=-cstatement_timeout%3D50ms");
  const auto sleep = [](Tx& tx) -> Result<void> {
    TY_DO(tx.value<std::int64_t>("select 1 from pg_sleep(600)"));
    return {};
  };
  for (const auto& answer : {world.db->write_now(sleep), world.db->read_now(sleep)}) {
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, Errc::Timeout);
  }
  run(world.stores->settings.set("a", "1"));
  EXPECT_EQ(run(world.stores->settings.get("a")), "1");
}

TEST(PostgresTest, AStatementHasAMinuteUnlessSomebodySaidOtherwise) {
  const auto limit = [](Tx& tx) -> Result<std::string> {
    TY_TRY(const auto told, tx.value<std::string>("select current_setting('statement_timeout')"));
    return told.value_or("");
  };
  World plain(PostgresServer::shared().make_database());
  EXPECT_EQ(ok(plain.db->write_now(limit)), "1min");
  EXPECT_EQ(ok(plain.db->read_now(limit)), "1min");
  World told(PostgresServer::shared().make_database() + "?options=-cstatement_timeout%3D7s");
  EXPECT_EQ(ok(told.db->read_now(limit)), "7s");
}

TEST(PostgresTest, ASilentNetworkHasLimitsUnlessTheAddressNamesItsOwn) {
  EXPECT_TRUE(
      with_network_limits("postgres://a@b/c").starts_with("postgres://a@b/c?connect_timeout=10&"));
  const std::string own = with_network_limits("postgres://a@b/c?connect_timeout=3&sslmode=require");
  // libpq takes the last.
  EXPECT_TRUE(own.ends_with("&connect_timeout=3&sslmode=require")) << own;
}

TEST(PostgresTest, ItsAddressIsShownWithoutThePassword) {
  World world(PostgresServer::shared().make_database());
  EXPECT_EQ(world.db->description().find("tester"), std::string::npos);
  EXPECT_TRUE(world.db->description().starts_with("PostgreSQL, "));
}

TEST(PlaceholderTest, NamesBecomeNumbers) {
  const NumberedSql sql = number_placeholders(
      "select ':no', x::int, \":q\" from t where a = :a and b = :b_1 or c = :a -- :z");
  EXPECT_EQ(sql.sql, "select ':no', x::int, \":q\" from t where a = $1 and b = $2 or c = $1 -- :z");
  EXPECT_EQ(sql.count, 2);
}

}  // namespace
}  // namespace ty::store::testing
