#include "telemetry/log_keeper.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <queue>
#include <system_error>
#include <tuple>

#include "telemetry/impl/file.h"
#include "telemetry/impl/index_repair.h"
#include "telemetry/impl/seekable_zstd.h"
#include "telemetry/log_paths.h"
#include "telemetry/messages.h"
#include "telemetry/usage_file.h"

namespace ty::telemetry {

namespace {

constexpr std::string_view kTemporary = ".tmp";
constexpr std::size_t kMaxFaults = 20;
/// So many of the oldest logs are remembered at once when the total is over its limit.
constexpr std::size_t kVictims = 10'000;
/// An empty job folder stays so long: the next try of the job may be about to use it.
constexpr Seconds kEmptyFolderStays = std::chrono::hours{24};

std::unexpected<Error> stopped() { return fail(Errc::Unavailable, say::stopped_before_its_end()); }

/// `plain` → `packed`, complete and on disk under a temporary name.
Result<void> pack(const std::string& plain,
                  const std::string& temporary,
                  int level,
                  const std::function<bool()>& stop,
                  const std::function<void(CompressStep)>& at_step) {
  TY_TRY(const Fd in, open_file(plain, O_RDONLY));
  TY_TRY(const Fd out, open_file(temporary, O_WRONLY | O_CREAT | O_TRUNC));
  SeekableWriter writer(out.get(), temporary, level);
  std::vector<char> buffer(kFrameBytes);
  for (std::uint64_t offset = 0;;) {
    if (stop && stop()) return stopped();
    TY_TRY(const std::size_t got, read_file_at(in.get(), offset, buffer, plain));
    if (got == 0) break;
    TY_DO(writer.add_frame({buffer.data(), got}));
    offset += got;
    at_step(CompressStep::Writing);
  }
  TY_DO(writer.finish());
  at_step(CompressStep::Written);
  TY_DO(sync_file(out.get(), temporary));
  at_step(CompressStep::Synced);
  return {};
}

/// The plain file will be gone: be sure.
Result<void> verify(const std::string& plain,
                    const std::string& packed,
                    const std::function<bool()>& stop) {
  TY_TRY(auto original, open_plain(plain));
  TY_TRY(auto copy, SeekableReader::open(packed));
  if (original->size() != copy->size()) {
    return fail(Errc::Conflict, say::log_changed_while_compressed({.path = plain}));
  }
  std::vector<char> a(kFrameBytes), b(kFrameBytes);
  for (std::uint64_t offset = 0; offset < copy->size(); offset += kFrameBytes) {
    if (stop && stop()) return stopped();
    TY_TRY(const std::size_t from_original, original->read_at(offset, a));
    TY_TRY(const std::size_t from_copy, copy->read_at(offset, b));
    if (from_original != from_copy || std::memcmp(a.data(), b.data(), from_copy) != 0) {
      return fail(Errc::Internal, say::log_compressed_wrongly({.path = plain}));
    }
  }
  return {};
}

}  // namespace

Result<void> compress_log(const std::string& path,
                          int level,
                          const std::function<bool()>& stop,
                          const std::function<void(CompressStep)>& at_step) {
  const auto step = [&](CompressStep now) {
    if (at_step) at_step(now);
  };
  const auto exists = [](const std::string& file) { return ::access(file.c_str(), F_OK) == 0; };
  const std::string index = index_path(path);
  const auto replace = [&](const std::string& plain, CompressStep renamed) -> Result<void> {
    const std::string packed = compressed_path(plain);
    const std::string temporary = packed + std::string(kTemporary);
    auto done = pack(plain, temporary, level, stop, step);
    if (done) done = verify(plain, temporary, stop);
    if (done) {
      step(CompressStep::Verified);
      done = rename_file(temporary, packed);
    }
    if (!done) {
      std::ignore = remove_file(temporary);  // else the next sweep clears it away
      return done;
    }
    step(renamed);
    return {};
  };

  if (!exists(path) && !exists(compressed_path(path))) {
    return fail(Errc::NotFound, say::no_such_log({.path = path}));
  }
  // Afterwards nobody looks at the bytes again; what the index has lost would be lost for good.
  if (exists(path)) TY_DO(repair_index(path, stop));
  // Index first: while X is there readers take X and X.idx, so the order of the rest is free,
  // except that each compressed file must be there, and surely on disk, before its plain one goes.
  if (exists(index)) TY_DO(replace(index, CompressStep::IndexRenamed));
  if (exists(path)) TY_DO(replace(path, CompressStep::LogRenamed));
  TY_DO(sync_folder_of(path));
  TY_DO(remove_file(path));
  step(CompressStep::PlainLogRemoved);
  TY_DO(remove_file(index));
  step(CompressStep::PlainIndexRemoved);
  return {};
}

Result<void> remove_log(const std::string& path) {
  // The log before its index: a crash in between leaves no log that has lost its times.
  TY_DO(remove_file(path));
  TY_DO(remove_file(compressed_path(path)));
  TY_DO(remove_file(usage_path(path)));
  TY_DO(remove_file(index_path(path)));
  return remove_file(compressed_path(index_path(path)));
}

Result<void> remove_job_logs(const std::string& job_logs_dir) {
  std::error_code error;
  std::filesystem::remove_all(job_logs_dir, error);
  if (!error) return {};
  errno = error.value();
  return std::unexpected(file_error("removing", job_logs_dir));
}

namespace {

/// Names in a folder, in no order; nothing for one that cannot be read.
template <class Visit>
void for_each_name(const std::string& folder, Visit visit) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    visit(std::string_view(entry->path().filename().native()));
  }
}

