#include "engine/local/paths.h"

#include <gtest/gtest.h>

namespace ty::engine {
namespace {

TEST(Paths, WhatBelongsToADataDirectoryIsFoundByEveryBuild) {
  EXPECT_EQ(owner_mark("/var/lib/trainyard"), "5cc6d942");
}

}  // namespace
}  // namespace ty::engine
