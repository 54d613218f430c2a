#include "hold_port.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "base/time.h"
#include "net/listener.h"
#include "rt/log.h"

namespace ty {

namespace {

using Moment = std::chrono::steady_clock::time_point;

/// A server that lived so long was well; one that did not is given more time before each start.
constexpr Seconds kWell{10};
constexpr int kAtOnce = 3;
constexpr Seconds kLongestPause{30};

Seconds pause_after(int early_ends) {
  if (early_ends <= kAtOnce) return Seconds{0};
  return std::min(Seconds{1LL << std::min(early_ends - kAtOnce - 1, 5)}, kLongestPause);
}

sigset_t awaited_signals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGCHLD}) ::sigaddset(&signals, signal);
  return signals;
}

/// The server, with the socket as its third descriptor. What it inherits otherwise is what we had.
pid_t start_server(int listener, const std::vector<char*>& argv, const sigset_t& usual) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::sigprocmask(SIG_SETMASK, &usual, nullptr);
  if (net::hand_on_listener(listener)) ::execv(argv[0], argv.data());
  std::fprintf(stderr, "trainyard: cannot start the server: %s\n", std::strerror(errno));
  ::_exit(126);
}

/// Waits for the child's end, passing on what we are told; true: we were told to end.
bool wait_for_end(pid_t child, const sigset_t& signals, int& status) {
  bool told = false;
  while (::waitpid(child, &status, WNOHANG) != child) {
    const int signal = ::sigwaitinfo(&signals, nullptr);
    if (signal <= 0 || signal == SIGCHLD) continue;
    told |= signal != SIGHUP;
    ::kill(child, signal);
  }
  return told;
}

/// True: told to end meanwhile.
bool pause_for(Seconds pause, const sigset_t& signals) {
  const auto end = std::chrono::steady_clock::now() + pause;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(
        end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    const timespec wait{.tv_sec = left.count() / 1'000'000'000,
                        .tv_nsec = left.count() % 1'000'000'000};
    const int signal = ::sigtimedwait(&signals, nullptr, &wait);
    if (signal == SIGTERM || signal == SIGINT) return true;
  }
}

}  // namespace

Result<int> hold_port(const std::string& address, std::vector<std::string> arguments) {
  TY_TRY(const Fd listener, net::listen_on(address));
  // By its name, not as /proc/self/exe: after an upgrade the next start is the new program.
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const sigset_t signals = awaited_signals();
  sigset_t usual;
  ::sigprocmask(SIG_BLOCK, &signals, &usual);
  for (int early_ends = 0;;) {
    const Moment began = std::chrono::steady_clock::now();
    const pid_t child = start_server(listener.get(), argv, usual);
    if (child < 0) return fail(Errc::Unavailable, plain(std::strerror(errno)));
    int status = 0;
    const bool told = wait_for_end(child, signals, status);
    const bool was_well = std::chrono::steady_clock::now() - began >= kWell;
    // Who ends by itself had a reason, and a start that fails would fail again.
    if (WIFEXITED(status) && (told || WEXITSTATUS(status) == 0 || !was_well))
      return WEXITSTATUS(status);
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (told) return 128 + signal;
    early_ends = was_well ? 0 : early_ends + 1;
    const Seconds pause = pause_after(early_ends);
    log::error("server.ended signal={} again_in={}s", signal, pause.count());
    if (pause_for(pause, signals)) return 128 + SIGTERM;
  }
}

}  // namespace ty
