#include "engine/local/resolve.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "engine/local/network/local_addresses.h"
#include "engine/test_support.h"

namespace ty::engine {
namespace {

using model::MountKind;
using testing::TempDir;
using testing::write_text;

class Resolve : public ::testing::Test {
 protected:
  Resolve() {
    able_.runtime = "process";
    able_.host_ports = true;
    spec_.name = "bert";
    model::RoleSpec& role = spec_.roles.emplace_back();
    role.name = "worker";
    role.count = 2;
    role.image = "python:3.12";
    role.ports = {{.label = "board"}};
  }

  /// The launch of task 0, all tasks placed as the engine places them.
  Launch launch(std::vector<Mount> mounts = {}) {
    LocalAddresses addresses(able_, "127.0.0.1");
    auto attempt = std::make_shared<Attempt>();
    attempt->job.id = job_;
    for (int i = 0; i < spec_.roles[0].count; ++i) {
      model::Task& task = attempt->job.life.tasks.emplace_back();
      task.ref = {.role = 0, .index = i};
      task.placement = addresses.settle(spec_, task.ref, {.node = "n1"});
    }
    attempt->spec = std::make_shared<const model::JobSpec>(spec_);
    Launch launch{.key = {.job = job_}, .attempt = std::move(attempt)};
    launch.mounts = std::move(mounts);
    return launch;
  }
  Result<LocalLaunch> resolve(const Launch& launch) const {
    const Resolver resolver(dir_.path(),
                            {.data_dir = dir_.path(),
                             .storage_root = dir_.path() + "/storage",
                             .host_folders = {dir_.path() + "/granted"},
                             .upload_folder =
                                 [this](const std::string& sha256) {
                                   return Result<std::string>(dir_.path() + "/uploads/" + sha256);
                                 }},
                            permissions_);
    return resolver.resolve(launch, able_);
  }
  std::string run_dir() const {
    return dir_.path() + "/runs/" + job_.str().substr(0, 2) + "/" + job_.str() + "/0.0.0.0";
  }
  static std::map<std::string, std::string> variables(const LocalLaunch& launch) {
    return {launch.environment.platform.begin(), launch.environment.platform.end()};
  }

  TempDir dir_;
  const JobId job_ = random_job_id();
  Capabilities able_;
  Permissions permissions_;
  model::JobSpec spec_;
};

TEST_F(Resolve, SourcesBecomeFoldersOfThisMachine) {
  std::filesystem::create_directories(dir_.path() + "/storage/team");
  std::filesystem::create_directories(dir_.path() + "/granted/data");
  const auto made = resolve(
      launch({{.kind = MountKind::Code, .source = source::Upload{"ab12"}, .target = "/code"},
              {.kind = MountKind::Output, .source = source::JobOutput{}, .target = "/output"},
              {.source = source::Scratch{}, .target = "/scratch"},
              {.source = source::Volume{.workspace = WorkspaceId{3}, .name = "v"}, .target = "/v"},
              {.source = source::Storage{"/team"}, .named = "storage:team", .target = "/team"},
              {.source = source::HostFolder{dir_.path() + "/granted/data"}, .target = "/data"},
              {.source = source::ObjectStore{{.path = "bucket"}}, .target = "/bucket"}}));
  ASSERT_TRUE(made) << made.error().message;
  ASSERT_EQ(made->mounts.size(), 7u);
  const std::string output = dir_.path() + "/outputs/" + job_.str().substr(0, 2) + "/" + job_.str();
  EXPECT_EQ(made->mounts[0].host_path, dir_.path() + "/uploads/ab12");
  EXPECT_EQ(made->mounts[1].host_path, output);
  EXPECT_TRUE(std::filesystem::is_directory(output));
  EXPECT_TRUE(made->mounts[2].private_copy);
  EXPECT_EQ(made->mounts[3].host_path, dir_.path() + "/volumes/3/v");
  EXPECT_EQ(made->mounts[4].host_path, dir_.path() + "/storage/team");
  EXPECT_EQ(made->mounts[5].host_path, dir_.path() + "/granted/data");
  EXPECT_EQ(made->mounts[6].host_path, run_dir() + ".transfer/6");
  EXPECT_EQ(made->mounts[6].fetch_from->path, "bucket");
}

TEST_F(Resolve, WhatIsNotGrantedIsRefused) {
  std::filesystem::create_directories(dir_.path() + "/granted");
  std::filesystem::create_directory_symlink("/etc", dir_.path() + "/granted/out");
  const auto outside = resolve(launch({{.source = source::HostFolder{"/etc"}, .target = "/data"}}));
  ASSERT_FALSE(outside);
  EXPECT_EQ(outside.error().code, Errc::Invalid);
  const auto led_out = resolve(
      launch({{.source = source::HostFolder{dir_.path() + "/granted/out"}, .target = "/data"}}));
  ASSERT_FALSE(led_out);
  EXPECT_NE(led_out.error().message.text().find("points outside"), std::string::npos);
  const auto missing = resolve(
      launch({{.source = source::Storage{"/none"}, .named = "storage:none", .target = "/data"}}));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Errc::NotFound);
}

TEST_F(Resolve, AProcessIsToldRealPathsAndPortsOfTheMachine) {
  Launch given =
      launch({{.kind = MountKind::Output, .source = source::JobOutput{}, .target = "/output"}});
  given.start_folder = "/pai/work";
  const auto made = resolve(given);
  ASSERT_TRUE(made) << made.error().message;
  const auto env = variables(*made);
  EXPECT_EQ(env.at("TRAINYARD_OUTPUT_DIR"), run_dir() + "/output");
  EXPECT_EQ(env.at("TRAINYARD_HOST"), "127.0.0.1");
  EXPECT_EQ(env.at("TRAINYARD_RUNTIME"), "process");
  EXPECT_EQ(made->workdir, run_dir() + "/pai/work");
  EXPECT_EQ(made->run_dir, run_dir());
  // Those drawn for the first task, behind the ports its role declares.
  EXPECT_EQ(env.at("MASTER_PORT"),
            std::to_string(given.attempt->job.life.tasks[0].placement->ports.back()[1]));
  EXPECT_FALSE(made->registry) << "without images nobody signs in";
}

TEST_F(Resolve, AContainerIsToldTargetsAndNamesOfItsNetwork) {
  able_ = {.runtime = "docker", .images = true, .own_network = true};
  Launch given =
      launch({{.kind = MountKind::Output, .source = source::JobOutput{}, .target = "/output"}});
  given.start_folder = "/pai/work";
  given.logins = {{.server = "quay.io", .username = "q"}, {.server = "docker.io", .username = "d"}};
  const auto made = resolve(given);
  ASSERT_TRUE(made) << made.error().message;
  const auto env = variables(*made);
  EXPECT_EQ(env.at("TRAINYARD_OUTPUT_DIR"), "/output");
  EXPECT_EQ(env.at("TRAINYARD_HOST"), "worker-0");
  EXPECT_EQ(env.at("TRAINYARD_RUNTIME"), "docker");
  EXPECT_EQ(env.at("MASTER_PORT"), "29500");
  EXPECT_EQ(made->workdir, "/pai/work");
  EXPECT_EQ(made->peers, (std::vector<std::string>{"worker-0", "worker-1"}));
  ASSERT_TRUE(made->registry);
  EXPECT_EQ(made->registry->username, "d") << "python:3.12 is Docker Hub's";
}

TEST_F(Resolve, WhatTheJobSaysOfItsRegistryWins) {
  able_ = {.runtime = "docker", .images = true, .own_network = true};
  Launch given = launch();
  given.logins = {{.server = "docker.io", .username = "kept"}};
  given.login = RegistryLogin{.username = "own"};
  auto made = resolve(given);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->registry->username, "own");
  EXPECT_EQ(made->registry->server, "docker.io");

