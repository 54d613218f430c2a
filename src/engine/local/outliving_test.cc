#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "base/text.h"
#include "engine/local/local_engine.h"
#include "engine/local/machine.h"
#include "engine/local/paths.h"
#include "engine/local/process/journal.h"
#include "engine/local/process/run_folder.h"
#include "engine/local/process/spawn.h"
#include "engine/local/process_tasks.h"
#include "engine/local/supervisor/launch_format.h"
#include "engine/local/supervisor_image.h"
#include "engine/test_support.h"

/// Tasks and their supervisors without the server: killed, restarted, rebooted, and what is cleaned
/// up after.
namespace ty::engine {
namespace {

using namespace testing;
using model::Reason;

TEST_F(ProcessTasks, ATaskOutlivesTheServerThatStartedIt) {
  engine_.reset();
  const model::TaskKey key = new_key();
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t server = ::fork();
  if (server == 0) {
    ::setpgid(0, 0);
    open();
    const auto started = await(engine_->start(
        launch(key, "for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 0.05; done; exit 9")));
    inbox_->started(key);
    [[maybe_unused]] const ssize_t n = ::write(ready[1], started ? "y" : "n", 1);
    ::pause();
  }
  char answer = 0;
  ASSERT_EQ(::read(ready[0], &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  ::kill(-server, SIGKILL);  // the whole group, as a terminal or a service manager does it
  int status = 0;
  ::waitpid(server, &status, 0);
  ::close(ready[0]);
  ::close(ready[1]);

  open();
  const auto unknown = await(engine_->recover({key}));
  ASSERT_TRUE(unknown);
  EXPECT_TRUE(unknown->empty());
  const auto ended = inbox_->ended(key);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->ending.exit_code, 9);
  EXPECT_EQ(log(key), "1\n2\n3\n4\n5\n6\n7\n8\n");
}

TEST_F(ProcessTasks, WheneverTheServerDiesEachTaskRunsExactlyOnce) {
  engine_.reset();
  std::srand(20'250'101);
  for (int round = 0; round < 12; ++round) {
    std::vector<model::TaskKey> keys;
    for (int i = 0; i < 6; ++i) keys.push_back(new_key());
    const pid_t server = ::fork();
    if (server == 0) {
      open();
      [[maybe_unused]] const auto none = await(engine_->recover({}));
      for (const model::TaskKey& key : keys) {
        [[maybe_unused]] const auto started =
            await(engine_->start(launch(key, "echo once; sleep 0.02; exit 3")));
      }
      ::pause();
    }
    std::this_thread::sleep_for(Millis{std::rand() % 60});
    ::kill(server, SIGKILL);
    ::waitpid(server, nullptr, 0);

    open();
    const auto unknown = await(engine_->recover(keys));
    ASSERT_TRUE(unknown) << unknown.error().message;
    for (const model::TaskKey& key : *unknown) {
      const auto started = await(engine_->start(launch(key, "echo once; sleep 0.02; exit 3")));
      ASSERT_TRUE(started) << started.error().message;
    }
    for (const model::TaskKey& key : keys) {
      const auto ended = inbox_->ended(key);
      ASSERT_TRUE(ended) << round;
      EXPECT_EQ(ended->ending.exit_code, 3) << ended->ending.message;
      EXPECT_EQ(log(key), "once\n");
      EXPECT_TRUE(await(engine_->forget(key)));
    }
    engine_.reset();
  }
}

TEST_F(ProcessTasks, TheTimeLimitHoldsWithoutAServer) {
  const model::TaskKey key = new_key();
  LocalLaunch task = launch(key, "sleep 1000");
  task.deadline = SystemClock{}.now() + 300ms;
  ASSERT_TRUE(await(engine_->start(std::move(task))));
  engine_.reset();
  const std::string run_dir = run_folder(dir_.path(), key);
  EXPECT_TRUE(eventually([&] { return read_journal(run_dir).ended.has_value(); }));
  open();
  ASSERT_TRUE(await(engine_->recover({key})));
  const auto ended = inbox_->ended(key);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->ending.reason, Reason::TimeLimit);
}

TEST_F(ProcessTasks, AKilledSupervisorIsALossAndLeavesNoProcessBehind) {
  const std::string mark = fmt::format("6{}.5", ::getpid());
  const model::TaskKey key = new_key();
  ASSERT_TRUE(await(engine_->start(launch(key, "sleep " + mark))));
  ASSERT_TRUE(inbox_->started(key));
  const auto holder = read_journal(run_folder(dir_.path(), key)).holder;
  ASSERT_TRUE(holder);
  ::kill(*holder, SIGKILL);
  const auto ended = inbox_->ended(key);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->ending.outcome, Outcome::Lost);
  EXPECT_EQ(ended->ending.reason, Reason::NodeLost);
  ASSERT_TRUE(await(engine_->forget(key)));
  EXPECT_TRUE(eventually([&] { return processes_with("sleep " + mark) == 0; }));
}

TEST_F(ProcessTasks, ASecondSupervisorOfTheSameRunFolderDoesNothing) {
  const model::TaskKey key = new_key();
  ASSERT_TRUE(await(engine_->start(launch(key, "echo once; sleep 0.3"))));
  ASSERT_TRUE(inbox_->started(key));
  const auto program = unpack_supervisor(dir_.path() + "/bin");
  ASSERT_TRUE(program);
  const auto exit_code = [&] {
    const auto spawned = spawn_supervisor(*program, run_folder(dir_.path(), key), false, -1);
    EXPECT_TRUE(spawned);
    siginfo_t info = {};
    ::waitid(P_PIDFD, static_cast<id_t>(spawned->pidfd.get()), &info, WEXITED);
    return info.si_status;
  };
  EXPECT_EQ(exit_code(), supervisor::kExitTaken) << "while the first lives";
  ASSERT_TRUE(inbox_->ended(key));
  EXPECT_EQ(exit_code(), supervisor::kExitTaken) << "after its end";
  EXPECT_EQ(log(key), "once\n");
}

TEST_F(ProcessTasks, HalfALaunchFileStartsNothing) {
  const model::TaskKey key = new_key();
  LocalLaunch task = launch(key, "echo never");
  ASSERT_TRUE(await(engine_->start(task)));
  ASSERT_TRUE(inbox_->ended(key));
  const std::string whole = read_text(task.run_dir + supervisor::kLaunchSuffix);
  const auto program = unpack_supervisor(dir_.path() + "/bin");
  ASSERT_TRUE(program);
  std::filesystem::remove(log_path(key));
  for (std::size_t size = 0; size < whole.size(); size += 1 + whole.size() / 40) {
    std::filesystem::remove(task.run_dir + supervisor::kJournalSuffix);
    write_text(task.run_dir + supervisor::kLaunchSuffix, whole.substr(0, size));
    const auto spawned = spawn_supervisor(*program, task.run_dir, false, -1);
    ASSERT_TRUE(spawned);
    siginfo_t info = {};
    ::waitid(P_PIDFD, static_cast<id_t>(spawned->pidfd.get()), &info, WEXITED);
    EXPECT_TRUE(read_journal(task.run_dir).failed) << size;
  }
  EXPECT_FALSE(std::filesystem::exists(log_path(key)));
}

TEST_F(ProcessTasks, WhatNobodyExpectsIsEndedAndRemovedAtTheNextStart) {
  const std::string mark = fmt::format("5{}.5", ::getpid());
  const model::TaskKey key = new_key();
  ASSERT_TRUE(await(engine_->start(launch(key, "sleep " + mark))));
  ASSERT_TRUE(inbox_->started(key));
  engine_.reset();
  open();
  ASSERT_TRUE(await(engine_->recover({})));
  EXPECT_EQ(processes_with("sleep " + mark), 0);
  EXPECT_FALSE(std::filesystem::exists(run_folder(dir_.path(), key)));
  EXPECT_FALSE(std::filesystem::exists(run_folder(dir_.path(), key) + ".journal"));
}

TEST_F(ProcessTasks, AfterARebootATaskThatMayHaveBegunIsLostNotRepeated) {
  const model::TaskKey key = new_key();
  ASSERT_TRUE(await(engine_->recover({})));
  std::filesystem::create_directories(run_folder(dir_.path(), key));
  write_text(dir_.path() + "/runs/boot", "another boot\n");
  engine_.reset();
  open();
  const auto unknown = await(engine_->recover({key}));
  ASSERT_TRUE(unknown);
  EXPECT_TRUE(unknown->empty());
  const auto ended = inbox_->ended(key);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->ending.outcome, Outcome::Lost);
}

