#include "engine/local/local_engine.h"

#include <fmt/format.h>
#include <fmt/printf.h>
#include <signal.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "engine/local/machine.h"
#include "engine/local/paths.h"
#include "engine/local/process/journal.h"
#include "engine/local/process/run_folder.h"
#include "engine/local/process_tasks.h"
#include "engine/local/supervisor_image.h"
#include "engine/test_support.h"
#include "model/log_index.h"

/// What a task is given and sees, how its output is kept, and how it ends.
namespace ty::engine {
namespace {

using namespace testing;
using model::MountKind;
using model::Reason;

TEST_F(ProcessTasks, AScriptGetsItsArgumentsAndItsLinesAreCountedAsWritten) {
  LocalLaunch task = launch(new_key(), "echo \"$1+$2\" $#\nfalse || echo line $LINENO");
  task.command.args = {"a b", "c"};
  EXPECT_EQ(output_of(std::move(task)), "a b+c 2\nline 2\n");
}

TEST_F(ProcessTasks, ErrexitNounsetAndPipefailAreObeyed) {
  for (const char* script :
       {"false\necho on", "echo $nothing_here\necho on", "false | true\necho on"}) {
    LocalLaunch strict = launch(new_key(), script);
    strict.command.nounset = strict.command.pipefail = true;
    EXPECT_EQ(run(strict).ending.outcome, Outcome::Failed) << script;
    LocalLaunch lenient = launch(new_key(), script);
    lenient.command.errexit = false;
    EXPECT_EQ(run(lenient).ending.outcome, Outcome::Succeeded) << script;
  }
}

TEST_F(ProcessTasks, PreRunsBeforeAndPostOnlyAfterSuccess) {
  LocalLaunch good = launch(new_key(), "echo run $X");
  good.command.pre = "X=1";
  good.command.post = "echo post $X";
  EXPECT_EQ(output_of(good), "run 1\npost 1\n");
  LocalLaunch bad = launch(new_key(), "echo run; (exit 4)");
  bad.command.errexit = false;
  bad.command.post = "echo post";
  const TaskReport report = run(bad);
  EXPECT_EQ(report.ending.exit_code, 4);
  EXPECT_EQ(log(bad.key), "run\n");
}

TEST_F(ProcessTasks, AnArgvIsRunWithoutAShell) {
  LocalLaunch task = launch(new_key(), "");
  task.command.shell = model::Shell::None;
  task.command.argv = {"printf", "%s|"};
  task.command.args = {"$HOME", "a b", ""};
  EXPECT_EQ(output_of(std::move(task)), "$HOME|a b||");
}

TEST_F(ProcessTasks, ACommandThatDoesNotExistIsNamed) {
  LocalLaunch task = launch(new_key(), "");
  task.command.shell = model::Shell::None;
  task.command.argv = {"pyhton", "train.py"};
  TaskReport report = run(task);
  EXPECT_EQ(report.ending.reason, Reason::CommandNotFound);
  EXPECT_EQ(report.ending.failure, model::FailureClass::Permanent);
  EXPECT_NE(report.ending.message.text().find("pyhton"), std::string::npos)
      << report.ending.message;

  report = run(launch(new_key(), "pyhton train.py"));
  EXPECT_EQ(report.ending.reason, Reason::CommandNotFound);
}

TEST_F(ProcessTasks, ATaskWithoutACommandCannotRunHere) {
  LocalLaunch task = launch(new_key(), "");
  task.command.shell = model::Shell::None;
  EXPECT_EQ(run(task).ending.reason, Reason::BadSpec);
}

TEST_F(ProcessTasks, TheEnvironmentIsTheContractAndNothingOfTheServers) {
  ::setenv("SERVER_SECRET", "do not leak", 1);
  LocalLaunch task = launch(new_key(), "env");
  task.environment.soft = {{"SOFT", "1"}, {"BOTH", "soft"}};
  task.environment.platform = {{"BOTH", "hard"}, {"TEXT", "two\nlines"}};
  const std::string env = output_of(task);
  ::unsetenv("SERVER_SECRET");
  EXPECT_EQ(env.find("SERVER_SECRET"), std::string::npos);
  for (const char* line : {"SOFT=1\n", "BOTH=hard\n", "TEXT=two\nlines\n", "HOSTNAME=worker-0\n"}) {
    EXPECT_NE(env.find(line), std::string::npos) << line << env;
  }
  EXPECT_NE(env.find("HOME=" + task.run_dir + "\n"), std::string::npos);
}

TEST_F(ProcessTasks, MountsAppearInTheRunFolderAsDocumented) {
  TempDir data;
  write_text(data.path() + "/set/train.csv", "1,2\n");
  write_text(data.path() + "/code/main.sh", "echo code\n");
  std::filesystem::create_directories(data.path() + "/out");
  LocalLaunch task = launch(
      new_key(),
      "pwd; sh main.sh; cat ../data/set/train.csv; echo more >> main.sh; echo result > "
      "../output/r\n"
      "cat ../peers.json; touch ../data/set/x 2>/dev/null && echo writable || echo read-only");
  task.mounts = {
      {.kind = MountKind::Data,
       .host_path = data.path() + "/set",
       .target = "/data/set",
       .read_only = true},
      {.kind = MountKind::Output, .host_path = data.path() + "/out", .target = "/output"},
      {.kind = MountKind::Code,
       .host_path = data.path() + "/code",
       .target = "/code",
       .private_copy = true}};
  task.environment.files = {{"peers.json", "[]\n"}};
  const std::string text = output_of(task);
  EXPECT_EQ(process_path(task.run_dir, "/data/set"), task.run_dir + "/data/set");
  std::string expected = task.run_dir + "/code\ncode\n1,2\n[]\n";
  expected += is_isolated() ? "read-only\n" : "writable\n";
  EXPECT_EQ(text, expected);
  EXPECT_EQ(read_text(data.path() + "/out/r"), "result\n");
  EXPECT_EQ(read_text(data.path() + "/code/main.sh"), "echo code\n")
      << "the original stays as it is";
}

TEST_F(ProcessTasks, AMissingMountIsTheDatasFault) {
  LocalLaunch task = launch(new_key(), "true");
  task.mounts = {{.kind = MountKind::Data, .host_path = "/no/such/folder", .target = "/data"}};
  const TaskReport report = run(task);
  EXPECT_EQ(report.ending.reason, Reason::DataFailed);
  EXPECT_NE(report.ending.message.text().find("/no/such/folder"), std::string::npos);
}

TEST_F(ProcessTasks, TheWorkingDirectoryMayBeAMountOrAFolderOfTheMachine) {
  TempDir data;
  LocalLaunch task = launch(new_key(), "pwd");
  EXPECT_EQ(output_of(task), task.run_dir + "/work\n");
  task = launch(new_key(), "pwd");
  task.mounts = {{.kind = MountKind::Data, .host_path = data.path(), .target = "/data"}};
  task.workdir = "/data";
  EXPECT_EQ(output_of(task), task.run_dir + "/data\n");
  task = launch(new_key(), "pwd");
  task.workdir = "/usr";
  EXPECT_EQ(output_of(task), "/usr\n");
  task = launch(new_key(), "pwd");
  task.workdir = "/not/here";
  EXPECT_EQ(output_of(task), task.run_dir + "/work\n");
  const auto started = inbox_->started(task.key);
  ASSERT_TRUE(started);
  EXPECT_TRUE(has_code(started->warnings, "workdir_not_here"));
}

TEST_F(ProcessTasks, TheSandboxHidesTheServerAndTheNeighbours) {
  if (!is_isolated()) return;
  write_text(dir_.path() + "/admin.token", "secret");
  TempDir elsewhere;
  const model::TaskKey neighbour = new_key();
  ASSERT_TRUE(await(engine_->start(launch(neighbour, "echo private > ../work/file; sleep 54321"))));
  ASSERT_TRUE(inbox_->started(neighbour));
  const std::string text = output_of(fmt::format(
      "cat {0}/admin.token 2>/dev/null && echo sees the token\n"
      "ls {0}/logs 2>/dev/null && echo sees the logs\n"
      "cat {1}/work/file 2>/dev/null && echo sees the neighbour\n"
      "touch /etc/trainyard-test {2}/x 2>/dev/null && echo writes to the machine\n"
      "case {2} in /tmp/*) test -e {2} && echo sees /tmp;; esac\n"
      "for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline; done 2>/dev/null | grep -q '[5]4321' "
      "&& "
      "echo sees processes\n"
      "cat /proc/1/root{0}/admin.token 2>/dev/null && echo looks out through the supervisor\n"
      "(echo 1 > /proc/sys/vm/drop_caches) 2>/dev/null && echo steers the kernel\n"
      "mount -t tmpfs none /mnt 2>/dev/null && echo mounts\n"
      "test -b /dev/vda && echo sees disks\n"
      "hostname\n"
      "echo ok > /dev/null; echo shm > /dev/shm/x; echo tmp > /tmp/x; cat /dev/shm/x /tmp/x",
      dir_.path(),
      run_folder(dir_.path(), neighbour),
      elsewhere.path()));
  EXPECT_EQ(text, "worker-0\nshm\ntmp\n");
  EXPECT_TRUE(await(engine_->stop(neighbour, 0s)));
  EXPECT_TRUE(inbox_->ended(neighbour));
}

TEST_F(ProcessTasks, ATaskMayRunAsAnotherUser) {
  if (::geteuid() != 0) return;
  LocalLaunch task =
      launch(new_key(), "id -u; id -g; echo mine > file; echo $HOME > ../home-file; cat file");
  task.run_as = model::RunAs{.user = "nobody", .uid = 65534, .gid = 65534};
  EXPECT_EQ(output_of(task), "65534\n65534\nmine\n");
  task = launch(new_key(), "true");
  task.run_as = model::RunAs{.user = "nobody-at-all"};
  EXPECT_EQ(run(task).ending.reason, Reason::BadSpec);
}

constexpr char kWriter[] =
    "import os\n"
    "for i in range(%d):\n"
    "    os.write(1 + i %% 2, (b'%%07d ' %% i) + b'x' * (i * 7919 %% 200) + b'\\n')\n";

std::string expected_lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += fmt::format("{:07d} {}\n", i, std::string(i * 7919 % 200, 'x'));
  return text;
}

TEST_F(ProcessTasks, NoByteIsLostOrReorderedBetweenStdoutAndStderr) {
  constexpr int kLines = 100'000;
  LocalLaunch task = launch(new_key(), "");
  task.command.shell = model::Shell::None;
  task.command.argv = {"/usr/bin/python3", "-c", fmt::sprintf(kWriter, kLines)};
  EXPECT_TRUE(output_of(task) == expected_lines(kLines));

  const std::string bytes = log(task.key);
  const std::string raw = read_text(log_path(task.key) + ".idx");
  ASSERT_EQ(raw.size() % sizeof(model::LogIndexRecord), 0u);
  std::vector<model::LogIndexRecord> records(raw.size() / sizeof(model::LogIndexRecord));
  std::memcpy(records.data(), raw.data(), raw.size());
  ASSERT_FALSE(records.empty());
  EXPECT_EQ(records[0].offset, 0u);
  for (std::size_t i = 0; i < records.size(); ++i) {
    ASSERT_LT(records[i].offset, bytes.size());
    EXPECT_EQ(records[i].lines_before,
              static_cast<std::uint64_t>(
                  std::count(bytes.begin(), bytes.begin() + records[i].offset, '\n')));
    if (i > 0) EXPECT_GT(records[i].offset, records[i - 1].offset);
    if (i > 0) EXPECT_GE(records[i].at_ms, records[i - 1].at_ms);
  }
}

TEST_F(ProcessTasks, ALineOf100MegabytesIsALineLikeAnyOther) {
  constexpr std::size_t kSize = 100 << 20;
  const model::TaskKey key = new_key();
  LocalLaunch task = launch(key, fmt::format("head -c {} /dev/zero | tr '\\0' z", kSize));
  EXPECT_EQ(run(task).ending.outcome, Outcome::Succeeded);
  EXPECT_EQ(std::filesystem::file_size(log_path(key)), kSize);
  // A record each MB or so: who reads from the middle need not start at the beginning.
  EXPECT_GE(std::filesystem::file_size(log_path(key) + ".idx"), 40 * sizeof(model::LogIndexRecord));
}

TEST_F(ProcessTasks, ASlowWriterGetsATimeForEachOfItsLines) {
  const model::TaskKey key = new_key();
  EXPECT_EQ(output_of(launch(key, "for i in 1 2 3 4; do echo $i; sleep 0.06; done")),
            "1\n2\n3\n4\n");
  EXPECT_EQ(std::filesystem::file_size(log_path(key) + ".idx"), 4 * sizeof(model::LogIndexRecord));
}

TEST_F(ProcessTasks, AFullDiskDelaysTheTaskAndLosesNothing) {
  if (::geteuid() != 0) return;
  const model::TaskKey key = new_key();
  const std::string logs = dir_.path() + "/logs";
  std::filesystem::create_directories(logs);
  ASSERT_EQ(::mount("tmpfs", logs.c_str(), "tmpfs", 0, "size=1m"), 0);
  constexpr int kLines = 20'000;  // about 2 MB
  LocalLaunch task = launch(key, "");
  task.command.shell = model::Shell::None;
  task.command.argv = {"/usr/bin/python3", "-c", fmt::sprintf(kWriter, kLines)};
  ASSERT_TRUE(await(engine_->start(std::move(task))));
  const std::string journal = run_folder(dir_.path(), key) + ".journal";
  EXPECT_TRUE(eventually(
      [&] { return read_text(journal).find("cannot be written") != std::string::npos; }));
  EXPECT_EQ(inbox_->all(key).size(), 1u) << "started, not ended";
  EXPECT_EQ(::mount("tmpfs", logs.c_str(), "tmpfs", MS_REMOUNT, "size=16m"), 0);
  const auto ended = inbox_->ended(key);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->ending.outcome, Outcome::Succeeded);
  EXPECT_TRUE(log(key) == expected_lines(kLines));
  // Its end is told before its supervisor has tidied up and closed the log.
  EXPECT_TRUE(eventually([&] { return ::umount(logs.c_str()) == 0; }));
}

