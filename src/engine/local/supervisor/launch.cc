#include "launch.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "launch_format.h"
#include "text.h"

namespace ty::supervisor {
namespace {

struct TextField {
  const char* key;
  const char* Launch::* member;
};
constexpr TextField kTexts[] = {
    {key::kWorkdir, &Launch::workdir},
    {key::kLog, &Launch::log},
    {key::kHostName, &Launch::host_name},
    {key::kRunDir, &Launch::run_dir},
    {key::kDev, &Launch::dev},
    {key::kUser, &Launch::user},
    {key::kOwn, &Launch::own},
    {key::kCgroup2, &Launch::cgroup2},
    {key::kCgroupMemory, &Launch::cgroup_memory},
    {key::kCgroupCpu, &Launch::cgroup_cpu},
    {key::kCgroupPids, &Launch::cgroup_pids},
    {key::kCgroupCpuacct, &Launch::cgroup_cpuacct},
};

struct NumberField {
  const char* key;
  std::int64_t Launch::* member;
};
constexpr NumberField kNumbers[] = {
    {key::kTicket, &Launch::ticket},
    {key::kShell, &Launch::shell},
    {key::kDeadline, &Launch::deadline},
    {key::kGrace, &Launch::grace},
    {key::kLogLimit, &Launch::log_limit},
    {key::kShm, &Launch::shm},
    {key::kMemory, &Launch::memory},
    {key::kCpuMilli, &Launch::cpu_milli},
    {key::kProcesses, &Launch::processes},
    {key::kUid, &Launch::uid},
    {key::kGid, &Launch::gid},
    {key::kKeepCaps, &Launch::keep_caps},
    {key::kDataLimit, &Launch::data_limit},
};

const char* take_field(Launch& launch, std::string_view key, char* value, std::size_t size) {
  const std::string_view text(value, size);
  for (const TextField& field : kTexts) {
    if (key == field.key) {
      launch.*field.member = value;
      return nullptr;
    }
  }
  for (const NumberField& field : kNumbers) {
    if (key == field.key) {
      return read_number(text, launch.*field.member) ? nullptr : "a number in it is no number";
    }
  }
  if (key == key::kArg) {
    launch.args.push(value);
  } else if (key == key::kElseArg) {
    launch.else_args.push(value);
  } else if (key == key::kEnv) {
    launch.env.push(value);
  } else if (key == key::kScratch) {
    launch.scratch.push(value);
  } else if (key == key::kWarning) {
    launch.warnings.push(value);
  } else if (key == key::kMounted) {
    launch.mounted.push(value);
  } else if (key == key::kHide) {
    launch.hide.push(value);
  } else if (key == key::kReadOnly || key == key::kReadWrite) {
    launch.binds.push(Bind{.from = value, .at = nullptr, .is_read_only = key == key::kReadOnly});
  } else if (key == key::kAt) {
    if (launch.binds.size() == 0 || launch.binds.back().at != nullptr)
      return "an `at` without a bind";
    launch.binds.back().at = value;
  } else if (key == key::kSandbox) {
    if (text == "none") {
      launch.sandbox = Sandbox::None;
    } else if (text == "namespaces") {
      launch.sandbox = Sandbox::Namespaces;
    } else if (text == "bubblewrap") {
      launch.sandbox = Sandbox::Bubblewrap;
    } else if (text == "container") {
      launch.sandbox = Sandbox::Container;
    } else {
      return "it asks for an unknown sandbox";
    }
  } else {
    return "it has an unknown key";
  }
  return nullptr;
}

/// The whole file and a terminating zero; null when it cannot be read.
char* slurp(const char* path, std::size_t& size) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return nullptr;
  struct stat info;
  char* bytes = nullptr;
  if (fstat(fd, &info) == 0 && info.st_size < (16 << 20)) {
    size = static_cast<std::size_t>(info.st_size);
    bytes = static_cast<char*>(malloc(size + 1));
    std::size_t got = 0;
    while (bytes != nullptr && got < size) {
      const ssize_t n = read(fd, bytes + got, size - got);
      if (n <= 0) break;
      got += static_cast<std::size_t>(n);
    }
    size = got;
    if (bytes != nullptr) bytes[size] = '\0';
  }
  close(fd);
  return bytes;
}

const char* check(const Launch& launch) {
  if (launch.args.size() == 0) return "it names no command";
  if (launch.log == nullptr && launch.sandbox != Sandbox::Container) return "it names no log";
  if (launch.run_dir == nullptr) return "it names no run folder";
  for (const Bind& bind : launch.binds) {
    if (bind.at == nullptr) return "a bind without its `at`";
  }
  return nullptr;
}

}  // namespace

template <class T>
void List<T>::push(T item) {
  if (size_ == room_) {
    room_ = room_ == 0 ? 32 : room_ * 4;
    items_ = static_cast<T*>(realloc(static_cast<void*>(items_), room_ * sizeof(T)));
    if (items_ == nullptr) abort();
  }
  items_[size_++] = item;
}
template void List<char*>::push(char* item);
template void List<const char*>::push(const char* item);

const char* read_launch(const char* path, Launch& out) {
  std::size_t size = 0;
  char* const bytes = slurp(path, size);
  if (bytes == nullptr) return "it cannot be read";
  const std::string_view magic = kLaunchMagic;
  const std::string_view whole(bytes, size);
  if (whole.substr(0, magic.size()) != magic) return "it is not one of this version";

  std::size_t at = magic.size();
  while (true) {
    const std::size_t space = whole.find(' ', at);
    const std::size_t newline = whole.find('\n', at);
    if (space >= newline || newline == std::string_view::npos) return "it ends too early";
    const std::string_view key = whole.substr(at, space - at);
    std::int64_t length = 0;
    if (!read_number(whole.substr(space + 1, newline - space - 1), length))
      return "a length is wrong";
    const std::size_t value = newline + 1;
    if (static_cast<std::size_t>(length) >= size - value) return "it ends too early";
    const std::size_t after = value + static_cast<std::size_t>(length);
    if (bytes[after] != '\n') return "a length is wrong";
    bytes[after] = '\0';
    if (key == key::kEnd) break;
    if (const char* fault = take_field(out, key, bytes + value, after - value)) return fault;
    at = after + 1;
  }
  if (const char* fault = check(out)) return fault;
  out.args.push(nullptr);
  if (out.else_args.size() > 0) out.else_args.push(nullptr);
  out.env.push(nullptr);
  return nullptr;
}

}  // namespace ty::supervisor
