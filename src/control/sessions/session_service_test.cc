#include "control/sessions/session_service.h"

#include <gtest/gtest.h>

#include "control/testing/world.h"

namespace ty::control {
namespace {

TEST(SessionService, ASignInLinkWorksOnceAndAPasswordFromThenOn) {
  World world;
  World::Server& server = *world.server;
  SessionService& sessions = server.session_service;
  auto made = server.wait(server.user_service.create(world.admin, {.name = "ann"}));
  ASSERT_TRUE(made) << made.error().message;
  auto first =
      server.wait(sessions.use_link(made->link, {.address = "127.0.0.1", .client = "test"}));
  ASSERT_TRUE(first);
  EXPECT_FALSE(first->has_password);
  EXPECT_FALSE(
      server.wait(sessions.use_link(made->link, {.address = "127.0.0.1", .client = "test"})));
  auto who = server.wait(server.authenticator.authenticate(first->token));
  ASSERT_TRUE(who);
  const Secret password("correct horse battery staple");
  ASSERT_TRUE(server.wait(sessions.change_password(*who, Secret(), password, first->token)));
  EXPECT_TRUE(
      server.wait(sessions.sign_in("ann", password, {.address = "127.0.0.1", .client = "test"})));
  EXPECT_FALSE(server.wait(
      sessions.sign_in("ann", Secret("wrong"), {.address = "127.0.0.1", .client = "test"})));
  ASSERT_TRUE(server.wait(server.user_service.set_disabled(world.admin, "ann", true)));
  EXPECT_FALSE(
      server.wait(sessions.sign_in("ann", password, {.address = "127.0.0.1", .client = "test"})));
}

}  // namespace
}  // namespace ty::control