TEST_F(ProcessTasks, TheWholeTreeEndsWithTheCommand) {
  const std::string mark = fmt::format("7{}.5", ::getpid());
  const model::TaskKey key = new_key();
  // A daemon of the old school, and one that keeps the output open.
  EXPECT_EQ(output_of(launch(
                key,
                fmt::format("setsid sh -c 'sleep {0} & sleep {0}' </dev/null >/dev/null 2>&1 &\n"
                            "sleep {0} &\nsleep 0.05; echo leaving",
                            mark))),
            "leaving\n");
  EXPECT_EQ(processes_with("sleep " + mark), 0);
}

TEST_F(ProcessTasks, AStopIsToldToTheTaskWhichMayTidyUp) {
  const model::TaskKey key = new_key();
  ASSERT_TRUE(await(engine_->start(launch(
      key, "trap 'echo tidied; exit 0' TERM\necho ready\nwhile true; do sleep 0.02; done"))));
  ASSERT_TRUE(eventually([&] { return log(key) == "ready\n"; }));
  ASSERT_TRUE(await(engine_->stop(key, 10s)));
  const auto ended = inbox_->ended(key);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->ending.outcome, Outcome::Stopped);
  EXPECT_TRUE(log(key).ends_with("tidied\n")) << log(key);
}

