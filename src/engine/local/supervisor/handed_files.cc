#include "handed_files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

namespace ty::supervisor {
namespace {

constexpr int kFiles = 3;
constexpr int kRounds = 100;
constexpr useconds_t kPause = 100'000;
constexpr uid_t kNobody = 65534;

int connect_to(const char* path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
  for (int round = 0; round < kRounds; ++round) {
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) return fd;
    close(fd);
    usleep(kPause);
  }
  return -1;
}

}  // namespace

bool receive_files(const char* socket_path, HandedFiles& out) {
  const int fd = connect_to(socket_path);
  if (fd < 0) return false;
  char word = 0;
  iovec content = {&word, 1};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int) * kFiles)];
  msghdr message = {};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof(space);
  ssize_t n = 0;
  do {
    n = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
  } while (n < 0 && errno == EINTR);
  close(fd);
  const cmsghdr* head = n == 1 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (head == nullptr || head->cmsg_type != SCM_RIGHTS ||
      head->cmsg_len != CMSG_LEN(sizeof(int) * kFiles)) {
    return false;
  }
  int files[kFiles];
  std::memcpy(files, CMSG_DATA(head), sizeof(files));
  out = {files[0], files[1], files[2]};
  return true;
}

void keep_task_out() {
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  // The kernel takes two processes for the same user's only if all three ids are the same.
  [[maybe_unused]] const int done =
      setresuid(static_cast<uid_t>(-1), static_cast<uid_t>(-1), kNobody);
}

void become_task() {
  const uid_t own = geteuid();
  [[maybe_unused]] const int done = setresuid(own, own, own);
}

}  // namespace ty::supervisor
