#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <fstream>

#include "engine/local/docker/addresses.h"
#include "engine/local/docker/client.h"
#include "engine/local/docker/container_plan.h"
#include "engine/local/docker/image.h"
#include "engine/local/docker/pull_progress.h"
#include "engine/messages.h"
#include "engine/test_support.h"

namespace ty::engine::docker {
namespace {

namespace json = boost::json;

class ContainerPlanTest : public ::testing::Test {
 protected:
  ContainerPlanTest() {
    launch_.key.job = JobId("k41f09c2ab7d34e8899d0c51e2f7a6b3");
    launch_.role_name = "worker";
    launch_.host_name = "worker-0";
    launch_.host_aliases = {"worker-0", "task0-0"};
    launch_.image = "python:3.12";
    launch_.run_dir = dir_.path() + "/runs/k4/job/0.0.0.0";
    launch_.log_path = dir_.path() + "/logs/x.log";
    launch_.command.argv = {"python", "train.py"};
    launch_.command.entrypoint = model::Entrypoint::Clear;
    launch_.resources.cpu_milli = 1500;
    launch_.resources.memory = 64 << 20;
    launch_.resources.shm = 1 << 20;
    setup_.owner = "0a0b0c0d";
    setup_.max_processes = 100;
    image_.id = "sha256:1";
    image_.architecture = std::string(own_architecture());
  }

  ContainerPlan plan() {
    auto made = plan_container(setup_, launch_, image_, "ty-net", {}, 7);
    EXPECT_TRUE(made) << (made ? "" : made.error().message.text());
    return made ? *std::move(made) : ContainerPlan{};
  }
  json::value body() { return json::parse(plan().body); }
  bool launches_with(std::string_view field) {
    return plan().launch_text.find(field) != std::string::npos;
  }

