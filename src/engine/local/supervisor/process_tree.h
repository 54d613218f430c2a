#pragma once
#include <sys/types.h>

#include "cgroup.h"
#include "launch.h"

namespace ty::supervisor {

/// All processes that came from the task's command, however far they ran away. As first process of
/// a pid namespace (or a container) they are simply everybody else; otherwise the supervisor is
/// their subreaper, so that orphans come to it.
class ProcessTree {
 public:
  ProcessTree(Sandbox sandbox, const Cgroup& cgroup);

  void set_main(pid_t pid) { main_ = pid; }
  /// SIGTERM to the command and its process group. False: it is not there yet (bubblewrap prepares
  /// for a while after it runs itself); ask again.
  bool ask_to_end() const;
  /// SIGKILL until nobody is left, reaping them all. False when some process does not die (it
  /// hangs in the kernel) within two seconds: call again.
  bool end();

  /// Takes note of ended children. True once the command itself has ended.
  bool reap();
  bool is_main_gone() const { return is_main_gone_; }
  /// Whether nobody is left of those who were asked to end.
  bool is_group_gone() const;
  /// As waitpid() gave it.
  int main_status() const { return status_; }

 private:
  void kill_everyone() const;

  const Cgroup& cgroup_;
  Sandbox sandbox_;
  bool owns_namespace_;
  pid_t main_ = -1;
  bool is_main_gone_ = false;
  int status_ = 0;
};

}  // namespace ty::supervisor
