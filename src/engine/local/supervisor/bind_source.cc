#include "bind_source.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ty::supervisor {

int open_bind(const char* path) {
  open_how how = {};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  const int fd = static_cast<int>(syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how)));
  if (fd < 0) return -1;
  constexpr unsigned kFlags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC;
  const int tree =
      static_cast<int>(syscall(SYS_open_tree, fd, "", kFlags | AT_RECURSIVE | AT_EMPTY_PATH));
  const int error = errno;
  close(fd);
  errno = error;
  return tree;
}

}  // namespace ty::supervisor
