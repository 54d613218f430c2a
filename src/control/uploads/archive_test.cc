#include "control/uploads/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/ids.h"

namespace ty::control {
namespace {

namespace fs = std::filesystem;

/// A folder with an archive of plain files in it, which goes away again.
class ArchiveTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  void pack(const std::vector<std::pair<std::string, std::size_t>>& files) const {
    archive* out = archive_write_new();
    archive_write_set_format_pax_restricted(out);
    archive_write_open_filename(out, path().c_str());
    for (const auto& [name, size] : files) {
      archive_entry* entry = archive_entry_new();
      archive_entry_set_pathname(entry, name.c_str());
      archive_entry_set_filetype(entry, AE_IFREG);
      archive_entry_set_perm(entry, 04755);
      archive_entry_set_size(entry, static_cast<la_int64_t>(size));
      archive_write_header(out, entry);
      archive_write_data(out, std::string(size, 'x').data(), size);
      archive_entry_free(entry);
    }
    archive_write_free(out);
  }
  Result<Unpacked> unpack_with(const ArchiveLimits& limits) const {
    return unpack(path(), into(), limits);
  }
  std::string path() const { return folder_ / "code.tar"; }
  std::string into() const { return folder_ / "code"; }

 private:
  fs::path folder_ = fs::temp_directory_path() / ("ty-archive-" + random_hex(6));
};

TEST_F(ArchiveTest, UnpacksWithoutSetIdBits) {
  pack({{"a", 10}, {"b/c", 20}});
  const auto done = unpack_with({});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->files, 2);
  EXPECT_EQ(done->bytes, 30);
  EXPECT_EQ(fs::file_size(fs::path(into()) / "b/c"), 20u);
  EXPECT_EQ(fs::status(fs::path(into()) / "a").permissions() & fs::perms::set_uid, fs::perms::none);
}

TEST_F(ArchiveTest, TooManyFilesAreRefused) {
  pack({{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}});
  EXPECT_EQ(unpack_with({.files = 3}).error().code, Errc::Unprocessable);
  EXPECT_TRUE(unpack_with({.files = 4}));
}

TEST_F(ArchiveTest, TooManyBytesAreRefusedBeforeTheyAreWritten) {
  pack({{"a", 600}, {"b", 600}});
  EXPECT_EQ(unpack_with({.bytes = 1000}).error().code, Errc::Unprocessable);
  EXPECT_FALSE(fs::exists(fs::path(into()) / "b"));
  EXPECT_TRUE(unpack_with({.bytes = 1200}));
}

TEST_F(ArchiveTest, WhatCannotStandBesideEachOtherNamesItsEntry) {
  pack({{"file", 1}, {"file/below", 1}});
  const auto refused = unpack_with({});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::Unprocessable);
  const std::string text = refused.error().message.text();
  EXPECT_NE(text.find("file/below"), std::string::npos) << text;
  EXPECT_EQ(text.find(into()), std::string::npos) << "places of this machine are nobody's business";
}

}  // namespace
}  // namespace ty::control
