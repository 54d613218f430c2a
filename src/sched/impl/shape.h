#pragma once
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sched/explanation.h"
#include "sched/impl/amount.h"
#include "sched/request.h"

/// What a request needs, without who asks. Thousands of waiting requests share a handful of shapes,
/// and what does not fit for one of them does not fit for all: this is why a long queue costs
/// nothing.
namespace ty::sched {

struct TaskNeed {
  Amount amount;
  std::vector<std::string> gpu_types;  ///< any of these, the first the dearest; empty: any
  std::map<std::string, std::int64_t> devices;
  model::TextMap labels;
  std::vector<int> ports;  ///< sorted
};

struct ShapeGroup {
  TaskNeed need;
  int count = 0;
  int min_tasks = 0;
};

/// A class of nodes that could run a task, and which of its GPU types would.
struct Option {
  int klass = 0;
  int type = -1;  ///< position in NodeClass::types; -1 when no GPU is asked for
};

/// Where the tasks of a group could run.
struct GroupOptions {
  std::vector<Option> all;
  std::vector<std::vector<Option>>
      by_type;  ///< of one GPU type each, dearest first, then all; empty where there is no choice
};

struct Shape {
  int id = 0;  ///< small number, reused after its last request is gone
  std::vector<ShapeGroup> groups;
  std::vector<int> hardest_first;  ///< order in which groups are placed
  int tasks = 0;
  int min_tasks = 0;
  Amount total;             ///< of all tasks
  Amount least;             ///< of the smallest start allowed
  std::int64_t widest = 0;  ///< most GPUs of one task

  bool elastic() const { return min_tasks < tasks; }
};

/// What was found out about a shape and need not be found out again.
struct ShapeMemo {
  std::uint64_t options_for_site = 0;  ///< Cluster::site_version() of `options`
  std::vector<GroupOptions> options;   ///< per group
  std::uint64_t never_for_site = 0;    ///< Cluster::site_version() of `never`
  std::vector<Statement> never;        ///< why the site, even empty, has no room; empty: it has
  std::uint64_t fitted_at = 0;         ///< Cluster::version() at which it last fitted
  std::uint64_t did_not_fit_at = 0;    ///< Cluster::freed_version() at which it last did not fit
  std::uint64_t no_victims_at = 0;  ///< State::changes at which stopping others was last of no use…
  std::pair<int, std::int64_t> no_victims_for;  ///< …to one of this level and -priority
};

/// Hands out one Shape per different need. A copy of the table may go its own way: shapes are
/// immutable and shared, memos are not.
class ShapeTable {
 public:
  std::shared_ptr<const Shape> intern(const Request& request);
  ShapeMemo& memo(const Shape& shape) { return memos_[shape.id]; }

 private:
  struct Known {
    std::weak_ptr<const Shape> shape;
    int id = 0;
  };
  void sweep();
  std::unordered_map<std::string, Known> known_;
  std::size_t sweep_at_ = 64;
  std::vector<int> spare_ids_;
  std::vector<ShapeMemo> memos_;
  /// The last few new ones stay known though nobody waits with them: jobs come one by one, and the
  /// next is like the one before.
  std::array<std::shared_ptr<const Shape>, 32> recent_;
  std::size_t next_recent_ = 0;
};

}  // namespace ty::sched