TEST_F(ProcessTasks, ManyQuickStartsLeaveNothingBehind) {
  const char* wanted = std::getenv("TY_MANY_STARTS");
  const int count = wanted != nullptr ? std::atoi(wanted) : 200;
  // Of ours alone: containers of others come and go.
  const auto mounts = [this] {
    int count = 0;
    for (const std::string& line : split(read_text("/proc/self/mountinfo"), '\n'))
      count += line.find(dir_.path()) != std::string::npos ? 1 : 0;
    return count;
  };
  const auto mounts_before = mounts();
  while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    // Supervisors of tests that ended their engine first.
  }
  run(launch(new_key(), "true"));  // what is made once and kept
  const int descriptors_before = open_descriptors();

  std::vector<model::TaskKey> keys;
  for (int i = 0; i < count; ++i) {
    keys.push_back(new_key());
    LocalLaunch task = launch(keys.back(), "");
    task.command.shell = model::Shell::None;
    task.command.argv = {"true"};
    ASSERT_TRUE(await(engine_->start(std::move(task))));
    if (i >= 8) {
      ASSERT_TRUE(inbox_->ended(keys[i - 8]));
      ASSERT_TRUE(await(engine_->forget(keys[i - 8])));
    }
  }
  for (const model::TaskKey& key : keys) {
    const auto ended = inbox_->ended(key);
    ASSERT_TRUE(ended);
    EXPECT_EQ(ended->ending.outcome, Outcome::Succeeded) << ended->ending.message;
    EXPECT_EQ(inbox_->all(key).size(), 2u);
    ASSERT_TRUE(await(engine_->forget(key)));
  }
  EXPECT_TRUE(eventually([&] { return open_descriptors() <= descriptors_before; }));
  EXPECT_EQ(mounts(), mounts_before);
  EXPECT_EQ(processes_with(dir_.path()), 0);
  int status = 0;
  EXPECT_EQ(::waitpid(-1, &status, WNOHANG), -1) << "no child, not even a dead one";
  for (const model::TaskKey& key : keys) {
    ASSERT_FALSE(std::filesystem::exists(run_folder(dir_.path(), key))) << key.job.str();
  }
  for (const char* controller : {"memory", "cpu", "pids", "cpuacct", "unified", ""}) {
    std::error_code error;
    for (const auto& entry :
         std::filesystem::directory_iterator(fmt::format("/sys/fs/cgroup/{}", controller), error)) {
      if (!entry.path().filename().string().starts_with("trainyard-")) continue;
      for (const model::TaskKey& key : keys) {
        ASSERT_FALSE(std::filesystem::exists(entry.path() / (key.job.str() + ".0.0.0.0")));
      }
    }
  }
}

