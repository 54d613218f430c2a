#include <sys/wait.h>

#include <set>
#include <thread>

#include "store/impl/test_fixture.h"

namespace ty::store::testing {
namespace {

class DurabilityTest : public ::testing::TestWithParam<Kind> {};
TY_ON_BOTH(DurabilityTest);

/// Inserts jobs from several threads and writes each answered id to `out` until it is killed.
[[noreturn]] void insert_until_killed(const std::string& url, int out) {
  auto db = Database::open({.url = url});
  if (!db) _exit(1);
  JobStore jobs(**db);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (;;) {
        NewJob fresh = new_job("job-" + std::to_string(t), UserId{1});
        const auto inserted = await(jobs.insert(std::move(fresh)));
        if (!inserted) _exit(2);
        const std::string line = inserted->job.id.str() + "\n";
        if (write(out, line.data(), line.size()) != static_cast<ssize_t>(line.size())) _exit(3);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  _exit(0);
}

std::set<std::string> read_ids(int in) {
  std::string all;
  char buffer[65536];
  for (ssize_t n; (n = read(in, buffer, sizeof buffer)) > 0;)
    all.append(buffer, static_cast<std::size_t>(n));
  std::set<std::string> ids;
  for (std::size_t at = 0; at + 33 <= all.size(); at += 33) ids.insert(all.substr(at, 32));
  return ids;
}

TEST_P(DurabilityTest, NothingAnsweredIsLostByKill9) {
  TempDir dir;
  const std::string url =
      GetParam() == Kind::Sqlite ? dir / "t.db" : PostgresServer::shared().make_database();
  std::set<std::string> answered;
  {
    World(url).user("ann");
  }
  for (int round = 0; round < 5; ++round) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      close(ends[0]);
      insert_until_killed(url, ends[1]);
    }
    close(ends[1]);
    std::this_thread::sleep_for(std::chrono::milliseconds(150 + 37 * round));
    kill(child, SIGKILL);
    answered.merge(read_ids(ends[0]));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the child ended by itself: " << WEXITSTATUS(status);

    World world(url);
    std::size_t kept = 0;
    std::int64_t counted = 0;
    EventQuery events{.limit = 1000};
    for (EventPage page{.more = true}; page.more;) {
      page = run(world.stores->events.after(events));
      events.after = page.seen;
      kept += page.events.size();
    }
    for (const JobCount& count : run(world.stores->jobs.counts({}))) counted += count.jobs;
    EXPECT_EQ(static_cast<std::int64_t>(kept), counted)
        << "each job has its event and is counted, or is not there";
    for (const std::string& id : answered) {
      ASSERT_TRUE(await(world.stores->jobs.find(JobId(id))).has_value()) << id;
    }
    EXPECT_GE(counted, static_cast<std::int64_t>(answered.size()));
  }
  EXPECT_GT(answered.size(), 50u);
}

}  // namespace
}  // namespace ty::store::testing
