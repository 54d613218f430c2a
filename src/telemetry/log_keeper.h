#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/job.h"

/// What happens to logs after their tasks have ended: compressed after a while, deleted after a
/// longer one. All of this blocks; run it on a blocking pool, one sweep at a time. Every step may
/// be interrupted by a crash and repeated: at no moment does a log exist only half.
namespace ty::telemetry {

struct KeepPolicy {
  std::optional<Seconds> compress_after =
      std::chrono::hours{1};               ///< after the task's end; null: never
  int level = 3;                           ///< zstd's
  std::optional<Seconds> delete_after;     ///< after the task's end; null: never
  std::optional<std::uint64_t> max_total;  ///< bytes on disk; the oldest ends go first
};

/// When the task ended, or null while it may still write. Never-heard-of keys are the asker's
/// decision.
using EndOf = std::function<std::optional<Time>(const model::TaskKey&)>;

struct SweepReport {
  std::uint64_t logs = 0;        ///< found
  std::uint64_t total = 0;       ///< bytes on disk after the sweep
  std::uint64_t compressed = 0;  ///< logs
  std::uint64_t saved = 0;       ///< bytes on disk, by compressing
  std::uint64_t deleted = 0;     ///< logs
  std::vector<std::string>
      faults;            ///< what could not be done, at most 20; the sweep goes on after each
  bool stopped = false;  ///< by `stop`, before its end
};

/// One round over `DIR/logs`. Also removes temporary files of earlier, interrupted rounds. Memory
/// does not grow with the number of logs. `stop` is asked often and ends the round early.
Result<SweepReport> sweep(const std::string& logs_root,
                          const KeepPolicy& policy,
                          Time now,
                          const EndOf& end_of,
                          const std::function<bool()>& stop = {});

/// Where compress_log stands; after each of these a crash may come.
enum class CompressStep : std::uint8_t {
  Writing,  ///< part of a temporary file
  Written,  ///< all of it, not yet surely on disk
  Synced,
  Verified,           ///< read back and compared
  IndexRenamed,       ///< X.idx.zst in place beside X.idx
  LogRenamed,         ///< X.zst in place beside X
  PlainLogRemoved,    ///< X gone: from here on readers take X.zst
  PlainIndexRemoved,  ///< X.idx gone
};

/// Replaces a log that nobody writes to by `X.zst`, frames of 1 MiB in zstd's seekable format
/// (`zstd -d` reads it, byte ranges need no more than their own frames), and its index likewise.
/// Done already: nothing happens. Errc::NotFound when there is no log; the plain log stays as it
/// was on any failure.
Result<void> compress_log(const std::string& path,
                          int level = 3,
                          const std::function<bool()>& stop = {},
                          const std::function<void(CompressStep)>& at_step = {});

/// Removes a log in whatever form it is there. Fine when it is not.
Result<void> remove_log(const std::string& path);
/// Removes all logs of a job and their folder.
Result<void> remove_job_logs(const std::string& job_logs_dir);

/// Bytes on disk of all logs below `logs_root`. May run beside a sweep.
Result<std::uint64_t> total_size(const std::string& logs_root);

}  // namespace ty::telemetry
