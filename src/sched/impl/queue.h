#pragma once
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sched/impl/cluster.h"
#include "sched/impl/shape.h"
#include "sched/request.h"

/// Who waits. Requests that only differ in when they came stand in one line, so a decision looks at
/// the heads of lines and not at everyone.
namespace ty::sched {

/// Where and when a blocked request will find its room; others are kept from it (fences.h).
struct Hold {
  Time at{};
  std::vector<Piece> pieces;
  Time computed{};
  std::uint64_t site_version = 0;
};

/// Where a request stands: its own fields, or those of the request before which a hand has put it.
struct Standing {
  std::int64_t front = 0;  ///< smaller goes first, before any priority; 0 unless moved by hand
  std::int64_t priority = 0;
  WorkspaceId workspace;  ///< whose turn it takes
  Time queued_at{};
  double number = 0;  ///< breaks ties: order of arrival
};

/// What the members of a line have in common.
struct LineKey {
  int shape = 0;  ///< Shape::id
  WorkspaceId workspace;
  UserId owner;  ///< 0 unless it matters
  std::int64_t front = 0;
  std::int64_t priority = 0;  ///< of the standing
  WorkspaceId standing;
  bool preemptible = false;
  int length = 0;  ///< magnitude of the time limit
  int level = 0;   ///< Waiting::level
  auto operator<=>(const LineKey&) const = default;
};

struct Line;

struct Waiting {
  Request request;
  std::shared_ptr<const Shape> shape;
  Standing standing;
  int level = 0;         ///< magnitude of the service it had
  Line* line = nullptr;  ///< null while its back-off lasts
  std::optional<Hold> hold;
};

struct Line {
  LineKey key;
  std::shared_ptr<const Shape> shape;
  std::vector<Waiting*>
      members;  ///< by queued_at, then number; the first `gone` are no longer there
  std::size_t gone = 0;
  std::uint64_t no_victims = 0;  ///< State::changes at which preemption was last found useless

  std::size_t size() const { return members.size() - gone; }
  Waiting& at(std::size_t i) const { return *members[gone + i]; }
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

  Waiting& add(Waiting waiting, bool owner_matters);
  /// Null when nobody of that id waits.
  Waiting* find(const RequestId& id);
  const Waiting* find(const RequestId& id) const;
  void remove(const RequestId& id);
  void remove_job(const JobId& job);
  /// Out of its line, to change its standing; then in again where it belongs.
  void leave(Waiting& waiting);
  void enter(Waiting& waiting, bool owner_matters);

  /// Those whose back-off is over join their lines. Everybody with a back-off waits for this first.
  void wake(Time now);
  std::optional<Time> next_wake() const;

  const std::map<LineKey, std::unique_ptr<Line>>& lines() const { return lines_; }
  const std::unordered_map<RequestId, std::unique_ptr<Waiting>, RequestIdHash>& all() const {
    return all_;
  }
  std::size_t size() const { return all_.size(); }
  /// Parts of a job that wait.
  std::vector<RequestId> parts_of(const JobId& job) const;

 private:
  struct Later {
    Waiting* waiting;
    LineKey key;
  };
  void join(Waiting& waiting, const LineKey& key);

  std::unordered_map<RequestId, std::unique_ptr<Waiting>, RequestIdHash> all_;
  std::unordered_map<JobId, std::vector<int>> parts_;
  std::map<LineKey, std::unique_ptr<Line>> lines_;
  std::multimap<Time, Later> later_;
};

/// Before `b` in its line?
bool stands_before(const Waiting& a, const Waiting& b);

}  // namespace ty::sched
