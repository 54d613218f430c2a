#include "engine/local/mounts/tree.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "engine/local/mounts/safe_path.h"
#include "engine/test_support.h"

namespace ty::engine {
namespace {

namespace fs = std::filesystem;
using testing::read_text;
using testing::TempDir;
using testing::write_text;

class Trees : public ::testing::Test {
 protected:
  std::string at(const std::string& name) const { return dir_.path() + "/" + name; }
  static std::int64_t on_disk(const std::string& path) {
    struct stat info = {};
    ::stat(path.c_str(), &info);
    return info.st_blocks * 512;
  }
  TempDir dir_;
};

TEST_F(Trees, ACopyHasFilesRightsAndLinksAsTheyAre) {
  write_text(at("from/run.sh"), "echo hello\n");
  ::chmod(at("from/run.sh").c_str(), 0755);
  write_text(at("from/deep/er/data"), "data");
  write_text(at("secret"), "secret");
  fs::create_symlink("../secret", at("from/link"));
  fs::create_symlink(dir_.path(), at("from/folder"));
  ASSERT_EQ(::mkfifo(at("from/pipe").c_str(), 0644), 0);
  ASSERT_TRUE(copy_tree(at("from"), at("to")));
  EXPECT_EQ(read_text(at("to/run.sh")), "echo hello\n");
  EXPECT_EQ(fs::status(at("to/run.sh")).permissions(), fs::perms(0755));
  EXPECT_EQ(read_text(at("to/deep/er/data")), "data");
  EXPECT_EQ(fs::read_symlink(at("to/link")), "../secret");
  EXPECT_TRUE(fs::is_symlink(fs::symlink_status(at("to/folder"))));
  EXPECT_FALSE(fs::exists(at("to/pipe")));
}

TEST_F(Trees, HolesStayHoles) {
  fs::create_directories(at("from"));
  const int fd = ::open(at("from/sparse").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  ASSERT_EQ(::pwrite(fd, "x", 1, 10 << 20), 1);
  ASSERT_EQ(::ftruncate(fd, std::int64_t{1} << 38), 0);
  ::close(fd);
  ASSERT_TRUE(copy_tree(at("from"), at("to")));
  EXPECT_EQ(fs::file_size(at("to/sparse")), std::uintmax_t{1} << 38);
  EXPECT_LT(on_disk(at("to/sparse")), 1 << 20);
  const int copy = ::open(at("to/sparse").c_str(), O_RDONLY | O_CLOEXEC);
  char byte = 0;
  EXPECT_EQ(::pread(copy, &byte, 1, 10 << 20), 1);
  EXPECT_EQ(byte, 'x');
  ::close(copy);
}

TEST_F(Trees, AFileAloneIsCopiedAndALinkIsNotFollowed) {
  write_text(at("file"), "alone");
  ASSERT_TRUE(copy_tree(at("file"), at("to")));
  EXPECT_EQ(read_text(at("to")), "alone");
  fs::create_directories(at("real/inside"));
  fs::create_symlink(at("real"), at("link"));
  EXPECT_FALSE(copy_tree(at("link"), at("a")));
  EXPECT_FALSE(copy_tree(at("link/inside"), at("b")));
  EXPECT_FALSE(open_without_links(at("link/inside"), O_PATH));
  EXPECT_TRUE(open_without_links(at("real/inside"), O_PATH));
}

TEST_F(Trees, SizesStayInsideTheFolder) {
  write_text(at("from/a"), std::string(10'000, 'a'));
  write_text(at("from/deep/b"), std::string(20'000, 'b'));
  write_text(at("outside/c"), std::string(40'000, 'c'));
  fs::create_symlink(at("outside"), at("from/link"));
  const Fd folder = open_without_links(at("from"), O_PATH);
  const TreeSize size = size_of_tree(folder.get(), INT64_MAX);
  EXPECT_EQ(size.bytes, 30'000);
  EXPECT_GE(size.on_disk, 30'000);
  EXPECT_LT(size.on_disk, 70'000);
  EXPECT_GT(size_of_tree(folder.get(), 5'000).bytes, 5'000) << "more than enough";
}

TEST_F(Trees, FoldersAreMadeBelowTheRootOnly) {
  fs::create_directories(at("root"));
  fs::create_directories(at("outside"));
  EXPECT_TRUE(make_below(at("root"), at("root/a/b")));
  EXPECT_TRUE(fs::is_directory(at("root/a/b")));
  fs::create_symlink(at("outside"), at("root/link"));
  EXPECT_FALSE(make_below(at("root"), at("root/link/b")));
  EXPECT_FALSE(make_below(at("root"), at("root/../outside/b")));
  EXPECT_TRUE(fs::is_empty(at("outside")));
}

}  // namespace
}  // namespace ty::engine
