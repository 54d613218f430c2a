#include <boost/asio/post.hpp>
#include <utility>

#include "control/cluster/capacity.h"
#include "control/controller.h"
#include "control/jobs/names_of_others.h"
#include "rt/log.h"

/// Between the controller and the scheduler: what it is told of nodes, rules, and tasks that need a
/// place or leave one, and what comes of its plans.
namespace ty::control {

namespace asio = boost::asio;

void Controller::nodes_changed() {
  auto here = [this] {
    if (stopping_) return;  // the engine may be gone
    scheduler_.set_nodes(nodes_to_share());
    leave_broken_gpus();
    plan_wanted_ = true;
    wake();
  };
  asio::post(io_, std::move(here));
}

std::vector<sched::Node> Controller::nodes_to_share() const {
  std::vector<sched::Node> nodes = scheduler_nodes(engine_);
  for (sched::Node& node : nodes) node.draining = draining_.contains(node.name);
  return nodes;
}

void Controller::set_share(SiteShare share) {
  auto here = [this, share = std::move(share)]() mutable {
    if (stopping_ || share.version < share_version_) return;
    share_version_ = share.version;
    draining_ = std::move(share.draining);
    scheduler_.set_policy(share.policy);
    scheduler_.set_accounts(std::move(share.accounts));
    scheduler_.set_reservations(std::move(share.reservations));
    scheduler_.set_nodes(nodes_to_share());
    explained_.clear();
    plan_wanted_ = true;
    wake();
  };
  asio::post(io_, std::move(here));
}

void Controller::free_places(LiveJob& live, const std::vector<model::EndedTry>& ended) {
  for (const model::EndedTry& over : ended) {
    // A task on debug hold has ended for the engine, not for the job: it keeps its place.
    if (holds_a_place(live.task(over.task.ref).state) &&
        live.task(over.task.ref).tries == over.task.tries)
      continue;
    if (over.task.placement) engine_.addresses().release(*over.task.placement);
    scheduler_.release(live.job.id, over.task.ref, clock_.now());
    plan_wanted_ = true;
  }
}

void Controller::count_waiting(LiveJob& live) {
  const model::JobState state = live.job.life.state;
  const bool waits = state == model::JobState::Queued || state == model::JobState::Paused;
  if (waits == live.is_counted) return;
  live.is_counted = waits;
  waits ? waiting_.add(live.job.owner) : waiting_.remove(live.job.owner);
}

void Controller::ask_for_places(LiveJob& live) {
  count_waiting(live);
  const model::JobState state = live.job.life.state;
  // A place in the queue is given for one stretch of waiting.
  if (state != model::JobState::Queued) live.place.reset();
  if (model::is_final(state) || state == model::JobState::Stopping ||
      state == model::JobState::Paused) {
    scheduler_.withdraw_job(live.job.id);
    if (model::is_final(state)) scheduler_.release_job(live.job.id, clock_.now());
    plan_wanted_ = true;
    return;
  }
  const std::vector<model::TaskRef> tasks = progress(live).to_place(clock_.now());
  if (tasks.empty()) return;
  for (sched::Request& request : sched::requests_for(live.job, *live.spec, tasks, host_ports_)) {
    if (request.id.part == 0) request.place = live.place;
    scheduler_.enqueue(std::move(request));
  }
  plan_wanted_ = true;
}

void Controller::plan() {
  plan_wanted_ = false;
  explained_.clear();
  const sched::Plan plan = scheduler_.plan(clock_.now());
  next_look_ = plan.next_look;
  for (const sched::Preempt& preempt : plan.preempt) {
    LiveJob* live = find(preempt.job);
    if (live == nullptr) continue;
    const LiveJob* other = find(preempt.in_favour_of.job);
    // Everybody who may see the one may see the other only within a workspace.
    const bool is_foreign = other == nullptr || other->job.workspace != live->job.workspace;
    log::info("job.preempted job={} for={}", preempt.job.str(), preempt.in_favour_of.job.str());
    Message why = is_foreign ? preempted_for_others(preempt.why) : preempt.why;
    apply(*live, model::fact::Preempted{std::move(why)}, clock_.now());
  }
  for (const sched::Start& start : plan.starts) place(start);
}

void Controller::place(const sched::Start& start) {
  LiveJob* live = find(start.id.job);
  if (live == nullptr) return;
  model::fact::Placed placed;
  for (const sched::Assigned& assigned : start.tasks) {
    model::Placement placement{
        .node = assigned.node, .gpus = assigned.gpus, .gpu_type = assigned.gpu_type};
    placed.tasks.push_back(
        {assigned.task,
         engine_.addresses().settle(*live->spec, assigned.task, std::move(placement))});
  }
  apply(*live, placed, clock_.now());
}

}  // namespace ty::control