std::uint64_t disk_bytes(const std::string& path) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return 0;
  return static_cast<std::uint64_t>(info.st_blocks) * 512;
}

/// `A.ROLE.I.T.log` out of any of the names a log's files have; empty for others.
std::string_view log_name_of(std::string_view file) {
  constexpr std::string_view kEndings[] = {
      ".log", ".log.idx", ".log.zst", ".log.idx.zst", ".log.usage"};
  for (const std::string_view ending : kEndings) {
    if (file.ends_with(ending)) return file.substr(0, file.size() - ending.size() + 4);
  }
  return {};
}

std::uint64_t log_bytes(const std::string& path) {
  return disk_bytes(path) + disk_bytes(compressed_path(path)) + disk_bytes(index_path(path)) +
         disk_bytes(compressed_path(index_path(path))) + disk_bytes(usage_path(path));
}

class Sweep {
 public:
  Sweep(const std::string& root,
        const KeepPolicy& policy,
        Time now,
        const EndOf& end_of,
        const std::function<bool()>& stop)
      : root_(root), policy_(policy), now_(now), end_of_(end_of), stop_(stop) {}

  SweepReport run() {
    for_each_job(
        [this](const std::string& folder, const std::string& job) { look_at_job(folder, job); });
    if (const auto limit = policy_.max_total) {
      while (report_.total > *limit && !should_stop() && delete_oldest(*limit)) {
      }
    }
    return std::move(report_);
  }

 private:
  struct Victim {
    Time ended;
    std::uint64_t bytes;
    std::string path;
    auto operator<=>(const Victim&) const = default;
  };

  bool should_stop() {
    if (stop_ && stop_()) report_.stopped = true;
    return report_.stopped;
  }

  void fault(const Error& error) {
    if (report_.faults.size() < kMaxFaults) report_.faults.push_back(error.message.text());
  }

  template <class Visit>
  void for_each_job(Visit visit) {
    for_each_name(root_, [&](std::string_view pair) {
      const std::string shelf = root_ + "/" + std::string(pair);
      for_each_name(shelf, [&](std::string_view job) {
        if (!should_stop() && looks_like_job_id(job))
          visit(shelf + "/" + std::string(job), std::string(job));
      });
    });
  }

  /// The logs of one job by path. Its folder is read whole before anything in it changes.
  static std::map<std::string, model::TaskKey> logs_in(const std::string& folder,
                                                       const std::string& job) {
    std::map<std::string, model::TaskKey> logs;
    for_each_name(folder, [&](std::string_view file) {
      const std::string_view name = log_name_of(file);
      if (auto key = parse_log_name(job, name)) {
        logs.emplace(folder + "/" + std::string(name), std::move(*key));
      }
    });
    return logs;
  }

  void remove_temporaries(const std::string& folder) {
    std::vector<std::string> temporaries;
    for_each_name(folder, [&](std::string_view file) {
      if (file.ends_with(kTemporary)) temporaries.push_back(folder + "/" + std::string(file));
    });
    for (const std::string& path : temporaries) {
      if (auto removed = remove_file(path); !removed) fault(removed.error());
    }
  }

