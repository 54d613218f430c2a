#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "base/result.h"

namespace ty::engine {

/// The folder that a path lies in.
inline std::string parent_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

/// Makes and removes run folders without making anybody wait for the disk: freeing a dozen files
/// and folders can take it longer than many tasks take. What goes is moved aside at once and
/// removed by a thread of its own; what is still aside when the program ends goes at the next
/// start. No folder is used twice: a task may have given descriptors of it to others who live on.
///
/// Safe to call from any thread; one per data directory, and all run folders go through it.
class Recycler {
 public:
  /// `runs` is `<data_dir>/runs`; made if it is not there.
  explicit Recycler(std::string runs);
  /// Leaves unfinished work to the next start.
  ~Recycler();
  Recycler(const Recycler&) = delete;
  Recycler& operator=(const Recycler&) = delete;

  /// Makes `<runs>/ab/JOB/NAME` and what it needs above. Already there is fine.
  Result<void> make(const std::string& run_dir);
  /// Takes away the run folder and what lies beside it. Nothing there is fine.
  Result<void> remove(const std::string& run_dir);

 private:
  Result<void> move_aside(const std::string& path);
  void clean_later(std::string path);
  void clean();

  const std::string runs_;
  std::mutex
      folders_;       // held while folders are moved: a job's folder goes only when nobody joins it
  std::mutex mutex_;  // the members below
  std::condition_variable changed_;
  std::uint64_t next_ = 0;
  std::deque<std::string> queue_;
  bool is_closing_ = false;
  std::thread thread_;
};

}  // namespace ty::engine
