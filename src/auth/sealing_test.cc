#include "auth/sealing.h"

#include <gtest/gtest.h>

namespace ty::auth {
namespace {

TEST(Sealing, OnlyTheSameKeyOpensIt) {
  const Secret key = make_sealing_key(), other = make_sealing_key();
  ASSERT_TRUE(is_sealing_key(key));
  const std::string sealed = seal(key, Secret("hunter22"));
  EXPECT_EQ(sealed.find("hunter22"), std::string::npos);
  EXPECT_NE(sealed, seal(key, Secret("hunter22")));
  EXPECT_EQ(unseal(key, sealed)->reveal(), "hunter22");
  EXPECT_FALSE(unseal(other, sealed));
}

TEST(Sealing, WhatWasChangedDoesNotOpen) {
  const Secret key = make_sealing_key();
  std::string sealed = seal(key, Secret("x"));
  sealed[10] = sealed[10] == 'A' ? 'B' : 'A';
  EXPECT_FALSE(unseal(key, sealed));
  for (const char* text : {"", "@token", "abc", "****"}) EXPECT_FALSE(unseal(key, text)) << text;
}

TEST(Sealing, AnEmptySecretIsOneToo) {
  const Secret key = make_sealing_key();
  EXPECT_EQ(unseal(key, seal(key, Secret("")))->reveal(), "");
}

TEST(Sealing, AKeyIsRecognised) {
  EXPECT_FALSE(is_sealing_key(Secret("")));
  EXPECT_FALSE(is_sealing_key(Secret(std::string(64, 'x'))));
}

}  // namespace
}  // namespace ty::auth
