#include "control/uploads/uploads.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/ids.h"
#include "control/messages.h"
#include "control/uploads/archive.h"
#include "control/uploads/sha256.h"

namespace ty::control {

namespace fs = std::filesystem;

namespace {

constexpr char kIncoming[] = "incoming-";
constexpr char kUnpacking[] = "unpacking-";
constexpr char kRemoved[] = "removed-";

bool is_sha256(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_older(const fs::path& path, Time than) {
  std::error_code ec;
  const auto changed = fs::last_write_time(path, ec);
  return !ec && std::chrono::file_clock::to_sys(changed) < than;
}

}  // namespace

Result<std::string> Uploads::new_file() const {
  const std::string path = fmt::format("{}/{}{}", root_, kIncoming, random_hex(8));
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0)
    return fail(disk_errc(errno),
                say::server_file_not_written({.path = path, .why = std::strerror(errno)}));
  ::close(fd);
  return path;
}

Result<std::string> Uploads::keep(const std::string& file) const {
  auto sha = sha256_of_file(file);
  if (!sha) return sha;
  const std::string archive = root_ + "/" + *sha;
  const std::string folder = archive + ".d";
  std::error_code ec;
  const auto take = [&] {
    // The archive's time says when it was last sent.
    const std::lock_guard lock(mutex_);
    if (!fs::exists(folder, ec)) return false;
    fs::rename(file, archive, ec);
    if (ec) discard(file);
    return true;
  };
  if (!take()) {
    // Unpacked under another name first: a folder that has its final name is whole.
    const std::string temp = fmt::format("{}/{}{}", root_, kUnpacking, random_hex(8));
    if (auto unpacked = unpack(file, temp, {}); !unpacked) {
      fs::remove_all(temp, ec);
      discard(file);
      return std::unexpected(std::move(unpacked).error());
    }
    fs::rename(temp, folder, ec);
    if (ec)
      fs::remove_all(temp, ec);  // the same code arrived twice at once; the other one is as good
    if (!take()) return fail(Errc::Unavailable, say::upload_folder_not_made({.path = folder}));
  }
  return "upload:" + *sha;
}

std::vector<std::string> Uploads::idle_since(Time before) const {
  std::vector<std::string> idle;
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator(root_, ec)) {
    const std::string name = entry.path().filename();
    if (!is_older(entry.path(), before)) continue;
    if (is_sha256(name)) idle.push_back(name);
    if (name.starts_with(kIncoming) || name.starts_with(kUnpacking) || name.starts_with(kRemoved))
      fs::remove_all(entry.path(), ec);
  }
  return idle;
}

void Uploads::remove(const std::string& sha256, Time before) const {
  const std::string archive = root_ + "/" + sha256;
  const std::string aside = fmt::format("{}/{}{}", root_, kRemoved, random_hex(8));
  std::error_code ec;
  {
    const std::lock_guard lock(mutex_);
    if (!is_older(archive, before)) return;
    // The folder first: code without its archive is taken for code that was never sent.
    fs::rename(archive + ".d", aside, ec);
    fs::remove(archive, ec);
  }
  fs::remove_all(aside, ec);
}

void Uploads::discard(const std::string& file) const {
  std::error_code ec;
  fs::remove(file, ec);
}

Result<std::string> Uploads::folder(std::string_view sha256) const {
  const std::string path = fmt::format("{}/{}.d", root_, sha256);
  std::error_code ec;
  if (!is_sha256(sha256) || !fs::is_directory(path, ec)) {
    return fail(Errc::NotFound, say::upload_gone({.sha256 = sha256}));
  }
  return path;
}

}  // namespace ty::control
