#include "cli/pack.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

#include "base/text.h"
#include "cli/messages.h"

namespace ty::cli {

namespace fs = std::filesystem;

namespace {

class IgnoreList {
 public:
  explicit IgnoreList(const fs::path& folder) {
    std::ifstream file(folder / ".trainyardignore");
    for (std::string line; std::getline(file, line);) {
      const std::string_view pattern = trim(line);
      if (!pattern.empty() && pattern.front() != '#') patterns_.emplace_back(pattern);
    }
  }

  bool ignores(const std::string& relative, bool is_folder) const {
    const std::string name = fs::path(relative).filename();
    if (name == ".git") return true;
    return std::ranges::any_of(patterns_, [&](std::string pattern) {
      if (pattern.ends_with('/')) {
        if (!is_folder) return false;
        pattern.pop_back();
      }
      const bool anchored = pattern.find('/') != std::string::npos;
      if (pattern.starts_with('/')) pattern.erase(0, 1);
      return ::fnmatch(pattern.c_str(),
                       anchored ? relative.c_str() : name.c_str(),
                       anchored ? FNM_PATHNAME : 0) == 0;
    });
  }

 private:
  std::vector<std::string> patterns_;
};

std::vector<std::string> files_below(const fs::path& folder) {
  const IgnoreList ignored(folder);
  std::vector<std::string> found;
  for (auto at = fs::recursive_directory_iterator(folder); at != fs::recursive_directory_iterator();
       ++at) {
    const std::string relative = at->path().lexically_relative(folder);
    const bool is_folder = at->is_directory() && !at->is_symlink();
    if (ignored.ignores(relative, is_folder)) {
      if (is_folder) at.disable_recursion_pending();
    } else {
      found.push_back(relative);
    }
  }
  std::ranges::sort(found);
  return found;
}

struct Close {
  void operator()(archive* a) const { archive_write_free(a); }
};
struct FreeEntry {
  void operator()(archive_entry* e) const { archive_entry_free(e); }
};

std::unexpected<Error> not_packed(const std::string& path, archive* to) {
  return fail(Errc::Unavailable,
              say::code_not_packed({.path = path, .why = archive_error_string(to)}));
}

Result<std::int64_t> add_file(archive* to, const fs::path& path, const std::string& relative) {
  const std::unique_ptr<archive_entry, FreeEntry> entry(archive_entry_new());
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0)
    return fail(Errc::Invalid,
                say::input_unreadable({.path = path.string(), .why = std::strerror(errno)}));
  archive_entry_set_pathname(entry.get(), relative.c_str());
  archive_entry_set_perm(entry.get(), info.st_mode & 0777);
  if (S_ISLNK(info.st_mode)) {
    archive_entry_set_filetype(entry.get(), AE_IFLNK);
    archive_entry_set_symlink(entry.get(), fs::read_symlink(path).c_str());
  } else if (S_ISDIR(info.st_mode)) {
    archive_entry_set_filetype(entry.get(), AE_IFDIR);
  } else if (S_ISREG(info.st_mode)) {
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_size(entry.get(), info.st_size);
  } else {
    return 0;  // sockets, pipes and devices mean nothing on another machine
  }
  if (archive_write_header(to, entry.get()) < ARCHIVE_WARN) {
    return not_packed(relative, to);
  }
  if (!S_ISREG(info.st_mode)) return 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(Errc::Invalid, say::code_file_unreadable({.path = path.string()}));
  std::vector<char> buffer(1 << 18);
  std::int64_t bytes = 0;
  while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())), file.gcount() > 0) {
    if (archive_write_data(to, buffer.data(), static_cast<std::size_t>(file.gcount())) < 0) {
      return not_packed(relative, to);
    }
    bytes += file.gcount();
  }
  return bytes;
}

}  // namespace

Result<Packed> pack_folder(const std::string& folder) {
  std::error_code ec;
  if (!fs::is_directory(folder, ec))
    return fail(Errc::Invalid, say::code_not_a_folder({.path = folder}));
  std::string name = (fs::temp_directory_path() / "trainyard-code-XXXXXX").string();
  const int fd = ::mkstemp(name.data());
  if (fd < 0)
    return fail(Errc::Unavailable,
                within(say::output_unwritable({.path = name}), plain(std::strerror(errno))));
  Packed packed{.file = name};
  const std::unique_ptr<archive, Close> to(archive_write_new());
  archive_write_set_format_pax_restricted(to.get());
  archive_write_add_filter_zstd(to.get());
  archive_write_open_fd(to.get(), fd);
  Result<void> good;
  try {
    for (const std::string& relative : files_below(folder)) {
      Result<std::int64_t> bytes = add_file(to.get(), fs::path(folder) / relative, relative);
      if (!bytes) {
        good = std::unexpected(std::move(bytes).error());
        break;
      }
      packed.bytes += *bytes;
      ++packed.files;
    }
  } catch (const fs::filesystem_error& e) {
    good = fail(Errc::Invalid, say::input_unreadable({.path = folder, .why = e.code().message()}));
  }
  if (good && archive_write_close(to.get()) != ARCHIVE_OK) {
    good = not_packed(folder, to.get());
  }
  ::close(fd);
  if (good) return packed;
  ::unlink(name.c_str());
  return std::unexpected(std::move(good).error());
}

}  // namespace ty::cli
