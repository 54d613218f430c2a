#pragma once

/// The launch file: what the server tells the supervisor about one task. Shared by the writer
/// (`process/launch_writer.cc`) and the reader (`launch.cc`), which are built into two programs.
///
///   trainyard-launch 1
///   arg 7
///   /bin/sh
///   arg 2
///   -c
///   end 0
///
///
/// One field is `key length`, then that many bytes, then a newline: any byte may stand in a value,
/// a person can still read it, and the reader can use every value in place as a C string. Unknown
/// keys, wrong lengths and a missing `end` are refused, so half a file never starts half a task.
///
/// Beside a run folder RUN lie RUN.launch (this), RUN.journal (`journal.h`), once the time limit
/// was changed RUN.deadline (one number: UTC milliseconds, 0 for none), and, for tasks in
/// containers, RUN.stop once they are told to stop (one number: the grace in milliseconds).
namespace ty::supervisor {

inline constexpr char kLaunchMagic[] = "trainyard-launch 1\n";
inline constexpr char kLaunchSuffix[] = ".launch";
inline constexpr char kJournalSuffix[] = ".journal";
inline constexpr char kDeadlineSuffix[] = ".deadline";
inline constexpr char kStopSuffix[] = ".stop";
inline constexpr char kControlSuffix[] = ".ctl";  // a folder: what a container sees of these files

/// What a container shows of its task's run folder: `/.trainyard`, read-only. The supervisor is its
/// entry point and takes `/.trainyard/run` for RUN. Journal and log are not there: the server hands
/// them over, open, by the socket (`handed_files.h`).
inline constexpr char kContainerFolder[] = "/.trainyard";
inline constexpr char kContainerRun[] = "/.trainyard/run";
inline constexpr char kContainerSupervisor[] = "/.trainyard/supervisor";
inline constexpr char kContainerSocket[] = "/.trainyard/files";
inline constexpr char kContainerScript[] = "/.trainyard/command.sh";

namespace key {
inline constexpr char kArg[] = "arg";  // repeated: the command
inline constexpr char kElseArg[] =
    "else_arg";  // repeated: the command where the first word of `arg` is no program
inline constexpr char kShell[] = "shell";  // 1: the first words are shells, not the user's own
inline constexpr char kEnv[] = "env";      // repeated: NAME=value
inline constexpr char kWorkdir[] = "workdir";
inline constexpr char kLog[] = "log";             // not in containers
inline constexpr char kLogLimit[] = "log_limit";  // bytes; what comes after them is not kept
inline constexpr char kHostName[] = "host_name";
inline constexpr char kTicket[] =
    "ticket";  // told on descriptor 3: it runs; its negative: it is over
inline constexpr char kDeadline[] = "deadline";  // UTC ms
inline constexpr char kGrace[] = "grace";        // ms
inline constexpr char kSandbox[] = "sandbox";    // namespaces | bubblewrap | container | none
inline constexpr char kScratch[] =
    "scratch";  // repeated: becomes a private, empty, writable folder
inline constexpr char kHide[] =
    "hide";  // repeated: becomes empty and read-only; run folder and binds stay
inline constexpr char kRunDir[] = "run_dir";    // stays writable
inline constexpr char kDev[] = "dev";           // replaces /dev
inline constexpr char kReadOnly[] = "bind_ro";  // repeated: a path, followed by…
inline constexpr char kReadWrite[] = "bind_rw";
inline constexpr char kAt[] = "at";  // …where it appears
inline constexpr char kMounted[] =
    "mounted";  // repeated, in containers: `DEVICE NUMBER PATH` of a folder that must lie there
inline constexpr char kShm[] = "shm";        // bytes
inline constexpr char kMemory[] = "memory";  // bytes
inline constexpr char kCpuMilli[] = "cpu_milli";
inline constexpr char kProcesses[] = "processes";
inline constexpr char kCgroup2[] = "cgroup2";  // folders to make, one per hierarchy
inline constexpr char kCgroupMemory[] = "cgroup1_memory";
inline constexpr char kCgroupCpu[] = "cgroup1_cpu";
inline constexpr char kCgroupPids[] = "cgroup1_pids";
inline constexpr char kCgroupCpuacct[] = "cgroup1_cpuacct";
inline constexpr char kUser[] = "user";  // `name`, `uid`, `name:group`: looked up in the container
inline constexpr char kUid[] = "uid";
inline constexpr char kGid[] = "gid";
inline constexpr char kOwn[] =
    "own";  // a folder that, with the files in it, is given to the task's user
inline constexpr char kKeepCaps[] = "keep_caps";  // bit mask, decimal
inline constexpr char kDataLimit[] =
    "data_limit";                              // bytes, RLIMIT_DATA where no cgroup limits memory
inline constexpr char kWarning[] = "warning";  // repeated: goes into the journal as it is
inline constexpr char kEnd[] = "end";
}  // namespace key

/// The first word of a supervisor that only checks mounts (`checked_command.h`).
inline constexpr char kCheckedCommand[] = "--mounted";

/// How the supervisor itself ends. Anything that happened to the task stands in the journal.
inline constexpr int kExitDone = 0;
inline constexpr int kExitUnusable = 74;  // no journal could be written: nothing was begun
inline constexpr int kExitTaken = 75;     // another supervisor has or had this run folder

inline constexpr int kNotifyFd = 3;

}  // namespace ty::supervisor
