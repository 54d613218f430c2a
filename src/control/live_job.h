#pragma once
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "control/jobs/held_spec.h"
#include "model/job.h"
#include "model/job_progress.h"
#include "model/job_spec.h"
#include "sched/request.h"

namespace ty::control {

/// Its resources are taken, whether or not it runs yet.
inline bool holds_a_place(model::TaskState state) {
  return state == model::TaskState::Starting || state == model::TaskState::Running ||
         state == model::TaskState::Stopping;
}

/// What facts have done to a job and the store does not know yet. Stored as one change, then acted
/// on.
struct Unsaved {
  std::set<model::TaskRef> tasks;
  std::vector<model::EndedTry> ended;
  std::vector<model::Note> notes;
  std::vector<model::TaskRef> start;
  std::vector<model::StopTask> stop;
  bool limit_moved = false;  ///< the engine must learn the new deadline

  void add(Unsaved later) {
    const auto append = [](auto& to, auto& from) {
      to.insert(to.end(), std::move_iterator(from.begin()), std::move_iterator(from.end()));
    };
    tasks.merge(later.tasks);
    append(ended, later.ended);
    append(notes, later.notes);
    append(start, later.start);
    append(stop, later.stop);
    limit_moved |= later.limit_moved;
  }
};

/// A job that is not final, as the controller holds it. Its `job.life` may be ahead of the store by
/// `unsaved`.
struct LiveJob {
  model::Job job;
  HeldSpec spec;
  std::optional<Unsaved> unsaved;
  std::uint64_t changed_in = 0;                ///< the save that its last change goes with
  std::map<model::TaskRef, Message> progress;  ///< what tasks that are being started wait for
  std::vector<Message> warnings;               ///< told already
  std::optional<Time> deadline;                ///< its entry in the controller's deadlines
  bool is_counted = false;                     ///< among the jobs of its owner that wait
  std::optional<sched::Place> place;           ///< in the queue, where an administrator has put it

  model::Task& task(model::TaskRef ref) {
    for (model::Task& task : job.life.tasks) {
      if (task.ref == ref) return task;
    }
    TY_CHECK(false, "a job knows its own tasks");
    __builtin_unreachable();
  }
};

}  // namespace ty::control