  write_text(dir_.path() + "/storage/auth.txt", "https://index.docker.io/v1/\nfile\nsecret\n");
  given.login_file = LoginFile{.source = source::Storage{"/auth.txt"}, .named = "auth.txt"};
  made = resolve(given);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->registry->username, "file");
  EXPECT_EQ(made->registry->server, "docker.io");
}

TEST_F(Resolve, ALoginIsForItsOwnServerOnly) {
  able_ = {.runtime = "docker", .images = true, .own_network = true};
  Launch given = launch();
  given.login = RegistryLogin{.server = "corp.example", .username = "ann"};
  EXPECT_EQ(resolve(given).error().code, Errc::Forbidden) << "python:3.12 is Docker Hub's";
  given.login.reset();
  write_text(dir_.path() + "/storage/auth.txt", "corp.example\nfile\nsecret\n");
  given.login_file = LoginFile{.source = source::Storage{"/auth.txt"}, .named = "auth.txt"};
  EXPECT_EQ(resolve(given).error().code, Errc::Forbidden);
}

TEST_F(Resolve, WhatTheSiteDoesNotAllowIsNotStarted) {
  spec_.roles[0].caps = {"ptrace", "sys_admin"};
  EXPECT_EQ(resolve(launch()).error().code, Errc::Forbidden);
  permissions_.caps = {"ptrace", "sys_admin"};
  EXPECT_TRUE(resolve(launch()));
  spec_.run_as = model::RunAs{.user = "ann", .uid = 0};
  EXPECT_EQ(resolve(launch()).error().code, Errc::Forbidden);
  permissions_.root = true;
  EXPECT_TRUE(resolve(launch()));
}

TEST_F(Resolve, ATaskWithoutAFreePortIsAPortConflict) {
  const Launch whole = launch();
  auto attempt = std::make_shared<Attempt>(*whole.attempt);
  attempt->job.life.tasks[0].placement->ports[2].clear();
  Launch given = whole;
  given.attempt = std::move(attempt);
  const auto made = resolve(given);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Errc::Conflict);
  EXPECT_NE(made.error().message.text().find("board"), std::string::npos);
}

}  // namespace
}  // namespace ty::engine