TEST_F(ProcessTasks, AStopLeavesTheGraceAlsoToWhatAShellWasRunning) {
  const model::TaskKey key = new_key();
  ASSERT_TRUE(
      await(engine_->start(launch(key,
                                  "cat > save.py <<'END'\n"
                                  "import os, signal, sys, time\n"
                                  "def save(*_):\n"
                                  "    time.sleep(0.3); os.write(1, b'saved\\n'); sys.exit(0)\n"
                                  "signal.signal(signal.SIGTERM, save)\n"
                                  "os.write(1, b'training\\n')\n"
                                  "time.sleep(1000)\n"
                                  "END\n"
                                  "/usr/bin/python3 save.py; echo not reached"))));
  ASSERT_TRUE(eventually([&] { return log(key) == "training\n"; }));
  ASSERT_TRUE(await(engine_->stop(key, 10s)));
  const auto ended = inbox_->ended(key);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->ending.outcome, Outcome::Stopped);
  if (is_isolated() && ::geteuid() == 0) EXPECT_EQ(log(key), "training\nsaved\n");
}

TEST_F(ProcessTasks, SignalsTheServerIgnoresAreNotIgnoredByTasks) {
  ::signal(SIGPIPE, SIG_IGN);
  LocalLaunch task = launch(new_key(), "yes | head -n 1; echo ${PIPESTATUS[0]}");
  task.command.shell = model::Shell::Bash;
  EXPECT_EQ(output_of(task), "y\n141\n");
  ::signal(SIGPIPE, SIG_DFL);
}

