#include "control/uploads.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/ids.h"
#include "control/archive.h"
#include "control/sha256.h"

namespace ty::control {

namespace fs = std::filesystem;

Result<std::string> Uploads::new_file() const {
  const std::string path = fmt::format("{}/incoming-{}", root_, random_hex(8));
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0)
    return fail(Errc::Exhausted, fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  ::close(fd);
  return path;
}

Result<std::string> Uploads::keep(const std::string& file) const {
  auto sha = sha256_of_file(file);
  if (!sha) return sha;
  const std::string archive = root_ + "/" + *sha;
  const std::string folder = archive + ".d";
  std::error_code ec;
  if (!fs::exists(folder, ec)) {
    // Unpacked under another name first: a folder that has its final name is whole.
    const std::string temp = fmt::format("{}/unpacking-{}", root_, random_hex(8));
    if (auto unpacked = unpack(file, temp, {}); !unpacked) {
      fs::remove_all(temp, ec);
      discard(file);
      return std::unexpected(std::move(unpacked).error());
    }
    fs::rename(temp, folder, ec);
    if (ec)
      fs::remove_all(temp, ec);  // the same code arrived twice at once; the other one is as good
  }
  fs::rename(file, archive, ec);
  if (ec) discard(file);
  return "upload:" + *sha;
}

void Uploads::discard(const std::string& file) const {
  std::error_code ec;
  fs::remove(file, ec);
}

Result<std::string> Uploads::folder(std::string_view source) const {
  source.remove_prefix(std::min(source.size(), std::string_view("upload:").size()));
  const bool plain =
      source.size() == 64 && source.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  const std::string path = fmt::format("{}/{}.d", root_, source);
  std::error_code ec;
  if (!plain || !fs::is_directory(path, ec)) {
    return fail(
        Errc::NotFound,
        fmt::format("the uploaded code {} is gone; submit the job with its code again", source));
  }
  return path;
}

}  // namespace ty::control
