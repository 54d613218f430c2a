#pragma once
#include <cstddef>
#include <cstdint>

namespace ty::supervisor {

enum class Sandbox : std::uint8_t { None, Namespaces, Bubblewrap, Container };

struct Bind {
  const char* from = nullptr;
  const char* at = nullptr;
  bool is_read_only = false;
};

/// Grows by push(); never shrinks, never freed: a supervisor reads one launch file.
template <class T>
class List {
 public:
  void push(T item);
  T* begin() { return items_; }
  T* end() { return items_ + size_; }
  const T* begin() const { return items_; }
  const T* end() const { return items_ + size_; }
  T& back() { return items_[size_ - 1]; }
  std::size_t size() const { return size_; }
  T* data() { return items_; }

 private:
  T* items_ = nullptr;
  std::size_t size_ = 0;
  std::size_t room_ = 0;
};

/// A launch file, read. Texts point into the file's bytes; null: not given.
struct Launch {
  List<char*> args;       ///< ends with a null pointer
  List<char*> else_args;  ///< empty, or ends with a null pointer
  List<char*> env;        ///< ends with a null pointer
  const char* workdir = nullptr;
  const char* log = nullptr;
  const char* host_name = nullptr;
  std::int64_t ticket = 0;
  std::int64_t shell = 0;
  std::int64_t deadline = 0;
  std::int64_t grace = 30'000;
  Sandbox sandbox = Sandbox::None;
  List<const char*> scratch;
  List<const char*> hide;
  const char* run_dir = nullptr;
  const char* dev = nullptr;
  const char* user = nullptr;
  const char* own = nullptr;
  List<Bind> binds;
  List<const char*> warnings;
  List<const char*> mounted;
  std::int64_t log_limit = 0;
  std::int64_t shm = 0;
  std::int64_t memory = 0;
  std::int64_t cpu_milli = 0;
  std::int64_t processes = 0;
  const char* cgroup2 = nullptr;
  const char* cgroup_memory = nullptr;
  const char* cgroup_cpu = nullptr;
  const char* cgroup_pids = nullptr;
  const char* cgroup_cpuacct = nullptr;
  std::int64_t uid = -1;
  std::int64_t gid = -1;
  std::int64_t keep_caps = -1;
  std::int64_t data_limit = 0;
};

/// Reads and checks the file. Returns null, or what is wrong with it.
const char* read_launch(const char* path, Launch& out);

}  // namespace ty::supervisor
