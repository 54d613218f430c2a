#include "engine/local/process/setup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/text.h"

namespace ty::engine {

bool make_device_folder(const std::string& dir) {
  struct Device {
    const char* name;
    unsigned minor;
    unsigned major;
  };
  constexpr Device kDevices[] = {{"null", 3, 1},
                                 {"zero", 5, 1},
                                 {"full", 7, 1},
                                 {"random", 8, 1},
                                 {"urandom", 9, 1},
                                 {"tty", 0, 5}};
  struct Link {
    const char* name;
    const char* target;
  };
  constexpr Link kLinks[] = {{"ptmx", "pts/ptmx"},
                             {"fd", "/proc/self/fd"},
                             {"stdin", "/proc/self/fd/0"},
                             {"stdout", "/proc/self/fd/1"},
                             {"stderr", "/proc/self/fd/2"}};
  ::mkdir(dir.c_str(), 0755);
  for (const char* folder : {"/pts", "/shm"}) {
    if (::mkdir((dir + folder).c_str(), 0755) != 0 && errno != EEXIST) return false;
  }
  for (const Device& device : kDevices) {
    const std::string path = dir + "/" + device.name;
    if (::mknod(path.c_str(), S_IFCHR | 0666, ::makedev(device.major, device.minor)) != 0 &&
        errno != EEXIST) {
      return false;
    }
    ::chmod(path.c_str(), 0666);
  }
  for (const Link& link : kLinks) {
    if (::symlink(link.target, (dir + "/" + link.name).c_str()) != 0 && errno != EEXIST)
      return false;
  }
  // Places where the devices of a task's own GPUs are mounted.
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/dev", error)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("nvidia") || !entry.is_character_file(error)) continue;
    const int fd = ::open((dir + "/" + name).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0) ::close(fd);
  }
  // On a file system mounted nodev they exist and cannot be opened.
  const int fd = ::open((dir + "/null").c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return false;
  ::close(fd);
  return true;
}

std::string find_program(std::string_view name, std::string_view path) {
  const auto is_program = [](const std::string& file) {
    struct stat info;
    return ::stat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
           ::access(file.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string_view::npos)
    return is_program(std::string(name)) ? std::string(name) : "";
  for (const std::string& folder : split(path, ':')) {
    std::string file = (folder.empty() ? "." : folder) + "/" + std::string(name);
    if (is_program(file)) return file;
  }
  return {};
}

}  // namespace ty::engine
