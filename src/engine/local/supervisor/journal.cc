#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "launch_format.h"
#include "text.h"

namespace ty::supervisor {

Journal::Taken Journal::take(const char* run_dir) {
  Path path;
  path.add(run_dir).add(kJournalSuffix);
  return take(open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
}

Journal::Taken Journal::take(int fd) {
  fd_ = fd;
  if (fd_ < 0) return Taken::Unusable;
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_len = 1;
  if (fcntl(fd_, F_SETLK, &lock) != 0) {
    return errno == EAGAIN || errno == EACCES ? Taken::Theirs : Taken::Unusable;
  }
  struct stat info;
  if (fstat(fd_, &info) != 0) return Taken::Unusable;
  if (info.st_size > 0) return Taken::Theirs;

  Text<64> line;
  line.add("began ").add(now_ms()).add("\n");
  const auto size = static_cast<ssize_t>(line.view().size());
  return write(fd_, line.c_str(), line.view().size()) == size ? Taken::Ours : Taken::Unusable;
}

void Journal::append(std::string_view line) const {
  [[maybe_unused]] const ssize_t n = write(fd_, line.data(), line.size());
}

void Journal::append_for_sure(std::string_view line) const {
  // A journal is far smaller than a disk block, and `began` owns one, so this waits only on file
  // systems that account by the byte. A torn try is cut off before the next.
  struct stat before;
  const bool known = fstat(fd_, &before) == 0;
  while (write(fd_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    if (known && ftruncate(fd_, before.st_size) != 0) return;
    usleep(200'000);
  }
}

}  // namespace ty::supervisor