TEST_F(ProcessTasks, NothingAJobFileSaysCanForgeTheJournal) {
  LocalLaunch task = launch(new_key(), "exit 6");
  task.workdir = "/x\nended at=1 exit=0 stop=0";
  EXPECT_EQ(run(task).ending.exit_code, 6);
}

TEST_F(ProcessTasks, MemoryBeyondTheLimitIsNamedWithLimitAndPeak) {
  if (!has_limits()) return;
  LocalLaunch task = launch(new_key(), "");
  task.command.shell = model::Shell::None;
  task.command.argv = {"/usr/bin/python3", "-c", "x = bytearray(300 << 20)"};
  task.resources.memory = 64 << 20;
  const TaskReport report = run(task);
  EXPECT_EQ(report.ending.reason, Reason::Oom);
  EXPECT_EQ(report.ending.failure, model::FailureClass::Permanent);
  EXPECT_NE(report.ending.message.text().find("64"), std::string::npos) << report.ending.message;
  EXPECT_GT(report.peak_memory, 32 << 20);
}

TEST_F(ProcessTasks, MemoryIsNamedAlsoWhenOnlyAChildDiedOfIt) {
  if (!has_limits()) return;
  LocalLaunch task = launch(new_key(), "/usr/bin/python3 -c 'x = bytearray(300 << 20)' || exit 3");
  task.resources.memory = 64 << 20;
  const TaskReport report = run(task);
  EXPECT_EQ(report.ending.reason, Reason::Oom);
  EXPECT_EQ(report.ending.exit_code, 3);
}

TEST_F(ProcessTasks, CpuTimeAndMemoryAreMeasured) {
  LocalLaunch task = launch(new_key(), "");
  task.command.shell = model::Shell::None;
  task.command.argv = {
      "/usr/bin/python3", "-c", "x = bytearray(50 << 20)\nfor i in range(2000000): pass"};
  const TaskReport report = run(task);
  EXPECT_GT(report.cpu_time, 10ms);
  EXPECT_GT(report.peak_memory, 45 << 20);
}

TEST_F(ProcessTasks, TheCpuQuotaSlowsATaskDown) {
  if (!has_limits()) return;
  LocalLaunch task =
      launch(new_key(), "end=$((SECONDS + 1)); while [ $SECONDS -lt $end ]; do :; done");
  task.command.shell = model::Shell::Bash;
  task.resources.cpu_milli = 100;
  const TaskReport report = run(task);
  EXPECT_LT(report.cpu_time, 500ms);
}

}  // namespace
}  // namespace ty::engine
