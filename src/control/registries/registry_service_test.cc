#include "control/registries/registry_service.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/encoding.h"
#include "control/testing/world.h"
#include "engine/launch.h"

namespace ty::control {
namespace {

constexpr std::string_view kPassword = "open sesame 42";

/// What an earlier version left behind.
void write_old_file(const World& world, UserId user, std::string_view password) {
  std::ofstream file(world.root() / "registries");
  file << fmt::format("user {} x{} x{} x{}\n",
                      user.value,
                      to_hex("registry.example.com:5000"),
                      to_hex("ann"),
                      to_hex(password));
  file << fmt::format(
      "workspace 1 x{} x{} x{}\n", to_hex("docker.io"), to_hex("team"), to_hex(password));
}

/// The files below the data directory that hold the text.
std::vector<std::string> files_with(const World& world, std::string_view text) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(world.root())) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    if (bytes.find(text) != std::string::npos) found.push_back(entry.path().filename());
  }
  return found;
}

std::string password_for(World& world, const std::string& server) {
  const auto login = world.server->registries.find(world.admin.user, WorkspaceId{1}, server);
  return login ? login->password.reveal() : "none";
}

TEST(RegistryService, APasswordIsKeptAcrossRestartsAndReadableNowhere) {
  World world;
  NewRegistryLogin login{.server = "https://Registry.Example.com:5000/",
                         .username = "ann",
                         .password = Secret(std::string(kPassword))};
  ASSERT_TRUE(world.server->wait(world.server->registries.set(world.admin, "", login)));
  EXPECT_EQ(password_for(world, "registry.example.com:5000"), kPassword);
  world.restart();
  EXPECT_EQ(password_for(world, "registry.example.com:5000"), kPassword);
  EXPECT_EQ(files_with(world, kPassword), std::vector<std::string>{});
  EXPECT_EQ(files_with(world, to_hex(kPassword)), std::vector<std::string>{});

  const auto shown = world.server->wait(world.server->registries.list(world.admin));
  ASSERT_EQ(shown->size(), 1u);
  EXPECT_EQ(shown->front().server, "registry.example.com:5000");
  const auto gone = world.server->wait(
      world.server->registries.remove(world.admin, "", "registry.example.com:5000"));
  EXPECT_TRUE(gone);
  EXPECT_EQ(password_for(world, "registry.example.com:5000"), "none");
  world.restart();
  EXPECT_EQ(password_for(world, "registry.example.com:5000"), "none");
}

TEST(RegistryService, TheFileOfAnEarlierVersionIsTakenOverAndRemoved) {
  World world;
  write_old_file(world, world.admin.user, kPassword);
  world.restart();
  EXPECT_EQ(password_for(world, "registry.example.com:5000"), kPassword);
  EXPECT_EQ(password_for(world, "docker.io"), kPassword);
  EXPECT_FALSE(std::filesystem::exists(world.root() / "registries"));
  EXPECT_EQ(files_with(world, to_hex(kPassword)), std::vector<std::string>{});
  world.restart();
  EXPECT_EQ(password_for(world, "docker.io"), kPassword);
}

TEST(RegistryService, KilledBetweenTakingOverAndRemovingLosesNothing) {
  World world;
  write_old_file(world, world.admin.user, kPassword);
  world.restart();
  // Stored, and the file still there: what such a kill leaves. What is stored is the newer.
  write_old_file(world, world.admin.user, "older");
  world.restart();
  EXPECT_EQ(password_for(world, "registry.example.com:5000"), kPassword);
  EXPECT_EQ(password_for(world, "docker.io"), kPassword);
  EXPECT_FALSE(std::filesystem::exists(world.root() / "registries"));
}

TEST(RegistryService, ADamagedFileStopsTheStartAndStays) {
  World world;
  const std::string file = world.root() / "registries";
  std::ofstream(file) << "user 1 x00 zz\n";
  const auto loaded = world.server->wait(world.server->registries.load(file));
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, Errc::Invalid);
  EXPECT_TRUE(std::filesystem::exists(file));
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace ty::control