  testing::TempDir dir_;
  ContainerSetup setup_;
  LocalLaunch launch_;
  Image image_;
};

TEST_F(ContainerPlanTest, LimitsAndRightsAreThoseOfTheTask) {
  const json::value made = body();
  const json::object& host = made.at("HostConfig").as_object();
  EXPECT_EQ(host.at("CpuQuota").as_int64(), 150'000);
  EXPECT_EQ(host.at("Memory").as_int64(), 64 << 20);
  EXPECT_EQ(host.at("MemorySwap").as_int64(), 64 << 20);
  EXPECT_EQ(host.at("ShmSize").as_int64(), 1 << 20);
  EXPECT_EQ(host.at("PidsLimit").as_int64(), 100);
  EXPECT_EQ(host.at("CapDrop"), json::value(json::array{"ALL"}));
  EXPECT_EQ(host.at("SecurityOpt"), json::value(json::array{"no-new-privileges"}));
  EXPECT_EQ(json::serialize(host.at("CapAdd")).find("SYS_"),
            json::serialize(host.at("CapAdd")).find("SYS_CHROOT"));
  EXPECT_FALSE(host.contains("DeviceRequests"));
  EXPECT_FALSE(host.contains("Binds"));
}

TEST_F(ContainerPlanTest, AddressesTakeThePlaceOfTheirMarks) {
  const auto mark = [](int n) { return "\x1f" + std::to_string(n) + "\x1f"; };
  launch_.peers = {"ps-0", "worker-0", "worker-1"};
  launch_.number = 1;
  launch_.environment.platform = {{"HOSTS", mark(1) + ":80," + mark(2) + ":81"},
                                  {"PLAIN", "as it is"}};
  launch_.environment.files = {{"peers.json", "[" + mark(0) + "]"}};
  launch_.command.args = {"--me=" + mark(1)};
  LocalLaunch made = with_addresses(launch_, {"10.1.0.2", "10.1.0.3", "10.1.0.4"});
  EXPECT_EQ(made.address, "10.1.0.3");
  EXPECT_EQ(made.environment.platform[0].second, "10.1.0.3:80,10.1.0.4:81");
  EXPECT_EQ(made.environment.platform[1].second, "as it is");
  EXPECT_EQ(made.environment.files[0].second, "[10.1.0.2]");
  EXPECT_EQ(made.command.args[0], "--me=10.1.0.3");
  launch_ = made;
  EXPECT_NE(plan().body.find(R"("IPAMConfig":{"IPv4Address":"10.1.0.3"})"), std::string::npos);
}

TEST_F(ContainerPlanTest, NamesStandForAddressesThatNobodyKnows) {
  launch_.peers = {"main-0"};
  launch_.environment.platform = {{"HOST",
                                   "\x1f"
                                   "0\x1f"}};
  launch_ = with_addresses(launch_, {});
  EXPECT_EQ(launch_.environment.platform[0].second, "main-0");
  EXPECT_EQ(plan().body.find("IPAMConfig"), std::string::npos);
}

TEST_F(ContainerPlanTest, ADebugJobTracesItsOwnProcessesWithoutACapability) {
  launch_.caps = {"ptrace"};
  EXPECT_EQ(plan().body.find("SYS_PTRACE"), std::string::npos)
      << "it would open the supervisor; own processes are traced without";
}

TEST_F(ContainerPlanTest, PeersFindItByAllItsNames) {
  const json::value made = body();
  EXPECT_EQ(made.at("Hostname").as_string(), "worker-0");
  EXPECT_EQ(made.at("NetworkingConfig").at("EndpointsConfig").at("ty-net").at("Aliases"),
            json::value(json::array{"worker-0", "task0-0"}));
}

TEST_F(ContainerPlanTest, TheImagesVariablesLieBetweenSoftOnesAndThePlatforms) {
  launch_.environment.soft = {{"A", "soft"}, {"B", "soft"}, {"C", "soft"}};
  image_.env = {"B=image", "C=image"};
  launch_.environment.platform = {{"C", "platform"}};
  EXPECT_TRUE(launches_with("\nA=soft\n"));
  EXPECT_TRUE(launches_with("\nB=image\n"));
  EXPECT_TRUE(launches_with("\nC=platform\n"));
}

TEST_F(ContainerPlanTest, TheImagesEntryPointIsKeptOnlyWhereTheJobSaysSo) {
  image_.entrypoint = {"/entry"};
  EXPECT_FALSE(launches_with("/entry"));
  launch_.command.entrypoint = model::Entrypoint::Keep;
  EXPECT_TRUE(launches_with("arg 6\n/entry\narg 6\npython\n"));
  launch_.command.argv.clear();
  image_.command = {"serve"};
  EXPECT_TRUE(launches_with("arg 6\n/entry\narg 5\nserve\n"));
  launch_.command.args = {"x"};
  EXPECT_TRUE(launches_with("arg 6\n/entry\narg 1\nx\n"));
}

TEST_F(ContainerPlanTest, AnImageWithNothingToRunIsABadSpec) {
  launch_.command.argv.clear();
  const auto made = plan_container(setup_, launch_, image_, "ty-net", {}, 7);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().reason, model::Reason::BadSpec);
}

TEST_F(ContainerPlanTest, AnotherMachinesImageIsRefused) {
  image_.architecture = "riscv64";
  const auto made = plan_container(setup_, launch_, image_, "ty-net", {}, 7);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().reason, model::Reason::ImageMissing);
  EXPECT_NE(made.error().message.text().find("riscv64"), std::string::npos);
}

TEST_F(ContainerPlanTest, OnlyRealGpusAreAskedFor) {
  launch_.placement.gpus = {1};
  setup_.gpus = {{.type = "A100"}, {.type = "A100"}};
  EXPECT_EQ(plan().body.find("DeviceRequests"), std::string::npos);
  setup_.gpus[1].uuid = "GPU-1234";
  EXPECT_NE(plan().body.find(R"("DeviceIDs":["GPU-1234"])"), std::string::npos);
}

TEST_F(ContainerPlanTest, GpusAreNamedAsTheDaemonNamesThem) {
  launch_.placement.gpus = {1, 2};
  setup_.gpus = {{.uuid = "GPU-0"}, {.uuid = "GPU-1"}, {.uuid = "GPU-2"}};
  const auto asked = [&] { return json::serialize(body().at("HostConfig").at("DeviceRequests")); };
  setup_.gpu_access = gpu_access(R"({"Runtimes":{"runc":{},"nvidia":{"path":"x"}}})");
  EXPECT_EQ(asked(),
            R"([{"Driver":"nvidia","DeviceIDs":["GPU-1","GPU-2"],)"
            R"("Capabilities":[["gpu","compute","utility","video"]]}])");
  EXPECT_NE(plan().body.find("NVIDIA_VISIBLE_DEVICES=GPU-1,GPU-2"), std::string::npos);
  EXPECT_TRUE(launches_with("NVIDIA_VISIBLE_DEVICES=GPU-1,GPU-2\n"));

  setup_.gpu_access = gpu_access(
      R"({"Runtimes":{"runc":{}},"DiscoveredDevices":[{"Source":"cdi","ID":"nvidia.com/gpu=1"},)"
      R"({"Source":"cdi","ID":"nvidia.com/gpu=GPU-1"},{"Source":"cdi","ID":"nvidia.com/gpu=2"}]})");
  EXPECT_EQ(asked(),
            R"([{"Driver":"cdi","DeviceIDs":["nvidia.com/gpu=GPU-1","nvidia.com/gpu=2"]}])");
  EXPECT_NE(plan().body.find("NVIDIA_VISIBLE_DEVICES=void"), std::string::npos);
}

TEST(GpuAccess, IsWhatTheDaemonSays) {
  using Way = GpuAccess::Way;
  EXPECT_EQ(gpu_access(R"({"Runtimes":{"runc":{}}})").way, Way::Unannounced);
  EXPECT_EQ(gpu_access(R"({"Runtimes":{"nvidia":{}},"CDISpecDirs":["/etc/cdi"]})").way,
            Way::Nvidia);
  EXPECT_EQ(gpu_access("no json").way, Way::Unannounced);
}

TEST(GpuAccess, OlderDaemonsOnlyNameTheFoldersOfTheirCdiDevices) {
  const testing::TempDir dir;
  const std::string info =
      json::serialize(json::object{{"CDISpecDirs", json::array{"/nonexistent/cdi", dir.path()}}});
  EXPECT_EQ(gpu_access(info).way, GpuAccess::Way::Unannounced);
  std::ofstream(dir.path() + "/nvidia.yaml") << "cdiVersion: 0.5.0\nkind: nvidia.com/gpu\n";
  EXPECT_EQ(gpu_access(info).way, GpuAccess::Way::Cdi);
}

TEST_F(ContainerPlanTest, NoFolderOfOursCanBeWritten) {
  const json::value made = body();
  for (const json::value& mount : made.at("HostConfig").at("Mounts").as_array()) {
    const std::string from(mount.at("Source").as_string());
    const bool is_file =
        from.ends_with(".journal") || from.ends_with(".log") || from.ends_with(".idx");
    EXPECT_EQ(mount.at("ReadOnly").as_bool(), !is_file) << from;
  }
}

TEST(Image, NamesAreReadAsDockerReadsThem) {
  EXPECT_EQ(registry_of("python"), "docker.io");
  EXPECT_EQ(registry_of("ann/python:3"), "docker.io");
  EXPECT_EQ(registry_of("localhost/x"), "localhost");
  EXPECT_EQ(image_path("a/b?all=1#x\n"), "/images/a/b%3Fall%3D1%23x%0A%3Alatest/json");
  EXPECT_EQ(registry_of("127.0.0.1:5000/a/b:1"), "127.0.0.1:5000");
  EXPECT_EQ(with_tag("python"), "python:latest");
  EXPECT_EQ(with_tag("host:5000/python"), "host:5000/python:latest");
  EXPECT_EQ(with_tag("host:5000/python:3"), "host:5000/python:3");
  EXPECT_EQ(with_tag("python@sha256:00"), "python@sha256:00");
}

TEST(PullProgress, LayersAndBytesAreSummedUp) {
  PullProgress progress("python:3.12");
  EXPECT_EQ(progress.message().text(), "pulling python:3.12");
  progress.feed(
      "{\"status\":\"Pulling from library/python\",\"id\":\"3.12\"}\n"
      "{\"status\":\"Pulling fs layer\",\"progressDetail\":{},\"id\":\"aa\"}\n"
      "{\"status\":\"Already exists\",\"id\":\"bb\"}\n{\"status\":\"Downlo");
  progress.feed(
      "ading\",\"progressDetail\":{\"current\":1048576,\"total\":4194304},\"id\":\"aa\"}\n");
  EXPECT_EQ(progress.message().text(), "pulling python:3.12: 1 of 2 layers, 1 MB of 4 MB");
  progress.feed("{\"status\":\"Pull complete\",\"id\":\"aa\"}\nnot json\n");
  EXPECT_EQ(progress.message().text(), "pulling python:3.12: 2 of 2 layers, 4 MB of 4 MB");
  EXPECT_TRUE(progress.error().empty());
  progress.feed("{\"errorDetail\":{\"message\":\"boom\"},\"error\":\"boom\"}\n");
  EXPECT_EQ(progress.error(), "boom");
}

TEST(PullEnding, TellsWhatToDoAboutIt) {
  const auto unknown =
      pull_ending("r.example/x:9", plain("manifest for r.example/x:9 not found: manifest unknown"));
  EXPECT_EQ(unknown.reason, model::Reason::ImageMissing);
  EXPECT_EQ(unknown.failure, model::FailureClass::Permanent);
  EXPECT_NE(unknown.message.text().find("check its name and tag"), std::string::npos);
  const auto refused = pull_ending("r.example/x:9", plain("unauthorized: authentication required"));
  EXPECT_NE(refused.message.text().find("registry login r.example"), std::string::npos);
  const auto away = pull_ending("r.example/x:9", plain("dial tcp: i/o timeout"));
  EXPECT_EQ(away.failure, model::FailureClass::Platform);
  // What we say ourselves decides nothing, whatever its words are.
  const auto ours =
      pull_ending("r.example/x:9", say::registry_silent({.server = "denied", .time = Seconds{9}}));
  EXPECT_EQ(ours.failure, model::FailureClass::Platform);
}

TEST(Client, TheDaemonsWordsAreKept) {
  const auto refused = Client::check(404, R"({"message":"No such image: x"})");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::NotFound);
  EXPECT_EQ(refused.error().message, plain("No such image: x"));
  EXPECT_TRUE(Client::check(304, ""));
  const Message broken = Client::check(500, "oops").error().message;
  EXPECT_EQ(broken.text(), "status 500: oops");
  EXPECT_EQ(Client::words_of(broken), "oops");
  EXPECT_EQ(Client::words_of(say::no_network_for_job({.why = broken})), "oops");
}

TEST(Client, NobodyAtTheSocketIsUnavailable) {
  Client client("/nonexistent/docker.sock");
  const auto answer = client.get("/info");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::Unavailable);
  EXPECT_NE(answer.error().message.text().find("/nonexistent/docker.sock"), std::string::npos);
}

}  // namespace
}  // namespace ty::engine::docker