  void look_at_job(const std::string& folder, const std::string& job) {
    remove_temporaries(folder);
    const auto logs = logs_in(folder, job);
    if (logs.empty()) remove_if_long_empty(folder);
    for (const auto& [path, key] : logs) {
      ++report_.logs;
      const std::uint64_t before = log_bytes(path);
      report_.total += before;
      const auto ended = end_of_(key);
      if (!ended || should_stop()) continue;
      if (policy_.delete_after && now_ - *ended >= *policy_.delete_after) {
        remove(path, before);
      } else if (policy_.compress_after && now_ - *ended >= *policy_.compress_after) {
        compress(path, before);
      }
    }
  }

  void compress(const std::string& path, std::uint64_t before) {
    if (::access(path.c_str(), F_OK) != 0 && ::access(index_path(path).c_str(), F_OK) != 0) return;
    auto done = compress_log(path, policy_.level, stop_);
    if (!done && should_stop()) return;
    // An index whose log was deleted, by a crash in between: nobody can read it.
    if (!done && done.error().code == Errc::NotFound) done = remove_log(path);
    if (!done) return fault(done.error());
    const std::uint64_t after = log_bytes(path);
    ++report_.compressed;
    report_.saved += before - std::min(before, after);
    report_.total = report_.total - before + after;
  }

  void remove(const std::string& path, std::uint64_t bytes) {
    if (auto done = remove_log(path); !done) return fault(done.error());
    ++report_.deleted;
    report_.total -= std::min(report_.total, bytes);
  }

  /// Deletes from the oldest end on until the total fits. False: there was nothing to delete.
  bool delete_oldest(std::uint64_t limit) {
    std::priority_queue<Victim>
        oldest;  // the youngest of them on top, to be replaced by older ones
    for_each_job([&](const std::string& folder, const std::string& job) {
      for (const auto& [path, key] : logs_in(folder, job)) {
        const auto ended = end_of_(key);
        if (!ended) continue;
        oldest.push({*ended, log_bytes(path), path});
        if (oldest.size() > kVictims) oldest.pop();
      }
    });
    std::vector<Victim> victims;
    for (; !oldest.empty(); oldest.pop()) victims.push_back(oldest.top());
    const std::uint64_t deleted = report_.deleted;
    for (auto victim = victims.rbegin(); victim != victims.rend() && !should_stop(); ++victim) {
      if (report_.total <= limit) break;
      remove(victim->path, victim->bytes);
    }
    return report_.deleted > deleted;
  }

  void remove_if_long_empty(const std::string& folder) {
    struct stat info{};
    if (::stat(folder.c_str(), &info) != 0) return;
    if (now_ - from_millis(static_cast<std::int64_t>(info.st_mtim.tv_sec) * 1000) <
        kEmptyFolderStays)
      return;
    ::rmdir(folder.c_str());  // refuses, rightly, when something is in it
  }

  const std::string& root_;
  const KeepPolicy& policy_;
  Time now_;
  const EndOf& end_of_;
  const std::function<bool()>& stop_;
  SweepReport report_;
};

}  // namespace

Result<SweepReport> sweep(const std::string& logs_root,
                          const KeepPolicy& policy,
                          Time now,
                          const EndOf& end_of,
                          const std::function<bool()>& stop) {
  std::error_code error;
  const std::filesystem::directory_iterator readable(logs_root, error);
  if (error && error != std::errc::no_such_file_or_directory) {
    errno = error.value();
    return std::unexpected(file_error("opening", logs_root));
  }
  return Sweep(logs_root, policy, now, end_of, stop).run();
}

Result<std::uint64_t> total_size(const std::string& logs_root) {
  std::uint64_t total = 0;
  for_each_name(logs_root, [&](std::string_view pair) {
    const std::string shelf = logs_root + "/" + std::string(pair);
    for_each_name(shelf, [&](std::string_view job) {
      const std::string folder = shelf + "/" + std::string(job);
      for_each_name(folder, [&](std::string_view file) {
        if (!log_name_of(file).empty()) total += disk_bytes(folder + "/" + std::string(file));
      });
    });
  });
  return total;
}

}  // namespace ty::telemetry
