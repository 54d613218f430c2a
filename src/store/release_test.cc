#include <filesystem>

#include "store/impl/test_fixture.h"

// Every release leaves its database in tests/data/db/, made by this test with
//   TY_RELEASE_DB=tests/data/db/1.2.3.db ty_store_test --gtest_filter='ReleaseTest.*'
// and every later version must open it and find everything.

namespace ty::store::testing {
namespace {

using model::JobState;
using model::TaskState;

const JobId kDone("a0000000000000000000000000000001");
const JobId kRunning("b0000000000000000000000000000002");

/// A little of everything that a server keeps.
void fill(World& world) {
  const UserId ann = world.user("ann");
  const auto vision =
      run(world.stores->workspaces.create({.name = "vision", .created_at = kStart}));
  run(world.stores->workspaces.set_member(ann, vision.id, model::WorkspaceRole::Manager));
  model::Token token{.user = ann, .name = "ci", .hash = "hash", .scopes = {"jobs:read"}};
  run(world.stores->tokens.create(token));
  run(world.stores->settings.set("greeting", "hello"));

  NewJob done = new_job("mnist", ann);
  done.job.id = kDone;
  done.labels = {{"team", "vision"}};
  JobChange end = change_of(world.insert(done), JobState::Failed, kStart + 1min);
  end.life.placed_at = end.life.started_at = end.life.decided_at = kStart + 1s;
  end.life.decision = {.rule = "min_failed", .message = plain("main 0 failed: exit code 1")};
  model::Task task{.ref = {0, 0}, .state = TaskState::Failed};
  task.placement = model::Placement{.node = "n1", .address = "127.0.0.1", .gpus = {1}};
  task.ending = {.outcome = model::Outcome::Failed, .reason = model::Reason::Exit, .exit_code = 1};
  end.tasks = {task};
  end.notes = {{.kind = "job.failed", .data = R"({"exit_code":1})"}};
  ok(world.save(end));

  NewJob running = new_job("mnist", ann, vision.id, kStart + 2min);
  running.job.id = kRunning;
  running.job.dialect = model::Dialect::Volcano;
  JobChange start = change_of(world.insert(running), JobState::Running, kStart + 3min);
  start.tasks = {{.ref = {0, 0}, .state = TaskState::Running, .started_at = kStart + 3min}};
  ok(world.save(start));
}

void check(World& world) {
  const model::Job done = run(world.stores->jobs.find(kDone));
  EXPECT_EQ(done.life.state, JobState::Failed);
  EXPECT_EQ(done.life.decision.message.text(), "main 0 failed: exit code 1");
  EXPECT_EQ(done.life.tasks.at(0).placement->gpus, std::vector<int>{1});
  EXPECT_EQ(run(world.stores->jobs.original(done.seq)).bytes, "name: mnist\n");
  EXPECT_EQ(run(world.stores->jobs.spec(done.seq)), R"({"name":"mnist"})");
  EXPECT_EQ(run(world.stores->jobs.labels(done.seq)).at("team"), "vision");
  EXPECT_EQ(run(world.stores->jobs.find_by_handle(done.owner, "mnist-2")).id, kRunning);
  EXPECT_EQ(run(world.stores->workspaces.memberships(done.owner)).at(0).workspace_name, "vision");
  EXPECT_EQ(run(world.stores->tokens.find_by_hash("hash")).user, done.owner);
  EXPECT_EQ(run(world.stores->settings.get("greeting")), "hello");
  EXPECT_EQ(run(world.stores->events.after({})).events.size(), 3u);

  model::JobQuery query{.name_part = "NIS"};
  EXPECT_EQ(run(world.stores->jobs.list(query)).jobs.size(), 2u);
  int active = 0;
  ok(world.stores->jobs.active([&](model::Job job) -> Result<void> {
    ++active;
    EXPECT_EQ(job.id, kRunning);
    return {};
  }));
  EXPECT_EQ(active, 1);
  // And it goes on from there.
  EXPECT_EQ(world.insert(new_job("mnist", done.owner)).handle, "mnist-3");
}

TEST(ReleaseTest, ThisVersionsOwnDatabase) {
  TempDir dir;
  {
    World world(dir / "t.db");
    fill(world);
  }
  if (const char* path = std::getenv("TY_RELEASE_DB")) {
    std::filesystem::copy_file(
        dir / "t.db", path, std::filesystem::copy_options::overwrite_existing);
  }
  World world(dir / "t.db");
  check(world);
}

TEST(ReleaseTest, EveryReleasedDatabaseOpensWithAllThatIsInIt) {
  int opened = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TY_SOURCE_DIR "/tests/data/db")) {
    if (entry.path().extension() != ".db") continue;
    SCOPED_TRACE(entry.path().filename().string());
    TempDir dir;
    std::filesystem::copy_file(entry.path(), dir / "t.db");
    World world(dir / "t.db");
    check(world);
    ++opened;
  }
  EXPECT_GT(opened, 0);
}

}  // namespace
}  // namespace ty::store::testing
