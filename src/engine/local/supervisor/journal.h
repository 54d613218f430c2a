#pragma once
#include <string_view>

namespace ty::supervisor {

/// What is true about one task try, one line each, in RUN.journal:
///
///   began 1700000000000
///   warning memory and CPU are not limited: …
///   running 1700000000004
///   note 1700000000900 the disk is full: …
///   ended at=1700000001000 exit=0 outside=0 stop=0 limit=0 oom=0 memory=2147483648 peak=1048576
///   cpu=12 bytes=6 failed at=1700000000003 reason=command_not_found no program is called "pyhton"
///
/// The file is also the lock: its first byte is locked (POSIX, so the kernel names the holder) from
/// before `began` until the supervisor is gone. Locked: alive. `began` but not locked and neither
/// `ended` nor `failed`: the supervisor was killed. A line counts only with its newline.
class Journal {
 public:
  enum class Taken : unsigned char { Ours, Theirs, Unusable };
  /// Locks the journal and writes `began`. `Theirs`: some supervisor had this run folder before.
  Taken take(const char* run_dir);
  /// The same with a journal that is open already.
  Taken take(int fd);

  /// Waits for space when the disk is full: only for the line that says how it ended.
  void append_for_sure(std::string_view line) const;
  /// May be lost on a full disk.
  void append(std::string_view line) const;

 private:
  int fd_ = -1;
};

}  // namespace ty::supervisor
