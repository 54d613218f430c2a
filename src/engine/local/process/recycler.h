#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/result.h"

namespace ty::engine {

/// The folder that a path lies in.
inline std::string parent_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

/// Makes and removes run folders without making anybody wait for the disk: making and freeing a
/// dozen files and folders can take it longer than many tasks take. A job's folder with one run
/// folder in it that holds just what it was made with is kept, and given to the next task that
/// needs the same; everything else is moved aside at once and removed by a thread of its own. What
/// is still aside when the program ends goes at the next start.
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

  /// What will be made in a run folder: paths inside it, folders with a `/` at their end.
  using Shape = std::set<std::string>;

  /// Makes `<runs>/ab/JOB/NAME` and what it needs above. Already there is fine. With a shape it may
  /// hold just these files and folders already, the files with words of another task: the caller
  /// writes each of them.
  Result<void> make(const std::string& run_dir, const Shape& shape = {});
  /// Takes away the run folder and what lies beside it. Nothing there is fine.
  Result<void> remove(const std::string& run_dir);

 private:
  using Spare = std::pair<std::string, Shape>;  // the run folder's name, and what is in it

  bool reuse(const std::string& run_dir, const Shape& shape);
  bool keep(const std::string& run_dir);
  Result<void> move_aside(const std::string& path);
  void clean_later(std::string path);
  void clean();

  const std::string runs_;
  std::mutex
      folders_;       // held while folders are moved: a job's folder goes only when nobody joins it
  std::mutex mutex_;  // the members below
  std::condition_variable changed_;
  std::uint64_t next_ = 0;
  std::map<Spare, std::vector<std::string>> spare_;  // asked for at least once
  std::size_t spare_count_ = 0;
  std::deque<std::string> queue_;
  bool is_closing_ = false;
  std::thread thread_;
};

}  // namespace ty::engine
