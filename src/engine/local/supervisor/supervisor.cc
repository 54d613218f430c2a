#include "supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string_view>

#include "clock.h"
#include "handed_files.h"
#include "launch_format.h"
#include "mount_check.h"
#include "text.h"
#include "user.h"

namespace ty::supervisor {
namespace {

/// Nothing of the starter's stays: terminal, session, descriptors, working directory.
int detach() {
  setsid();
  if (chdir("/") != 0) _exit(kExitUnusable);
  umask(022);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int fd : {0, 1, 2}) {
    if (null != fd) dup2(null, fd);
  }
  if (null > 2 && null != kNotifyFd) close(null);
  close_range(kNotifyFd + 1, ~0U, 0);
  struct stat info;
  if (fstat(kNotifyFd, &info) != 0 || !S_ISFIFO(info.st_mode)) {
    close(kNotifyFd);
    return -1;
  }
  fcntl(kNotifyFd, F_SETFD, FD_CLOEXEC);
  return kNotifyFd;
}

/// Everything blocked: what matters is read from the descriptor, the rest must not end us. What the
/// starter ignores, the task must not inherit: without SIGPIPE `yes | head` never ends.
int catch_signals() {
  for (int signal = 1; signal < 32; ++signal) ::signal(signal, SIG_DFL);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  sigset_t wanted;
  sigemptyset(&wanted);
  for (const int signal : {SIGCHLD, SIGTERM, SIGHUP}) sigaddset(&wanted, signal);
  return signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
}

constexpr std::int64_t kRetryMs = 100;
constexpr int kLogPatience = 30;                 // retries
constexpr std::int64_t kLongestPollMs = 60'000;  // the wall clock may be set meanwhile

}  // namespace

int Supervisor::run() {
  notify_ = detach();
  signals_ = catch_signals();
  const bool is_contained = std::string_view(run_dir_) == kContainerRun;
  HandedFiles files;
  if (is_contained) {
    keep_task_out();
    if (!receive_files(kContainerSocket, files)) return kExitUnusable;
  }
  switch (is_contained ? journal_.take(files.journal) : journal_.take(run_dir_)) {
    case Journal::Taken::Ours:
      break;
    case Journal::Taken::Theirs:
      return kExitTaken;
    case Journal::Taken::Unusable:
      return kExitUnusable;
  }
  Path launch_path;
  launch_path.add(run_dir_).add(kLaunchSuffix);
  if (const char* fault = read_launch(launch_path.c_str(), launch_)) {
    failure_.set(kStartFailed, "the launch file is unusable:", fault, 0);
    return give_up(failure_);
  }
  log_.set_limit(launch_.log_limit);
  if (is_contained) {
    log_.open(files.log, files.index);
  } else if (const char* fault = log_.open(launch_.log)) {
    failure_.set(kStartFailed, fault, launch_.log);
    return give_up(failure_);
  }
  deadline_ = launch_.deadline;
  read_deadline();
  const auto warn = [](void* context, const char* text) {
    Text<600> line;
    line.add("warning ").add_line_of(text).add("\n");
    static_cast<Journal*>(context)->append(line.view());
  };
  for (const char* text : launch_.warnings) warn(&journal_, text);
  if (launch_.sandbox == Sandbox::Container) {
    if (!check_mounts(launch_, failure_)) return give_up(failure_);
    if (!resolve_user(launch_, failure_)) return give_up(failure_);
    cgroup_.find_own();
  } else {
    cgroup_.create(launch_, warn, &journal_);
  }
  ProcessTree tree(launch_.sandbox, cgroup_);
  tree_ = &tree;
  if (!start_command(launch_, cgroup_, command_, failure_)) {
    tree.end();
    cgroup_.remove();
    return give_up(failure_);
  }
  tree.set_main(command_.pid);
  announce_running();
  // A stop that came before we could hear of it.
  read_stop();
  watch();
  return finish();
}

int Supervisor::give_up(const Failure& failure) {
  Text<1100> line;
  line.add("failed at=").add(now_ms()).add(" reason=").add(failure.reason.view()).add(" ");
  line.add_line_of(failure.text.view()).add("\n");
  journal_.append_for_sure(line.view());
  tell_server(-launch_.ticket);
  return kExitDone;
}

void Supervisor::announce_running() {
  Text<64> line;
  line.add("running ").add(now_ms()).add("\n");
  journal_.append(line.view());
  tell_server(launch_.ticket);
}

/// The ticket: it runs; its negative: it is over. Only a hint to look at the journal now. Atomic,
/// because small; a server that is gone or slow learns it by itself.
void Supervisor::tell_server(std::int64_t word) const {
  if (notify_ < 0) return;
  [[maybe_unused]] const ssize_t n = write(notify_, &word, sizeof(word));
}

void Supervisor::read_signals() {
  signalfd_siginfo info;
  while (read(signals_, &info, sizeof(info)) == sizeof(info)) {
    if (info.ssi_signo == SIGCHLD) tree_->reap();
    if (info.ssi_signo == SIGHUP) {
      read_deadline();
      read_stop();
    }
    // As first process of a namespace we see senders outside of it as 0: only they may ask.
    const bool is_own_task = getpid() == 1 && info.ssi_pid != 0;
    if (info.ssi_signo == SIGTERM && !is_own_task && !tree_->is_main_gone()) {
      // In a container the server asks by file and SIGHUP: this one is `docker stop`, or Docker's
      // own end.
      if (launch_.sandbox == Sandbox::Container) {
        is_stopped_outside_ = true;
      } else {
        is_stop_asked_ = true;
      }
      const bool has_grace = info.ssi_code == SI_QUEUE && info.ssi_int >= 0;
      begin_stop(now_ms(), has_grace ? info.ssi_int : launch_.grace);
    }
  }
}

