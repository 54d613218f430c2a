#include "engine/local/transfer/rclone.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/fd.h"
#include "base/text.h"
#include "engine/messages.h"

namespace ty::engine {
namespace {

constexpr int kLookEveryMs = 200;
constexpr std::size_t kMostWords = 16 * 1024;  // of what it says, the end

/// Exit codes of rclone that asking again does not change: no such folder, no such file, fatal.
constexpr std::array<int, 3> kForGood = {3, 4, 7};
/// Answers of a store that mean the same, where the exit code does not say so.
constexpr std::array<std::string_view, 6> kRefusals = {"AccessDenied",
                                                       "Forbidden",
                                                       "InvalidAccessKeyId",
                                                       "NoSuchBucket",
                                                       "SignatureDoesNotMatch",
                                                       "not found"};

std::vector<std::string> variables(const ObjectFolder& store) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    // Neither an administrator's own store nor the keys of this machine are a job's.
    const std::string_view text(*entry);
    if (!text.starts_with("RCLONE_") && !text.starts_with("AWS_")) all.emplace_back(text);
  }
  const auto set = [&](std::string_view name, std::string_view value) {
    all.push_back(fmt::format("RCLONE_{}={}", name, value));
  };
  set("CONFIG", "/dev/null");
  set("S3_PROVIDER", "Other");
  set("S3_ENDPOINT", store.endpoint);
  set("S3_REGION", store.region.empty() ? "us-east-1" : store.region);
  set("S3_NO_CHECK_BUCKET", "true");
  set("S3_ENV_AUTH", "false");
  if (!store.access_key.empty()) {
    set("S3_ACCESS_KEY_ID", store.access_key);
    set("S3_SECRET_ACCESS_KEY", store.secret_key.reveal());
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

/// `2026/11/15 13:00:00 ERROR : model.pt: Failed to copy: AccessDenied` → what comes after ERROR.
std::string last_complaint(const std::string& said) {
  const std::vector<std::string> lines = split(said, '\n');
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    for (const std::string_view mark : {"Failed to copy", "ERROR :", "CRITICAL:", "Fatal error"}) {
      const std::size_t at = line->find(mark);
      if (at == std::string::npos) continue;
      const bool is_word = mark.starts_with("ERROR") || mark.starts_with("CRITICAL");
      return shorten(trim(line->substr(is_word ? at + mark.size() : at)), 300);
    }
  }
  return "";
}

}  // namespace

Rclone::Rclone() {
  for (const char* path : {"/usr/bin/rclone", "/usr/local/bin/rclone"}) {
    if (program_.empty() && ::access(path, X_OK) == 0) program_ = path;
  }
}

Result<void> Rclone::fetch(const ObjectFolder& from,
                           const std::string& to,
                           const std::function<bool()>& is_cancelled) const {
  return copy(":s3:" + from.path, to, from, is_cancelled);
}

Result<void> Rclone::save(const std::string& from,
                          const ObjectFolder& to,
                          const std::function<bool()>& is_cancelled) const {
  return copy(from, ":s3:" + to.path, to, is_cancelled);
}

Result<void> Rclone::copy(const std::string& from,
                          const std::string& to,
                          const ObjectFolder& store,
                          const std::function<bool()>& is_cancelled) const {
  std::vector<std::string> words = {program_,
                                    "copy",
                                    "--skip-links",
                                    "--retries",
                                    "3",
                                    "--contimeout",
                                    "15s",
                                    "--timeout",
                                    "2m",
                                    "--stats",
                                    "0",
                                    "--",
                                    from,
                                    to};
  std::vector<std::string> environment = variables(store);
  const std::vector<char*> argv = pointers(words);
  const std::vector<char*> envp = pointers(environment);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail(Errc::Exhausted, say::rclone_no_descriptors());
  const Fd output(ends[0]);
  Fd input(ends[1]);

  const pid_t server = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return fail(Errc::Exhausted, say::rclone_no_process());
  if (child == 0) {
    // It ends with us: the next server begins again, and two at once would write the same files.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != server) ::_exit(127);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    const int null = ::open("/dev/null", O_RDWR);
    ::dup2(null, STDIN_FILENO);
    ::dup2(null, STDOUT_FILENO);
    ::dup2(ends[1], STDERR_FILENO);
    ::execve(argv[0], argv.data(), envp.data());
    ::_exit(127);
  }
  input = Fd();

  std::string said;
  bool is_killed = false;
  for (std::array<char, 4096> bytes; true;) {
    pollfd ready = {output.get(), POLLIN, 0};
    if (::poll(&ready, 1, kLookEveryMs) > 0) {
      const ssize_t n = ::read(output.get(), bytes.data(), bytes.size());
      if (n <= 0) break;
      said.append(bytes.data(), static_cast<std::size_t>(n));
      if (said.size() > 2 * kMostWords) said.erase(0, said.size() - kMostWords);
    }
    if (!is_killed && is_cancelled()) {
      is_killed = true;
      ::kill(child, SIGKILL);
    }
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (is_killed) return fail(Errc::Conflict, say::rclone_stopped());
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  const bool is_refused = std::ranges::find(kForGood, code) != kForGood.end() ||
                          std::ranges::any_of(kRefusals, [&](std::string_view word) {
                            return said.find(word) != std::string::npos;
                          });
  const std::string complaint = last_complaint(said);
  return fail(is_refused ? Errc::Invalid : Errc::Unavailable,
              complaint.empty() ? say::rclone_failed({.code = code}) : plain(complaint));
}

}  // namespace ty::engine
