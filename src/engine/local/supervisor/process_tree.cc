#include "process_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string_view>

#include "text.h"

namespace ty::supervisor {
namespace {

/// Calls `visit` with every child of `parent`.
template <class Visit>
void each_child(pid_t parent, Visit visit) {
  Text<64> path;
  path.add("/proc/").add(parent).add("/task/").add(parent).add("/children");
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  char bytes[16384];
  const ssize_t n = read(fd, bytes, sizeof(bytes));
  close(fd);
  std::string_view rest(bytes, n > 0 ? static_cast<std::size_t>(n) : 0);
  while (!rest.empty()) {
    const std::size_t space = rest.find(' ');
    if (space == std::string_view::npos) break;
    std::int64_t pid = 0;
    if (read_number(rest.substr(0, space), pid) && pid > 1) visit(static_cast<pid_t>(pid));
    rest.remove_prefix(space + 1);
  }
}

}  // namespace

ProcessTree::ProcessTree(Sandbox sandbox, const Cgroup& cgroup)
    : cgroup_(cgroup), sandbox_(sandbox), owns_namespace_(getpid() == 1) {
  if (!owns_namespace_) prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

bool ProcessTree::ask_to_end() const {
  if (main_ <= 0 || is_main_gone_) return true;
  if (sandbox_ != Sandbox::Bubblewrap) {
    // Before it leads a group of its own, it is alone.
    if (kill(-main_, SIGTERM) != 0) kill(main_, SIGTERM);
    return true;
  }
  // bwrap itself would die of it and take the task along at once: main → its init → the command.
  bool is_told = false;
  each_child(main_, [&](pid_t init) {
    each_child(init, [&](pid_t command) {
      const pid_t group = getpgid(command);
      is_told |= kill(group == command ? -command : command, SIGTERM) == 0;
    });
  });
  return is_told;
}

bool ProcessTree::is_group_gone() const { return kill(-main_, 0) != 0 && errno == ESRCH; }

void ProcessTree::kill_everyone() const {
  if (owns_namespace_) {
    kill(-1, SIGKILL);
    return;
  }
  if (main_ > 0 && !is_main_gone_) kill(-main_, SIGKILL);
  cgroup_.kill_all();
  each_child(getpid(), [](pid_t child) { kill(child, SIGKILL); });
}

bool ProcessTree::reap() {
  int status = 0;
  while (true) {
    const pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid <= 0) break;
    if (pid == main_) {
      is_main_gone_ = true;
      status_ = status;
    }
  }
  return is_main_gone_;
}

bool ProcessTree::end() {
  for (int round = 0; round < 200; ++round) {
    kill_everyone();
    int status = 0;
    pid_t pid = 0;
    // Nearly always everybody is dead by the time we ask; only stragglers cost a pause.
    for (int wait = 0; wait < 10; ++wait) {
      while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (pid == main_) {
          is_main_gone_ = true;
          status_ = status;
        }
      }
      if (pid < 0 && errno == ECHILD) return true;
      usleep(wait == 0 ? 50 : 1000);
    }
  }
  return false;
}

}  // namespace ty::supervisor
