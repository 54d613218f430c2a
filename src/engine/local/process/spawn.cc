#include "engine/local/process/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "engine/local/supervisor/launch_format.h"
#include "engine/messages.h"

namespace ty::engine {
namespace {

#if __has_feature(thread_sanitizer)
constexpr int kShareMemory = 0;  // it takes every clone for a fork and loses count
#else
constexpr int kShareMemory = CLONE_VM | CLONE_VFORK;
#endif

struct ChildPlan {
  const char* program;
  char* const* argv;
  int notify;
  int error = 0;  // written by the child, whose memory is ours until it execs
};

/// Shares our memory while we wait: nothing here may allocate, lock or return.
__attribute__((no_sanitize("address", "thread", "undefined"))) int child(void* raw) {
  auto* plan = static_cast<ChildPlan*>(raw);
  char* const no_environment[] = {nullptr};
  if (plan->notify == supervisor::kNotifyFd) {
    fcntl(plan->notify, F_SETFD, 0);
  } else if (plan->notify >= 0) {
    dup2(plan->notify, supervisor::kNotifyFd);
  } else {
    close(supervisor::kNotifyFd);
  }
  execve(plan->program, plan->argv, no_environment);
  plan->error = errno;
  _exit(127);
}

/// One stack per thread, kept: mapping one for each start would cost as much as the start.
class ChildStack {
 public:
  ChildStack()
      : base_(::mmap(nullptr,
                     kSize,
                     PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK,
                     -1,
                     0)) {}
  ~ChildStack() {
    if (base_ != MAP_FAILED) ::munmap(base_, kSize);
  }
  ChildStack(const ChildStack&) = delete;
  ChildStack& operator=(const ChildStack&) = delete;
  void* top() const { return base_ == MAP_FAILED ? nullptr : static_cast<char*>(base_) + kSize; }

 private:
  static constexpr std::size_t kSize = 64 * 1024;
  void* base_;
};

}  // namespace

Result<Spawned> spawn_supervisor(const std::string& program,
                                 const std::string& run_dir,
                                 bool own_pid_namespace,
                                 int notify) {
  static thread_local ChildStack stack;
  if (stack.top() == nullptr) return fail(Errc::Exhausted, say::supervisor_without_memory());
  std::string name = "supervisor";
  std::string folder = run_dir;
  char* const argv[] = {name.data(), folder.data(), nullptr};
  ChildPlan plan{.program = program.c_str(), .argv = argv, .notify = notify};

  // All signals stay blocked in the child until the supervisor reads them from a descriptor; our
  // own handlers cannot run in memory it shares with us.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  int flags = kShareMemory | CLONE_PIDFD | SIGCHLD;
  if (own_pid_namespace) flags |= CLONE_NEWPID;
  int pidfd = -1;
  Spawned spawned;
  spawned.pid = ::clone(child, stack.top(), flags, &plan, &pidfd);
  const int clone_error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);

  if (spawned.pid < 0) {
    return fail(Errc::Unavailable,
                say::supervisor_not_started({.why = std::strerror(clone_error)}));
  }
  spawned.pidfd = Fd(pidfd);
  if (plan.error != 0) {
    siginfo_t info;
    ::waitid(P_PIDFD, static_cast<id_t>(pidfd), &info, WEXITED);
    const std::string why = std::strerror(plan.error);
    return fail(Errc::Unavailable,
                plan.error == EACCES
                    ? say::supervisor_on_noexec({.program = program, .why = why})
                    : say::supervisor_not_executable({.program = program, .why = why}));
  }
  return spawned;
}

}  // namespace ty::engine
