#include "engine/local/process/watcher.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <cstring>

#include "engine/messages.h"

namespace ty::engine {
namespace {

// Tickets count from 1; these stand for our own descriptors.
constexpr std::uint64_t kWake = 0;
constexpr std::uint64_t kPipe = ~std::uint64_t{0};
constexpr std::uint64_t kFiles = kPipe - 1;

void add(int epoll, int fd, std::uint64_t data) {
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.u64 = data;
  ::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

}  // namespace

Watcher::Watcher(Handlers handlers) : handlers_(std::move(handlers)) {
  epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  // Both ends never block: a supervisor must not wait for a server that is stuck.
  if (::pipe2(pipe_, O_CLOEXEC | O_NONBLOCK) == 0) add(epoll_, pipe_[0], kPipe);
  add(epoll_, wake_, kWake);
  files_ = ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (files_ >= 0) add(epoll_, files_, kFiles);
  // Signals are somebody else's: this thread takes none.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Watcher::~Watcher() {
  is_closing_ = true;
  wake();
  thread_.join();
  for (const int fd : {epoll_, wake_, files_, pipe_[0], pipe_[1]}) {
    if (fd >= 0) ::close(fd);
  }
}

Result<void> Watcher::watch(int pidfd, std::int64_t ticket) {
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.u64 = static_cast<std::uint64_t>(ticket);
  if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, pidfd, &event) != 0) {
    return fail(Errc::Exhausted, say::supervisor_unwatchable({.why = std::strerror(errno)}));
  }
  return {};
}

void Watcher::forget(int pidfd) { ::epoll_ctl(epoll_, EPOLL_CTL_DEL, pidfd, nullptr); }

int Watcher::watch_file(const std::string& path, std::int64_t ticket) {
  // Held meanwhile: the first change may be read before we know its number.
  const std::lock_guard lock(files_mutex_);
  const int watch = ::inotify_add_watch(files_, path.c_str(), IN_MODIFY);
  if (watch >= 0) file_tickets_[watch] = ticket;
  return watch;
}

void Watcher::forget_file(int watch) {
  if (watch < 0) return;
  const std::lock_guard lock(files_mutex_);
  file_tickets_.erase(watch);
  ::inotify_rm_watch(files_, watch);
}

void Watcher::read_file_changes() {
  alignas(inotify_event) char bytes[4096];
  while (true) {
    const ssize_t n = ::read(files_, bytes, sizeof(bytes));
    if (n <= 0) return;
    for (ssize_t at = 0; at < n;) {
      const auto* event = reinterpret_cast<const inotify_event*>(bytes + at);
      at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
      std::int64_t ticket = 0;
      {
        const std::lock_guard lock(files_mutex_);
        const auto found = file_tickets_.find(event->wd);
        if (found != file_tickets_.end()) ticket = found->second;
      }
      if (ticket != 0) handlers_.journal(ticket);
    }
  }
}

void Watcher::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t n = ::write(wake_, &one, sizeof(one));
}

void Watcher::run() {
  epoll_event events[64];
  while (true) {
    const int timeout = handlers_.wants_tick() ? static_cast<int>(kTickEvery.count()) : -1;
    const int count = ::epoll_wait(epoll_, events, 64, timeout);
    if (timeout >= 0) handlers_.tick();
    // First who runs, then who ended: a short task may be both in one round.
    for (int i = 0; i < count; ++i) {
      if (events[i].data.u64 == kWake) {
        std::uint64_t value = 0;
        [[maybe_unused]] const ssize_t n = ::read(wake_, &value, sizeof(value));
        if (is_closing_) return;
      } else if (events[i].data.u64 == kFiles) {
        read_file_changes();
      } else if (events[i].data.u64 == kPipe) {
        std::int64_t tickets[512];
        const ssize_t n = ::read(pipe_[0], tickets, sizeof(tickets));
        const ssize_t words = n / static_cast<ssize_t>(sizeof(tickets[0]));
        for (ssize_t t = 0; t < words; ++t) {
          if (tickets[t] > 0) handlers_.running(tickets[t]);
          if (tickets[t] < 0) handlers_.over(-tickets[t]);
        }
      }
    }
    for (int i = 0; i < count; ++i) {
      const std::uint64_t data = events[i].data.u64;
      if (data != kWake && data != kPipe && data != kFiles)
        handlers_.gone(static_cast<std::int64_t>(data));
    }
  }
}

}  // namespace ty::engine
