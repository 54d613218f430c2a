#include "control/tokens/token_service.h"

#include <gtest/gtest.h>

#include "control/testing/world.h"

namespace ty::control {
namespace {

TEST(TokenService, TokensAreNarrowedAndRevoked) {
  World world;
  World::Server& server = *world.server;
  auto made = server.wait(server.token_service.create(world.admin, "script", {"read"}, 1h));
  ASSERT_TRUE(made) << made.error().message;
  auto who = server.wait(server.authenticator.authenticate(made->text));
  ASSERT_TRUE(who);
  EXPECT_FALSE(who->scopes.has(auth::Scope::Write));
  EXPECT_FALSE(server.wait(server.token_service.create(*who, "more", {"admin"}, 1h)));
  ASSERT_TRUE(server.wait(server.token_service.remove(world.admin, made->token.id)));
  const auto after = server.wait(server.authenticator.authenticate(made->text));
  ASSERT_FALSE(after);
  EXPECT_EQ(after.error().code, Errc::Unauthenticated);
}

}  // namespace
}  // namespace ty::control
