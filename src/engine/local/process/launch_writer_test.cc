#include "engine/local/process/launch_writer.h"

#include <gtest/gtest.h>
#include <linux/capability.h>

#include "engine/test_support.h"

namespace ty::engine {
namespace {

using testing::TempDir;

ProcessSetup setup(Isolation isolation) {
  ProcessSetup setup;
  setup.data_dir = "/srv/trainyard";
  setup.isolation = isolation;
  setup.bwrap = "/usr/bin/bwrap";
  setup.bash = "/bin/bash";
  setup.is_root = true;
  return setup;
}

LocalLaunch script(std::string text) {
  LocalLaunch launch;
  launch.key.job = JobId("a1");
  launch.run_dir = "/srv/trainyard/runs/a1/a1/0.0.0.0";
  launch.log_path = "/srv/trainyard/logs/a1.log";
  launch.command.shell = model::Shell::BashOrSh;
  launch.command.script = std::move(text);
  return launch;
}

std::string field(std::string_view name, std::string_view value) {
  return std::string(name) + " " + std::to_string(value.size()) + "\n" + std::string(value) + "\n";
}

bool has(const ProcessPlan& plan, std::string_view name, std::string_view value) {
  return plan.launch_text.find("\n" + field(name, value)) != std::string::npos;
}

TEST(LaunchWriter, AScriptTravelsAsAFileAndItsSettingsAsOptions) {
  LocalLaunch launch = script("echo hi");
  launch.command.errexit = launch.command.nounset = launch.command.pipefail = true;
  launch.command.args = {"a b"};
  const auto plan = plan_process(setup(Isolation::Namespaces), launch, 7);
  ASSERT_TRUE(plan);
  EXPECT_NE(
      plan->launch_text.find(field("arg", "/bin/bash") + field("arg", "-e") + field("arg", "-u") +
                             field("arg", "-o") + field("arg", "pipefail") +
                             field("arg", launch.run_dir + "/command.sh") + field("arg", "a b")),
      std::string::npos)
      << plan->launch_text;
  ASSERT_EQ(plan->files.size(), 1u);
  EXPECT_EQ(plan->files[0].second, "echo hi\n");
  EXPECT_TRUE(has(*plan, "ticket", "7"));
  EXPECT_TRUE(plan->launch_text.ends_with("end 0\n\n"));
}

TEST(LaunchWriter, WithoutBashAScriptRunsInShAndPipefailIsLeftOut) {
  ProcessSetup bare = setup(Isolation::None);
  bare.bash = "";
  LocalLaunch launch = script("true");
  launch.command.pipefail = true;
  const auto plan = plan_process(bare, launch, 1);
  ASSERT_TRUE(plan);
  EXPECT_TRUE(has(*plan, "arg", "/bin/sh"));
  EXPECT_FALSE(has(*plan, "arg", "pipefail"));
}

TEST(LaunchWriter, MountsBecomeBindsLinksOrCopies) {
  TempDir data;
  LocalLaunch launch = script("true");
  launch.mounts = {{.kind = model::MountKind::Data,
                    .host_path = data.path(),
                    .target = "/data",
                    .read_only = true},
                   {.kind = model::MountKind::Code,
                    .host_path = data.path(),
                    .target = "/code",
                    .private_copy = true}};
  const auto isolated = plan_process(setup(Isolation::Namespaces), launch, 1);
  ASSERT_TRUE(isolated);
  EXPECT_TRUE(has(*isolated, "bind_ro", data.path()));
  EXPECT_TRUE(has(*isolated, "at", launch.run_dir + "/data"));
  ASSERT_EQ(isolated->copies.size(), 1u);
  EXPECT_EQ(isolated->copies[0].to, launch.run_dir + "/code");
  EXPECT_TRUE(has(*isolated, "workdir", launch.run_dir + "/code"));
  EXPECT_FALSE(isolated->needs_work_folder);

  const auto bare = plan_process(setup(Isolation::None), launch, 1);
  ASSERT_TRUE(bare);
  ASSERT_EQ(bare->links.size(), 1u);
  EXPECT_EQ(bare->links[0], std::pair(launch.run_dir + "/data", data.path()));

  const auto wrapped = plan_process(setup(Isolation::Bubblewrap), launch, 1);
  ASSERT_TRUE(wrapped);
  EXPECT_NE(wrapped->launch_text.find(field("arg", "--ro-bind") + field("arg", data.path()) +
                                      field("arg", launch.run_dir + "/data")),
            std::string::npos);
}

TEST(LaunchWriter, TheServersDataIsHiddenInEverySandbox) {
  const auto isolated = plan_process(setup(Isolation::Namespaces), script("true"), 1);
  ASSERT_TRUE(isolated);
  EXPECT_TRUE(has(*isolated, "hide", "/srv/trainyard"));
  const auto wrapped = plan_process(setup(Isolation::Bubblewrap), script("true"), 1);
  ASSERT_TRUE(wrapped);
  EXPECT_NE(wrapped->launch_text.find(field("arg", "--tmpfs") + field("arg", "/srv/trainyard")),
            std::string::npos);
}

TEST(LaunchWriter, CapabilitiesThatReachTheMachineAreDropped) {
  const auto has_cap = [](std::uint64_t keep, int cap) { return (keep >> cap & 1) != 0; };
  const std::uint64_t usual = kept_capabilities({"ptrace"});
  for (const int cap : {CAP_SYS_ADMIN,
                        CAP_SYS_PTRACE,
                        CAP_MKNOD,
                        CAP_SYS_MODULE,
                        CAP_SYS_RAWIO,
                        CAP_NET_ADMIN,
                        CAP_DAC_READ_SEARCH}) {
    EXPECT_FALSE(has_cap(usual, cap)) << cap;
  }
  EXPECT_TRUE(has_cap(usual, CAP_CHOWN));
  EXPECT_TRUE(has_cap(kept_capabilities({"sys_admin"}), CAP_SYS_ADMIN));
}

}  // namespace
}  // namespace ty::engine