bool Supervisor::read_number_file(const char* suffix, std::int64_t& out) const {
  Path path;
  path.add(run_dir_).add(suffix);
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  char bytes[32];
  const ssize_t n = read(fd, bytes, sizeof(bytes));
  close(fd);
  return n > 0 && read_number({bytes, static_cast<std::size_t>(n)}, out);
}

void Supervisor::read_deadline() { read_number_file(kDeadlineSuffix, deadline_); }

void Supervisor::read_stop() {
  std::int64_t grace = 0;
  if (!read_number_file(kStopSuffix, grace) || tree_->is_main_gone()) return;
  is_stop_asked_ = true;
  begin_stop(now_ms(), grace);
}

void Supervisor::begin_stop(std::int64_t now, std::int64_t grace) {
  must_ask_again_ = !tree_->ask_to_end();
  // A second, more impatient stop shortens the first one's grace, never lengthens it.
  if (kill_at_ == 0 || now + grace < kill_at_) kill_at_ = now + grace;
}

int Supervisor::poll_timeout(std::int64_t now) const {
  std::int64_t wait = kLongestPollMs;
  const auto until = [&](std::int64_t at) {
    if (at - now < wait) wait = at > now ? at - now : 0;
  };
  if (deadline_ > 0 && !is_over_limit_) until(deadline_);
  if (kill_at_ > 0) until(kill_at_);
  if (log_.is_stuck() || tree_->is_main_gone() || must_ask_again_) until(now + kRetryMs);
  return static_cast<int>(wait);
}

void Supervisor::note_disk() {
  if (is_disk_noted_) return;
  is_disk_noted_ = true;
  Text<300> line;
  line.add("note ").add(now_ms()).add(" the log cannot be written, the task waits: ");
  line.add(strerrordesc_np(log_.stuck_errno())).add("\n");
  journal_.append(line.view());
}

/// Until the command has ended or its grace is over.
void Supervisor::watch() {
  while (true) {
    const std::int64_t now = now_ms();
    if (deadline_ > 0 && now >= deadline_ && !is_over_limit_) {
      is_over_limit_ = true;
      begin_stop(now, launch_.grace);
    }
    if (kill_at_ > 0 && now >= kill_at_) break;
    if (must_ask_again_) must_ask_again_ = !tree_->ask_to_end();

    const bool wants_output = !log_.is_stuck() && !is_output_over_;
    pollfd ready[2] = {{signals_, POLLIN, 0}, {wants_output ? command_.output : -1, POLLIN, 0}};
    poll(ready, 2, poll_timeout(now));
    if (log_.is_stuck()) {
      log_.flush();
      if (log_.is_stuck()) note_disk();
    } else if (ready[1].revents != 0) {
      if (log_.pump(command_.output) == LogWriter::Got::End) is_output_over_ = true;
    }
    if (ready[0].revents != 0) read_signals();
    // A shell dies of SIGTERM at once; what it was running may still be saving its work.
    if (tree_->is_main_gone() && (kill_at_ == 0 || tree_->is_group_gone())) break;
  }
  ended_at_ = now_ms();
}

/// What the dead left in the pipe.
void Supervisor::drain() {
  for (int stuck = 0; true;) {
    if (log_.is_stuck()) {
      log_.flush();
      if (!log_.is_stuck()) continue;
      note_disk();
      // Whoever stopped it waits for its end, and perhaps for the space that comes with it.
      if (kill_at_ > 0 && ++stuck > kLogPatience) return;
      usleep(kRetryMs * 1000);
      continue;
    }
    if (is_output_over_ || log_.pump(command_.output) != LogWriter::Got::Bytes) break;
  }
}

int Supervisor::finish() {
  while (!tree_->end()) {
    Text<128> line;
    line.add("note ").add(now_ms()).add(" a process hangs in the kernel and does not die\n");
    journal_.append(line.view());
    usleep(1'000'000);
  }
  drain();
  const Cgroup::Usage usage = cgroup_.usage();
  rusage spent = {};
  getrusage(RUSAGE_CHILDREN, &spent);
  const std::int64_t spent_ms = (spent.ru_utime.tv_sec + spent.ru_stime.tv_sec) * 1000 +
                                (spent.ru_utime.tv_usec + spent.ru_stime.tv_usec) / 1000;
  const int status = tree_->main_status();
  Text<400> line;
  line.add("ended at=").add(ended_at_);
  if (WIFSIGNALED(status)) {
    line.add(" signal=").add(WTERMSIG(status));
  } else {
    line.add(" exit=").add(WEXITSTATUS(status));
  }
  line.add(" outside=").add(is_stopped_outside_ && !is_stop_asked_ ? 1 : 0);
  line.add(" stop=").add(is_stop_asked_ ? 1 : 0).add(" limit=").add(is_over_limit_ ? 1 : 0);
  line.add(" oom=").add(usage.oom_kills).add(" memory=").add(launch_.memory);
  line.add(" peak=").add(usage.peak > 0 ? usage.peak : spent.ru_maxrss * 1024);
  line.add(" cpu=").add(usage.cpu_ms >= 0 ? usage.cpu_ms : spent_ms);
  line.add(" bytes=").add(static_cast<std::int64_t>(log_.bytes())).add("\n");
  journal_.append_for_sure(line.view());
  // Tidying up takes the kernel longer than a short task takes; nobody needs to wait for it.
  tell_server(-launch_.ticket);
  cgroup_.remove();
  return kExitDone;
}

}  // namespace ty::supervisor
