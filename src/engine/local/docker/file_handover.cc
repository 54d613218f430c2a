#include "engine/local/docker/file_handover.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "engine/local/supervisor/launch_format.h"
#include "engine/messages.h"

namespace ty::engine::docker {
namespace {

constexpr int kLookEveryMs = 500;
constexpr int kRounds = 60;  // 30 s: a machine under load starts a container slowly

const char* socket_name() { return std::strrchr(supervisor::kContainerSocket, '/') + 1; }

bool send_files(int to, const std::array<int, 3>& files) {
  char word = 'f';
  iovec content = {&word, 1};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(files))] = {};
  msghdr message = {};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof(space);
  cmsghdr* const head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(files));
  std::memcpy(CMSG_DATA(head), files.data(), sizeof(files));
  return ::sendmsg(to, &message, MSG_NOSIGNAL) == 1;
}

}  // namespace

Result<FileHandover> FileHandover::open(const std::string& control_folder) {
  Fd folder(::open(control_folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  Fd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  // Names of sockets are short, names of folders are not.
  const std::string path = fmt::format("/proc/self/fd/{}/{}", folder.get(), socket_name());
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  ::unlinkat(folder.get(), socket_name(), 0);
  // Root in the container need not be root out here.
  if (!folder || !listener ||
      ::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0 ||
      ::chmod(path.c_str(), 0666) != 0 || ::listen(listener.get(), 1) != 0) {
    return fail(disk_errc(errno),
                say::run_file_not_written(
                    {.path = control_folder + "/" + socket_name(), .why = std::strerror(errno)}));
  }
  return FileHandover(std::move(folder), std::move(listener));
}

FileHandover::~FileHandover() {
  if (folder_) ::unlinkat(folder_.get(), socket_name(), 0);
}

bool FileHandover::give(const Files& files, const std::function<bool()>& is_hopeless) const {
  for (int round = 0; round < kRounds; ++round) {
    pollfd ready = {listener_.get(), POLLIN, 0};
    if (::poll(&ready, 1, kLookEveryMs) > 0) {
      const Fd caller(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      // Else it was of an earlier container of this task, which is gone by now.
      if (caller &&
          send_files(caller.get(), {files.journal.get(), files.log.get(), files.index.get()})) {
        return true;
      }
    }
    if (is_hopeless()) return false;
  }
  return false;
}

}  // namespace ty::engine::docker
