#include "telemetry/impl/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "telemetry/messages.h"

namespace ty::telemetry {

namespace {
template <class Call>
auto retry(Call call) {
  decltype(call()) result;
  do result = call();
  while (result < 0 && errno == EINTR);
  return result;
}
std::unexpected<Error> failed(std::string_view doing, std::string_view path) {
  return std::unexpected(file_error(doing, path));
}
}  // namespace

Error file_error(std::string_view doing, std::string_view path) {
  const int number = errno;
  Errc code = disk_errc(number);
  if (number == ENOENT || number == ENOTDIR) code = Errc::NotFound;
  if (number == EMFILE || number == ENFILE) code = Errc::Exhausted;
  if (number == EACCES || number == EPERM || number == EROFS) code = Errc::Forbidden;
  return Error{code,
               say::file_failed(
                   {.doing = doing, .path = path, .why = std::system_category().message(number)}),
               {}};
}

Result<Fd> open_file(const std::string& path, int flags, int mode) {
  const int fd = retry([&] { return ::open(path.c_str(), flags | O_CLOEXEC, mode); });
  if (fd < 0) return failed("opening", path);
  return Fd(fd);
}

Result<std::uint64_t> file_size(int fd, std::string_view path) {
  struct stat info{};
  if (::fstat(fd, &info) != 0) return failed("looking at", path);
  return static_cast<std::uint64_t>(info.st_size);
}

Result<std::size_t> read_file_at(int fd,
                                 std::uint64_t offset,
                                 std::span<char> buffer,
                                 std::string_view path) {
  std::size_t done = 0;
  while (done < buffer.size()) {
    const ssize_t n = retry([&] {
      return ::pread(
          fd, buffer.data() + done, buffer.size() - done, static_cast<off_t>(offset + done));
    });
    if (n < 0) return failed("reading", path);
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

Result<void> write_all(int fd, std::string_view bytes, std::string_view path) {
  while (!bytes.empty()) {
    const ssize_t n = retry([&] { return ::write(fd, bytes.data(), bytes.size()); });
    if (n < 0) return failed("writing", path);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Result<void> sync_file(int fd, std::string_view path) {
  if (retry([&] { return ::fsync(fd); }) != 0) return failed("syncing", path);
  return {};
}

Result<void> sync_folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  TY_TRY(const Fd fd, open_file(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY));
  return sync_file(fd.get(), folder);
}

Result<void> rename_file(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) return failed("renaming", from);
  return {};
}

Result<void> remove_file(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return failed("removing", path);
  return {};
}

Result<void> make_folders(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) return {};
  errno = error.value();
  return failed("making folder", folder);
}

}  // namespace ty::telemetry
