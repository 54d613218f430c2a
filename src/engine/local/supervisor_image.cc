#include "engine/local/supervisor_image.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <system_error>

#include "engine/messages.h"

// The path comes from CMake; the bytes become read-only data of this object.
__asm__(
    ".section .rodata.ty_supervisor,\"a\",@progbits\n"
    ".balign 16\n"
    ".global ty_supervisor_begin\n"
    "ty_supervisor_begin:\n"
    ".incbin \"" TY_SUPERVISOR_FILE
    "\"\n"
    ".global ty_supervisor_end\n"
    "ty_supervisor_end:\n"
    ".previous\n");
extern "C" {
extern const char ty_supervisor_begin[];
extern const char ty_supervisor_end[];
}

namespace ty::engine {
namespace {

/// FNV-1a: tells versions apart, protects against nothing.
std::uint64_t fingerprint(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3;
  return hash;
}

std::unexpected<Error> not_written(const std::string& path) {
  return fail(Errc::Unavailable,
              say::run_file_not_written({.path = path, .why = std::strerror(errno)}));
}

}  // namespace

std::string_view supervisor_image() {
  return {ty_supervisor_begin, static_cast<std::size_t>(ty_supervisor_end - ty_supervisor_begin)};
}

Result<std::string> unpack_supervisor(const std::string& dir) {
  const std::string_view image = supervisor_image();
  const std::string name = fmt::format("supervisor-{:016x}", fingerprint(image));
  const std::string path = dir + "/" + name;
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  struct stat info;
  const bool is_there = ::stat(path.c_str(), &info) == 0 &&
                        static_cast<std::size_t>(info.st_size) == image.size() &&
                        (info.st_mode & 0111) != 0;
  if (!is_there) {
    const std::string temp = fmt::format("{}.{}.new", path, ::getpid());
    const int fd = ::open(temp.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
    if (fd < 0) return not_written(temp);
    const bool is_written =
        ::write(fd, image.data(), image.size()) == static_cast<ssize_t>(image.size()) &&
        ::fchmod(fd, 0755) == 0 && ::fsync(fd) == 0;
    const int code = errno;
    ::close(fd);
    errno = code;
    if (!is_written || ::rename(temp.c_str(), path.c_str()) != 0) {
      auto failed = not_written(path);
      ::unlink(temp.c_str());
      return failed;
    }
  }
  for (const auto& entry : std::filesystem::directory_iterator(dir, error)) {
    const std::string other = entry.path().filename();
    if (other.starts_with("supervisor-") && other != name) ::unlink(entry.path().c_str());
  }
  return path;
}

}  // namespace ty::engine
