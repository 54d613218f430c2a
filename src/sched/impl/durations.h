#pragma once
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "base/time.h"

/// How long jobs take, learned from those that ended.
namespace ty::sched {

/// What makes jobs alike, from the most telling to the least.
struct Kind {
  UserId owner;
  std::string name;  ///< numbers at its end do not count: train-17 is like train-18
  WorkspaceId workspace;
  std::int64_t gpus = 0;
};

class Durations {
 public:
  void record(const Kind& kind, Millis ran);
  /// How long a job of this kind that has run for `ran` will have run in all, at the given quantile
  /// (0…1) of its like. Nothing when too few of its like ever ended after running that long.
  std::optional<Millis> expect(const Kind& kind, Millis ran, double quantile) const;

 private:
  /// Counts on a logarithmic scale, four steps per doubling: exact enough for a wait, and it never
  /// grows.
  class Histogram {
   public:
    void add(Millis ran);
    std::optional<Millis> quantile(Millis beyond, double q) const;

   private:
    static constexpr int kSteps = 128;
    std::array<std::uint32_t, kSteps> counts_{};
    std::uint32_t total_ = 0;
  };
  /// The last few.
  struct Recent {
    static constexpr std::size_t kKept = 16;
    std::array<Millis, kKept> ran{};
    std::size_t count = 0;  ///< of all there were
  };

  Histogram all_;
  std::map<std::pair<WorkspaceId, std::int64_t>, Histogram> by_size_;
  std::unordered_map<std::string, Recent> by_name_;
  std::deque<std::string> names_by_age_;
};

}  // namespace ty::sched
