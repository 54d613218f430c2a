#include "auth/password.h"

#include <gtest/gtest.h>

namespace ty::auth {
namespace {

constexpr PasswordCost kQuick{.operations = 1, .memory = std::size_t{64} << 10};

TEST(Password, TheRightOneVerifiesAndOthersDoNot) {
  const auto hash = hash_password(Secret("correct horse battery"), kQuick);
  ASSERT_TRUE(hash);
  EXPECT_TRUE(hash->starts_with("$argon2id$"));
  EXPECT_TRUE(verify_password(*hash, Secret("correct horse battery")));
  EXPECT_FALSE(verify_password(*hash, Secret("correct horse batter")));
  EXPECT_FALSE(verify_password(*hash, Secret("")));
}

TEST(Password, TheSamePasswordHashesDifferentlyEachTime) {
  EXPECT_NE(*hash_password(Secret("same words"), kQuick),
            *hash_password(Secret("same words"), kQuick));
}

TEST(Password, WhatIsNoHashNeverVerifies) {
  for (const std::string bad :
       {"", "x", "$argon2id$", "$argon2id$v=19$m=65536,t=2,p=1$AAAA$BBBB"}) {
    EXPECT_FALSE(verify_password(bad, Secret("anything"))) << bad;
    EXPECT_TRUE(needs_rehash(bad)) << bad;
  }
  EXPECT_FALSE(verify_password(std::string(4000, '$'), Secret("anything")));
}

TEST(Password, AHigherCostAsksForARehash) {
  const auto hash = hash_password(Secret("some words here"), kQuick);
  EXPECT_FALSE(needs_rehash(*hash, kQuick));
  EXPECT_TRUE(needs_rehash(*hash));
}

TEST(Password, TheUsualCostIs64MiB) {
  const auto hash = hash_password(Secret("some words here"));
  ASSERT_TRUE(hash);
  EXPECT_NE(hash->find("m=65536,t=2,p=1"), std::string::npos) << *hash;
  EXPECT_TRUE(verify_password(*hash, Secret("some words here")));
  verify_against_nobody(Secret("some words here"));
}

TEST(PasswordRules, EachRuleSaysWhatToDo) {
  struct Case {
    std::string password;
    std::string code;
  };
  const Case cases[] = {
      {"short", "too_short"},
      {"", "too_short"},
      {std::string(257, 'x'), "too_long"},
      {"Password", "common"},
      {"zzzzzzzzzz", "common"},
      {"Professor-Li", "user_name"},
      {std::string("with a \0 inside", 15), "nul"},
      {"bad utf8 \xff\xfe", "utf8"},
  };
  for (const auto& [password, code] : cases) {
    const auto checked = check_password_rules(Secret(password), "professor-li");
    ASSERT_FALSE(checked) << password;
    EXPECT_EQ(checked.error().code, Errc::Invalid);
    ASSERT_FALSE(checked.error().details.empty());
    EXPECT_EQ(checked.error().details[0].code, code);
    EXPECT_EQ(checked.error().details[0].pointer, "/password");
    if (password.size() >= 8)
      EXPECT_EQ(checked.error().message.text().find(password), std::string::npos);
  }
}

TEST(PasswordRules, LengthCountsCharactersNotBytes) {
  EXPECT_TRUE(check_password_rules(Secret("我的密码很长很长啊"), "li"));
  EXPECT_FALSE(check_password_rules(Secret("密码密码"), "li"));
  EXPECT_TRUE(check_password_rules(Secret("correct horse battery"), "li"));
}

}  // namespace
}  // namespace ty::auth
