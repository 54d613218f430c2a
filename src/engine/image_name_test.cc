#include "engine/image_name.h"

#include <gtest/gtest.h>

namespace ty::engine {
namespace {

TEST(ImageName, PartsAreFound) {
  const auto name = parse_image_name("Registry.Example.org:5000/team/sub_dir/train-x:v1.2");
  ASSERT_TRUE(name) << name.error().message;
  EXPECT_EQ(name->registry, "registry.example.org:5000");
  EXPECT_EQ(name->path, "team/sub_dir/train-x");
  EXPECT_EQ(name->tag, "v1.2");
  EXPECT_EQ(parse_image_name("python")->registry, "docker.io");
  EXPECT_EQ(parse_image_name("index.docker.io/library/python")->registry, "docker.io");
  EXPECT_EQ(parse_image_name("localhost/x")->registry, "localhost");
  EXPECT_EQ(parse_image_name("[::1]:5000/x")->registry, "[::1]:5000");
  const std::string digest = "sha256:" + std::string(64, 'a');
  EXPECT_EQ(parse_image_name("team/train:1@" + digest)->digest, digest);
  EXPECT_TRUE(parse_image_name(digest));
}

TEST(ImageName, WhatIsNoNameIsRefused) {
  for (const char* text : {"",
                           "a?b",
                           "a#b",
                           "a/../b",
                           "../containers/json",
                           "a/./b",
                           "/a",
                           "a/",
                           "a//b",
                           "a b",
                           "a\nb",
                           "a%2Fb",
                           "a\\b",
                           "a:",
                           "a:b:c",
                           "a:b/c",
                           "a@b",
                           "a@sha256:12",
                           "UPPER",
                           "a-",
                           "-a",
                           "a.-b",
                           "evil.org:port/x",
                           "evil.org@corp.org/x",
                           "user:pass@corp.org/x",
                           "h\xC3\xA9/x"})
    EXPECT_FALSE(parse_image_name(text)) << text;
}

TEST(ImageName, ARegistryHasOneName) {
  for (const char* text : {"docker.io",
                           "https://index.docker.io/v1/",
                           "Index.Docker.IO",
                           "registry-1.docker.io",
                           "http://docker.io/"})
    EXPECT_EQ(registry_name(text), "docker.io") << text;
  EXPECT_EQ(registry_name("https://Corp.example:5000/"), "corp.example:5000");
  EXPECT_EQ(registry_name("index.docker.io.evil.org"), "index.docker.io.evil.org");
}

}  // namespace
}  // namespace ty::engine
