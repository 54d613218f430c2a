#include "control/storages/mount_sources.h"

#include <gtest/gtest.h>

namespace ty::control {
namespace {

namespace source = engine::source;
using model::MountKind;
using model::MountMode;

Result<engine::Mount> made(std::string text, MountKind kind = MountKind::Data) {
  model::Mount mount;
  mount.kind = kind;
  mount.source = std::move(text);
  mount.target = "/at";
  return mount_of(mount, {}, WorkspaceId{7});
}

template <class Source>
Source source_of(const std::string& text, MountKind kind = MountKind::Data) {
  const auto mount = made(text, kind);
  EXPECT_TRUE(mount) << text;
  const Source* found = mount ? std::get_if<Source>(&mount->source) : nullptr;
  EXPECT_NE(found, nullptr) << text;
  return found == nullptr ? Source{} : *found;
}

TEST(MountSources, EachKindOfSourceIsNamedWithoutAPathOfThisMachine) {
  EXPECT_EQ(source_of<source::Upload>("upload:ab12").sha256, "ab12");
  EXPECT_EQ(source_of<source::Storage>("storage:team/data").path, "/team/data");
  EXPECT_EQ(source_of<source::Storage>("hdfs://h:9000/data").path, "/data");
  EXPECT_EQ(source_of<source::HostFolder>("host:/data").path, "/data");
  EXPECT_EQ(source_of<source::Volume>("volume:v").name, "v");
  EXPECT_EQ(source_of<source::Volume>("volume:v").workspace, WorkspaceId{7});
  source_of<source::Scratch>("scratch:");
  source_of<source::Scratch>("memory:");
  source_of<source::JobOutput>("", MountKind::Output);
  source_of<source::JobOutput>("scratch:", MountKind::Output);
}

TEST(MountSources, CodeIsCopiedUnlessItIsOnlyRead) {
  EXPECT_TRUE(made("upload:ab")->private_copy);
  model::Mount mount;
  mount.source = "upload:ab";
  mount.read_only = true;
  EXPECT_FALSE(mount_of(mount, {}, {})->private_copy);
}

TEST(MountSources, ABucketIsReadFromOrWrittenTo) {
  model::JobSpec spec;
  spec.links["data_stores.auth_url"] = "http://s3.example";
  model::Mount mount;
  mount.kind = MountKind::Data;
  mount.source = "s3://bucket/in";
  auto data = mount_of(mount, spec, {});
  ASSERT_TRUE(data);
  EXPECT_EQ(object_folder(*data)->path, "bucket/in");
  EXPECT_FALSE(data->save_to);
  set_secret_key(*data, Secret("k"));
  EXPECT_EQ(object_folder(*data)->secret_key.reveal(), "k");

  mount.kind = MountKind::Output;
  auto results = mount_of(mount, spec, {});
  ASSERT_TRUE(results);
  EXPECT_TRUE(std::holds_alternative<source::JobOutput>(results->source));
  set_secret_key(*results, Secret("k"));
  EXPECT_EQ(results->save_to->secret_key.reveal(), "k");
}

TEST(MountSources, WhatNobodyServesIsRefusedWithWhatToWriteInstead) {
  for (const char* text : {"dataset:7", "nfs://server/x", ""}) {
    const auto refused = made(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().code, Errc::Invalid);
  }
  EXPECT_EQ(made("dataset:7").error().message.code, "no_assets_yet");
}

}  // namespace
}  // namespace ty::control
