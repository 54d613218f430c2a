#pragma once
#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"

/// A PostgreSQL server of the tests' own, on a Unix socket in a temporary folder.
namespace ty::store::testing {

/// Starts a program, as another user when we are root (PostgreSQL refuses to run as root). Returns
/// its pid.
inline pid_t start_program(const std::vector<std::string>& argv, const std::string& log) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  const int out = open(log.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0644);
  dup2(out, 1);
  dup2(out, 2);
  if (geteuid() == 0) {
    const passwd* user = getpwnam("postgres");
    if (!user) user = getpwnam("nobody");
    if (!user || setgid(user->pw_gid) != 0 || setuid(user->pw_uid) != 0) _exit(126);
  }
  std::vector<char*> args;
  for (const std::string& arg : argv) args.push_back(const_cast<char*>(arg.c_str()));
  args.push_back(nullptr);
  execv(args[0], args.data());
  _exit(127);
}

class PostgresServer {
 public:
  PostgresServer() {
    std::string name = (std::filesystem::temp_directory_path() / "ty-pg-XXXXXX").string();
    TY_CHECK(mkdtemp(name.data()), "a temporary folder can be made");
    dir_ = name;
    std::filesystem::permissions(dir_, std::filesystem::perms::all);
    const std::string bin = binaries();
    const std::string log = "/dev/null";
    wait_for(start_program({bin + "/initdb",
                            "-D",
                            dir_ + "/data",
                            "-A",
                            "trust",
                            "-U",
                            "tester",
                            "-E",
                            "UTF8",
                            "--locale=C.UTF-8",
                            "--no-sync"},
                           log));
    pid_ = start_program({bin + "/postgres",
                          "-D",
                          dir_ + "/data",
                          "-k",
                          dir_,
                          "-c",
                          "listen_addresses=",
                          "-c",
                          "fsync=off",
                          "-c",
                          "max_connections=200"},
                         log);
    for (int i = 0; i < 600 && !answers(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    TY_CHECK(answers(), "the PostgreSQL server of the tests starts (Debian package postgresql)");
  }
  ~PostgresServer() {
    kill(pid_, SIGQUIT);
    waitpid(pid_, nullptr, 0);
    std::error_code ignored;
    std::filesystem::remove_all(dir_, ignored);
  }

  /// Makes a fresh database and returns its URL.
  std::string make_database() {
    const std::string name = fmt::format("t{}", ++databases_);
    const std::string bin = binaries();
    wait_for(start_program({bin + "/createdb", "-h", dir_, "-U", "tester", name}, "/dev/null"));
    return url(name);
  }
  std::string url(const std::string& name) const {
    std::string host;
    for (const char c : dir_) host += c == '/' ? std::string("%2F") : std::string(1, c);
    return fmt::format("postgres://tester@{}/{}", host, name);
  }

  static PostgresServer& shared() {
    static PostgresServer server;
    return server;
  }

 private:
  static std::string binaries() {
    std::string newest;
    for (const auto& entry : std::filesystem::directory_iterator("/usr/lib/postgresql")) {
      newest = std::max(newest, entry.path().string());
    }
    return newest + "/bin";
  }
  static void wait_for(pid_t pid) {
    int status = 0;
    waitpid(pid, &status, 0);
    TY_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0,
             "PostgreSQL's tools work (Debian package postgresql)");
  }
  bool answers() const {
    const pid_t pid = start_program({binaries() + "/pg_isready", "-q", "-h", dir_}, "/dev/null");
    int status = 0;
    waitpid(pid, &status, 0);
    return status == 0;
  }

  std::string dir_;
  pid_t pid_ = 0;
  int databases_ = 0;
};

}  // namespace ty::store::testing
