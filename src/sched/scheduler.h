#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "sched/explanation.h"
#include "sched/plan.h"
#include "sched/policy.h"
#include "sched/request.h"
#include "sched/world.h"

namespace ty::sched {

struct State;  // impl/state.h

/// What of a node is taken, and by whom.
struct NodeUse {
  std::string name;
  std::int64_t cpu_milli = 0;
  std::int64_t memory = 0;
  std::vector<int> gpus;
  std::vector<JobId> jobs;
};

/// A question about a waiting request with a copy of all that its answer depends on.
class Inquiry {
 public:
  ~Inquiry();
  Inquiry(Inquiry&&) noexcept;
  Inquiry& operator=(Inquiry&&) noexcept;
  /// Once, on any thread.
  Explanation answer();

 private:
  friend class Scheduler;
  struct Parts;
  explicit Inquiry(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

/// Decides who starts next, where, and why the others wait. It holds the waiting requests and the
/// resources in use, and nothing else: no clock, no I/O; the same calls give the same plans. Not
/// thread-safe: one owner calls it.
///
/// Its owner tells it facts (`set_…`, `enqueue`, `withdraw`, `occupy`, `release`), asks for a
/// `plan`, and carries it out. A start counts as in use from the moment it is planned; if it cannot
/// be carried out, `release` it and `enqueue` it again.
class Scheduler {
 public:
  explicit Scheduler(Policy policy = {});
  ~Scheduler();
  Scheduler(Scheduler&&) noexcept;
  Scheduler& operator=(Scheduler&&) noexcept;

  /// The world as it is now, whole each time. What is in use on a node that went away stays in use,
  /// and is found again when the node comes back.
  void set_policy(Policy policy);
  void set_nodes(std::vector<Node> nodes);
  void set_accounts(std::vector<Account> accounts);
  void set_reservations(std::vector<Reservation> reservations);

  /// A request with the id of a waiting one replaces it and keeps its place in the queue.
  void enqueue(Request request);
  /// It no longer waits; unknown ids are fine.
  void withdraw(const RequestId& id);
  void withdraw_job(const JobId& job);
  /// An administrator's hand: `id` goes right before `other`, or with no `other` to the very front.
  /// Answers the place it has now; a request that is enqueued with it stands there again.
  Result<Place> move_before(const RequestId& id, const std::optional<RequestId>& other);

  /// Tasks that run already, as found after a restart. Repeats safely.
  void occupy(const Request& request, const std::vector<Assigned>& tasks, Time since);
  /// The task's resources are free again; unknown tasks are fine.
  void release(const JobId& job, model::TaskRef task, Time now);
  /// Nothing of the job runs any more. Of those that completed it learns how long such jobs take.
  enum class Ended : std::uint8_t { Completed, Interrupted };
  void release_job(const JobId& job, Time now, Ended ended = Ended::Completed);

  /// Decides. Cheap when nothing changed; its cost depends on what can start, not on how much
  /// waits.
  Plan plan(Time now);

  /// Whether the nodes, all empty, drained ones included, and the account's limit could run it. The
  /// error says what is asked for and the most there is.
  Result<void> fits_ever(const Request& request) const;

  /// Why it waits and where it stands; cheap. `Estimate` adds what takes a look into the future:
  /// when it will start. `Full` adds what would start it now.
  enum class Detail : std::uint8_t { Reason, Estimate, Full };
  Explanation explain(const RequestId& id, Time now, Detail detail = Detail::Reason) const;
  /// The same in steps, for those who decide on this thread and have others to think on: `inquire`
  /// and `learn` belong to the scheduler's owner, the answer may be found out anywhere.
  Inquiry inquire(const RequestId& id, Time now, Detail detail) const;
  /// How right the estimate was is learned when the job starts.
  void learn(const Inquiry& inquiry) const;
  /// The queue in the order of decisions.
  std::vector<QueueEntry> queue(Time now, std::size_t offset, std::size_t limit) const;
  std::size_t waiting() const;
  std::vector<NodeUse> nodes_in_use() const;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace ty::sched
