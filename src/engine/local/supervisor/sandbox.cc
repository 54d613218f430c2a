#include "sandbox.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/mount.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string_view>

#include "bind_source.h"

namespace ty::supervisor {
namespace {

// glibc 2.36 declares these calls too, but its <sys/mount.h> and <linux/mount.h> both define the
// structs; plain syscalls work with either.
int open_tree(const char* path, unsigned flags) {
  return static_cast<int>(
      syscall(SYS_open_tree, AT_FDCWD, path, flags | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
}

bool attach(int tree, const char* at) {
  const bool ok = syscall(SYS_move_mount, tree, "", AT_FDCWD, at, MOVE_MOUNT_F_EMPTY_PATH) == 0;
  const int error = errno;
  close(tree);
  errno = error;
  return ok;
}

bool set_attributes(
    int dir, const char* path, unsigned flags, std::uint64_t set, std::uint64_t clear) {
  mount_attr attributes = {};
  attributes.attr_set = set;
  attributes.attr_clr = clear;
  attributes.propagation = MS_PRIVATE;
  return syscall(SYS_mount_setattr, dir, path, flags, &attributes, sizeof(attributes)) == 0;
}

void make_folders(std::string_view path) {
  Path so_far;
  while (!path.empty()) {
    const std::size_t slash = path.find('/', 1);
    so_far.add(path.substr(0, slash));
    mkdir(so_far.c_str(), 0755);
    path = slash == std::string_view::npos ? std::string_view{} : path.substr(slash);
  }
}

bool is_below(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.substr(0, folder.size()) == folder &&
         path[folder.size()] == '/';
}

bool mount_tmpfs(const char* at, const char* mode, std::int64_t size) {
  Text<96> options;
  options.add("mode=").add(mode);
  if (size > 0) options.add(",size=").add(size);
  return mount("tmpfs", at, "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()) == 0;
}

/// /proc of the task's own pid namespace, without the switches that steer the whole machine: a
/// task of uid 0 could write them without any capability.
bool mount_proc(Failure& failure) {
  if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0) {
    return failure.set(kStartFailed, "cannot mount /proc");
  }
  for (const char* path : {"/proc/sys", "/proc/sysrq-trigger", "/proc/irq"}) {
    const int tree = open_tree(path, 0);
    if (tree < 0) continue;  // this kernel has no such switch
    if (!set_attributes(tree, "", AT_EMPTY_PATH, MOUNT_ATTR_RDONLY, 0) || !attach(tree, path)) {
      return failure.set(kStartFailed, "cannot make read-only", path);
    }
  }
  return true;
}

bool mount_dev(const Launch& launch, int tree, Failure& failure) {
  if (tree >= 0) {
    if (!attach(tree, "/dev")) return failure.set(kStartFailed, "cannot mount /dev");
    if (mount("devpts",
              "/dev/pts",
              "devpts",
              MS_NOSUID | MS_NOEXEC,
              "newinstance,mode=620,ptmxmode=666") != 0) {
      return failure.set(kStartFailed, "cannot mount /dev/pts");
    }
  }
  if (!mount_tmpfs("/dev/shm", "1777", launch.shm))
    return failure.set(kStartFailed, "cannot mount /dev/shm");
  return true;
}

}  // namespace

unsigned long sandbox_flags(const Launch& launch) {
  return launch.sandbox == Sandbox::Namespaces ? CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS : 0;
}

bool enter_sandbox(const Launch& launch, Failure& failure) {
  if (launch.sandbox != Sandbox::Namespaces) return true;
  if (launch.host_name != nullptr &&
      sethostname(launch.host_name, std::string_view(launch.host_name).size()) != 0) {
    return failure.set(kStartFailed, "cannot set the host name", launch.host_name);
  }

  // Handles to everything the task keeps, taken while it is still visible. What must stay writable
  // is taken before the whole tree becomes read-only, the rest after, which makes it read-only too.
  const int run = open_tree(launch.run_dir, 0);
  if (run < 0) return failure.set(kStartFailed, "cannot open the run folder", launch.run_dir);
  int* const binds = static_cast<int*>(__builtin_alloca(sizeof(int) * (launch.binds.size() + 1)));
  const auto take = [&](bool is_read_only) {
    std::size_t i = 0;
    for (const Bind& bind : launch.binds) {
      if (bind.is_read_only == is_read_only) {
        binds[i] = open_bind(bind.from);
        if (binds[i] < 0)
          return failure.set(kDataFailed, "cannot open the folder to mount,", bind.from);
      }
      ++i;
    }
    return true;
  };
  if (!take(false)) return false;
  if (!set_attributes(AT_FDCWD, "/", AT_RECURSIVE, MOUNT_ATTR_RDONLY, 0)) {
    return failure.set(kStartFailed, "cannot make the file system read-only");
  }
  if (!take(true)) return false;
  const int dev = launch.dev != nullptr ? open_tree(launch.dev, 0) : -1;
  if (launch.dev != nullptr && dev < 0) return failure.set(kStartFailed, "cannot open", launch.dev);

  if (!mount_proc(failure) || !mount_dev(launch, dev, failure)) return false;

  const char* first_scratch = nullptr;
  for (const char* path : launch.scratch) {
    // One private folder serves them all.
    const bool ok = first_scratch == nullptr
                        ? mount_tmpfs(path, "1777", launch.memory)
                        : mount(first_scratch, path, nullptr, MS_BIND, nullptr) == 0;
    if (!ok) return failure.set(kStartFailed, "cannot mount a private", path);
    if (first_scratch == nullptr) first_scratch = path;
  }
  const auto is_hidden_already = [&](const char* path) {
    for (const char* scratch : launch.scratch) {
      if (is_below(path, scratch)) return true;
    }
    return false;
  };
  for (const char* path : launch.hide) {
    if (!is_hidden_already(path) && !mount_tmpfs(path, "755", 1 << 20)) {
      return failure.set(kStartFailed, "cannot hide", path);
    }
  }
  make_folders(launch.run_dir);
  for (const Bind& bind : launch.binds) {
    if (!is_below(bind.at, launch.run_dir)) make_folders(bind.at);
  }
  for (const char* path : launch.hide) {
    if (!is_hidden_already(path) && !set_attributes(AT_FDCWD, path, 0, MOUNT_ATTR_RDONLY, 0)) {
      return failure.set(kStartFailed, "cannot hide", path);
    }
  }
  if (!attach(run, launch.run_dir))
    return failure.set(kStartFailed, "cannot mount the run folder", launch.run_dir);
  std::size_t i = 0;
  for (const Bind& bind : launch.binds) {
    if (!attach(binds[i++], bind.at)) return failure.set(kDataFailed, "cannot mount at", bind.at);
  }
  return true;
}

bool drop_privileges(const Launch& launch, Failure& failure) {
  if (launch.keep_caps >= 0) {
    const auto keep = static_cast<std::uint64_t>(launch.keep_caps);
    for (unsigned long cap = 0; cap < 64; ++cap) {
      if ((keep >> cap & 1) == 0 && prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) != 0)
        break;  // past the last one
    }
  }
  if (launch.gid >= 0) {
    const auto gid = static_cast<gid_t>(launch.gid);
    if (setgroups(0, nullptr) != 0 || setresgid(gid, gid, gid) != 0) {
      return failure.set(kStartFailed, "cannot take on the group");
    }
  }
  if (launch.uid >= 0) {
    const auto uid = static_cast<uid_t>(launch.uid);
    if (setresuid(uid, uid, uid) != 0) return failure.set(kStartFailed, "cannot take on the user");
  } else if (launch.keep_caps >= 0) {
    const auto keep = static_cast<std::uint64_t>(launch.keep_caps);
    __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[2] = {};
    if (syscall(SYS_capget, &header, data) != 0)
      return failure.set(kStartFailed, "cannot read capabilities");
    for (unsigned half = 0; half < 2; ++half) {
      const auto mask = static_cast<std::uint32_t>(keep >> (32 * half));
      data[half].permitted &= mask;
      data[half].effective &= mask;
      data[half].inheritable = 0;
    }
    if (syscall(SYS_capset, &header, data) != 0)
      return failure.set(kStartFailed, "cannot drop capabilities");
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return failure.set(kStartFailed, "cannot forbid new privileges");
  return true;
}

}  // namespace ty::supervisor