TEST_F(ProcessTasks, WithoutIsolationItSaysSoAndStillEndsTheTree) {
  engine_.reset();
  inbox_ = std::make_unique<Inbox>();
  LocalOptions options;
  options.data_dir = dir_.path();
  options.isolation = Isolation::None;
  options.limits = false;
  auto opened = LocalEngine::open(std::move(options), inbox_->sink());
  ASSERT_TRUE(opened) << opened.error().message;
  engine_ = *std::move(opened);
  const Capabilities able = engine_->capabilities();
  EXPECT_FALSE(able.isolation);
  EXPECT_FALSE(able.limits);
  EXPECT_TRUE(has_code(able.warnings, "tasks_not_isolated"));
  EXPECT_TRUE(has_code(able.warnings, "memory_and_cpu_not_limited"));

  const std::string mark = fmt::format("4{}.5", ::getpid());
  TempDir data;
  write_text(data.path() + "/file", "linked\n");
  LocalLaunch task = launch(
      new_key(),
      fmt::format("cat ../data/file; (setsid sh -c 'sleep {0} & sleep {0}' &); sleep 0.1; echo end",
                  mark));
  task.mounts = {{.kind = model::MountKind::Data, .host_path = data.path(), .target = "/data"}};
  EXPECT_EQ(output_of(task), "linked\nend\n");
  EXPECT_EQ(processes_with("sleep " + mark), 0);
  const auto started = inbox_->started(task.key);
  ASSERT_TRUE(started);
  EXPECT_TRUE(has_code(started->warnings, "memory_and_cpu_not_limited"));
}

TEST_F(ProcessTasks, BubblewrapServesWhereNamespacesOfOurOwnDoNot) {
  if (::access("/usr/bin/bwrap", X_OK) != 0) return;
  engine_.reset();
  inbox_ = std::make_unique<Inbox>();
  LocalOptions options;
  options.data_dir = dir_.path();
  options.isolation = Isolation::Bubblewrap;
  auto opened = LocalEngine::open(std::move(options), inbox_->sink());
  ASSERT_TRUE(opened) << opened.error().message;
  engine_ = *std::move(opened);
  write_text(dir_.path() + "/admin.token", "secret");
  EXPECT_EQ(
      output_of(fmt::format(
          "cat {}/admin.token 2>/dev/null && echo sees the token; hostname; pwd | grep -c work; "
          "touch /etc/x 2>/dev/null && echo writes; echo ok > file; cat file",
          dir_.path())),
      "worker-0\n1\nok\n");
  LocalLaunch missing = launch(new_key(), "");
  missing.command.shell = model::Shell::None;
  missing.command.argv = {"pyhton"};
  EXPECT_EQ(run(missing).ending.reason, Reason::CommandNotFound);

  const std::string mark = fmt::format("3{}.5", ::getpid());
  const model::TaskKey key = new_key();
  ASSERT_TRUE(await(engine_->start(launch(
      key, fmt::format("trap 'echo tidied; exit 0' TERM\nsleep {} &\necho ready\nwait\n", mark)))));
  ASSERT_TRUE(eventually([&] { return log(key) == "ready\n"; }));
  ASSERT_TRUE(await(engine_->stop(key, 10s)));
  const auto ended = inbox_->ended(key);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->ending.outcome, Outcome::Stopped);
  EXPECT_TRUE(log(key).ends_with("tidied\n")) << log(key);
  EXPECT_EQ(processes_with("sleep " + mark), 0);
}

}  // namespace
}  // namespace ty::engine
