#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string_view>

#include "clone.h"
#include "handed_files.h"
#include "sandbox.h"

namespace ty::supervisor {
namespace {

constexpr int kPipeSize = 1 << 20;

alignas(16) char child_stack[64 * 1024];

std::string_view variable(const Launch& launch, std::string_view name) {
  for (const char* entry : launch.env) {
    if (entry == nullptr) break;
    const std::string_view text(entry);
    if (text.size() > name.size() && text[name.size()] == '=' &&
        text.substr(0, name.size()) == name) {
      return text.substr(name.size() + 1);
    }
  }
  return {};
}

bool is_program(const char* path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

/// Where the task's own PATH finds the program.
bool find_program(const Launch& launch, const char* name, Path& out, Failure& failure) {
  const std::string_view word(name);
  if (word.find('/') != std::string_view::npos) {
    out = {};
    out.add(word);
    if (is_program(out.c_str())) return true;
    if (access(name, F_OK) == 0) {
      failure.set(kCommandNotFound, word, "is not a program that may be executed", 0);
      return false;
    }
    return failure.set(kCommandNotFound, "there is no program", word, 0);
  }
  std::string_view folders = variable(launch, "PATH");
  while (!word.empty() && !folders.empty()) {
    const std::size_t colon = folders.find(':');
    out = {};
    out.add(colon == 0 ? "." : folders.substr(0, colon)).add("/").add(word);
    if (is_program(out.c_str())) return true;
    folders = colon == std::string_view::npos ? std::string_view{} : folders.substr(colon + 1);
  }
  Text<300> what;
  what.add("no program is called \"").add(word).add("\" in PATH");
  return failure.set(kCommandNotFound, what.view(), {}, 0);
}

/// Any user may make itself a better victim; the task must be one before the server is.
void prefer_as_oom_victim() {
  const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  [[maybe_unused]] const ssize_t n = write(fd, "500", 3);
  close(fd);
}

/// The life of the task's process until its command takes over; returns only when that fails.
void become_command(const Launch& launch, const Cgroup& cgroup, int output, Failure& failure) {
  setsid();
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  cgroup.enter();
  prefer_as_oom_victim();
  if (launch.data_limit > 0 && !cgroup.limits_memory()) {
    const rlimit limit = {static_cast<rlim_t>(launch.data_limit),
                          static_cast<rlim_t>(launch.data_limit)};
    setrlimit(RLIMIT_DATA, &limit);
  }
  if (launch.sandbox == Sandbox::Container) become_task();
  if (!enter_sandbox(launch, failure)) return;
  if (launch.sandbox != Sandbox::Bubblewrap && !drop_privileges(launch, failure)) return;
  // After the change of user, which would undo it.
  if (launch.sandbox == Sandbox::None) prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (launch.workdir != nullptr && chdir(launch.workdir) != 0) {
    failure.set(kBadSpec, "cannot change to the working directory", launch.workdir);
    return;
  }
  auto& first = const_cast<List<char*>&>(launch.args);
  auto& second = const_cast<List<char*>&>(launch.else_args);
  char* const* words = first.data();
  Path path;
  if (!find_program(launch, words[0], path, failure)) {
    words = second.data();
    if (words == nullptr || !find_program(launch, words[0], path, failure)) {
      if (launch.shell != 0 && launch.sandbox == Sandbox::Container) {
        failure.set(kCommandNotFound,
                    second.size() > 0 ? "the image has neither bash nor /bin/sh"
                                      : "the image lacks the shell",
                    second.size() > 0 ? "to run a script with; write run: [program, argument]"
                                      : first.data()[0],
                    0);
      }
      return;
    }
  }

  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execve(path.c_str(), words, const_cast<List<char*>&>(launch.env).data());
  if (errno == ENOEXEC) {
    failure.set(
        kCommandNotFound, path.view(), "is neither a binary of this machine nor starts with #!", 0);
  } else if (errno == ENOENT) {
    failure.set(kCommandNotFound, "the interpreter is missing that is named in", path.view(), 0);
  } else {
    failure.set(errno == E2BIG ? kBadSpec : kStartFailed, "cannot execute", path.view());
  }
}

struct Child {
  const Launch& launch;
  const Cgroup& cgroup;
  Failure& failure;
  int output;
  bool has_failed = false;
};

}  // namespace

bool start_command(const Launch& launch, const Cgroup& cgroup, Command& command, Failure& failure) {
  int output[2];
  if (pipe2(output, O_CLOEXEC) != 0) return failure.set(kStartFailed, "cannot make a pipe");
  // Fewer, larger reads; where the kernel refuses, the default size does as well.
  fcntl(output[0], F_SETPIPE_SZ, kPipeSize);
  fcntl(output[0], F_SETFL, O_NONBLOCK);

  Child child{.launch = launch, .cgroup = cgroup, .failure = failure, .output = output[1]};
  clone_args args = {};
  args.flags = sandbox_flags(launch);
  args.exit_signal = SIGCHLD;
  if (cgroup.clone_fd() >= 0) {
    args.flags |= CLONE_INTO_CGROUP;
    args.cgroup = static_cast<std::uint64_t>(cgroup.clone_fd());
  }
  const auto body = [](void* context) {
    auto& self = *static_cast<Child*>(context);
    become_command(self.launch, self.cgroup, self.output, self.failure);
    self.has_failed = true;
    _exit(127);
  };
  pid_t pid = clone_and_wait(args, child_stack, sizeof(child_stack), body, &child);
  // The system call filter of containers does not know clone3 and says that it does not exist; what
  // it gives more than clone is not needed there.
  if (pid == -ENOSYS && cgroup.clone_fd() < 0) {
    const auto run = [](void* context) {
      auto& self = *static_cast<Child*>(context);
      become_command(self.launch, self.cgroup, self.output, self.failure);
      self.has_failed = true;
      _exit(127);
      return 0;
    };
    const int flags = static_cast<int>(sandbox_flags(launch)) | CLONE_VM | CLONE_VFORK | SIGCHLD;
    pid = clone(run, child_stack + sizeof(child_stack), flags, &child);
    if (pid < 0) pid = -errno;
  }
  close(output[1]);
  command.output = output[0];
  if (pid < 0) return failure.set(kStartFailed, "cannot make a process", {}, -pid);
  command.pid = pid;
  return !child.has_failed;
}

}  // namespace ty::supervisor
