#pragma once
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "sched/impl/cluster.h"
#include "sched/impl/shape.h"
#include "sched/request.h"

/// Who waits, in two arrangements at once: rows, to see who ranks first; and lines per shape, to
/// see who could use what is free. A decision looks at heads of rows and lines, never at everyone.
namespace ty::sched {

/// Where and when a blocked request will start: the reservation of backfill scheduling. Others are
/// kept from it (node_reservations.h).
struct PlannedStart {
  Time at{};
  std::vector<Allocation> allocations;
  Time computed{};
  std::uint64_t site_version = 0;
};

/// Where a request stands: its own fields, or those of the request before which a hand has put it.
struct Standing {
  std::int64_t front = 0;  ///< smaller goes first, before any priority; 0 unless moved by hand
  std::int64_t priority = 0;
  WorkspaceId workspace;  ///< it ranks with this one's share
  int level = 0;          ///< magnitude of the service it had (service.h)
  Time queued_at{};
  double number = 0;  ///< breaks ties: order of arrival
};

struct Waiting {
  Request request;
  std::shared_ptr<const Shape> shape;
  Standing standing;
  std::optional<Millis> likely;  ///< how long it will probably run, as known when it came
  bool by_owner = false;         ///< rules about its owner apply to it
  bool asleep = false;           ///< its back-off lasts
  std::optional<PlannedStart> planned_start;
};

/// Waiting requests by queued_at, then number. Heads go first, so the front is taken off without
/// moving the rest.
class Ordered {
 public:
  /// What ranks those of a row is kept here: to look at everyone who waits for it would be dear.
  struct Member {
    Time queued_at{};
    double number = 0;
    Millis attained{0};
    Waiting* who = nullptr;
    bool operator<(const Member& o) const {
      return std::tie(queued_at, number) < std::tie(o.queued_at, o.number);
    }
  };

  std::size_t size() const { return members_.size() - gone_; }
  const Member& member(std::size_t i) const { return members_[gone_ + i]; }
  Waiting& operator[](std::size_t i) const { return *member(i).who; }
  /// Whether its first stands before the first of the other.
  bool before(const Ordered& other) const { return member(0) < other.member(0); }
  void add(Waiting& waiting);
  void remove(Waiting& waiting);

 private:
  std::vector<Member> members_;
  std::size_t gone_ = 0;
};

/// Those whose ranks differ only by when they came.
struct RowKey {
  std::int64_t front = 0;
  std::int64_t priority = 0;
  WorkspaceId workspace;
  int level = 0;
  auto operator<=>(const RowKey&) const = default;
};
struct RowKeyHash {
  std::size_t operator()(const RowKey& key) const {
    std::size_t hash = 0;
    for (const auto part : {key.front, key.priority, key.workspace.value, std::int64_t{key.level}})
      hash = (hash ^ static_cast<std::size_t>(part)) * 0x9e3779b97f4a7c15ULL;
    return hash ^ (hash >> 32);
  }
};

RowKey row_of(const Waiting& waiting);

/// Those of one shape and row to whom also the same rules apply.
struct LineKey {
  RowKey row;
  bool preemptible = false;
  std::int64_t priority = 0;  ///< its own, not the one it stands with
  int length = 0;             ///< bit width of the seconds it will run; 64 when nobody knows
  WorkspaceId workspace;      ///< who pays; differs from the row's after a move by hand
  UserId owner;               ///< 0 unless it matters
  auto operator<=>(const LineKey&) const = default;
};

/// By what rule one may be backfilled past a blocked request: those who could be preempted again,
/// by their priority, and all others.
using BackfillClass = std::pair<bool, std::int64_t>;
inline BackfillClass backfill_class_of(const LineKey& key) {
  return {key.preemptible, key.preemptible ? key.priority : 0};
}

struct ShapeLines {
  std::shared_ptr<const Shape> shape;
  std::map<LineKey, Ordered> lines;
  std::map<BackfillClass, std::map<int, int>> lengths;  ///< how many lines there are of each length
  struct OfRow {
    BackfillClass backfill_class;
    int length = 0;
    const Ordered* line = nullptr;
  };
  std::unordered_map<RowKey, std::vector<OfRow>, RowKeyHash> by_row;
};

struct RequestIdHash {
  std::size_t operator()(const RequestId& id) const {
    return std::hash<JobId>{}(id.job) * 31 + id.part;
  }
};

class Queue {
 public:
  Queue() = default;
  Queue(const Queue& other);
  Queue& operator=(const Queue&) = delete;
  Queue(Queue&&) = default;
  Queue& operator=(Queue&&) = default;

  Waiting& add(Waiting waiting);
  /// Null when nobody of that id waits.
  Waiting* find(const RequestId& id) const;
  void remove(const RequestId& id);
  std::vector<RequestId> parts_of(const JobId& job) const;

  /// Out of its place, to change its standing; then in again where it belongs.
  void leave(Waiting& waiting);
  void enter(Waiting& waiting);

  /// Those whose back-off is over come in. Everybody with a back-off waits for this first.
  void wake(Time now);
  std::optional<Time> next_wake() const;
  const std::multimap<Time, Waiting*>& asleep() const { return asleep_; }

  const std::map<RowKey, Ordered>& rows() const { return rows_; }
  const std::map<int, ShapeLines>& shapes() const { return shapes_; }
  const std::unordered_map<RequestId, std::unique_ptr<Waiting>, RequestIdHash>& all() const {
    return all_;
  }
  std::size_t size() const { return all_.size(); }
  /// How many of them cannot be preempted once they run.
  std::size_t non_preemptible() const { return non_preemptible_; }

 private:
  void join(Waiting& waiting);

  std::unordered_map<RequestId, std::unique_ptr<Waiting>, RequestIdHash> all_;
  std::unordered_map<JobId, std::vector<int>> parts_;
  std::map<RowKey, Ordered> rows_;
  std::map<int, ShapeLines> shapes_;  ///< by Shape::id
  std::multimap<Time, Waiting*> asleep_;
  std::size_t non_preemptible_ = 0;
};

RowKey row_of(const Waiting& waiting);
LineKey line_of(const Waiting& waiting);

}  // namespace ty::sched
