#include "sched/impl/lookahead.h"

#include <algorithm>
#include <set>

#include "sched/impl/trial.h"

namespace ty::sched {

namespace {

/// What will happen, in order: running jobs end, and planned starts ahead take their nodes.
class Timeline {
 public:
  Timeline(const State& state, Time now, const std::vector<const Waiting*>& ahead)
      : s_(state),
        now_(now),
        ahead_(ahead),
        next_known_(state.expected_ends.known().begin()),
        next_guess_(state.expected_ends.guessed().rbegin()) {
    for (std::size_t i = 0; i < ahead.size(); ++i)
      taken_.emplace_back(ahead[i]->planned_start->at, i);
    std::ranges::sort(taken_);
  }

  /// The next event, or false when nothing more happens. Of those of one moment, ends come first.
  bool next() {
    const auto end = next_end();
    if (next_taken_ < taken_.size() && (!end || taken_[next_taken_].first < end->first)) {
      const auto& [at, who] = taken_[next_taken_++];
      events_.push_back({at, nullptr, ahead_[who]});
      return true;
    }
    if (!end) return false;
    events_.push_back({end->first, &s_.running.at(end->second), nullptr});
    if (next_known_ != s_.expected_ends.known().end() && next_known_->second == end->second) {
      ++next_known_;
    } else {
      ++next_guess_;
    }
    return true;
  }

  std::size_t known() const { return events_.size(); }
  Time at(std::size_t i) const { return events_[i].at; }
  void happen(Trial& trial, std::size_t i) const {
    const auto& event = events_[i];
    if (event.ends != nullptr) {
      for (const auto& task : event.ends->tasks) trial.give(task.allocation, task.need());
      return;
    }
    for (const auto& allocation : event.takes->planned_start->allocations)
      trial.take(allocation, event.takes->shape->groups[allocation.group].need);
  }

 private:
  /// Who of those who run is expected to end next. Those whom this decision starts are not counted
  /// on.
  std::optional<ExpectedEnds::Moment> next_end() {
    const auto is_new = [this](int slot) { return s_.running.at(slot).since == now_; };
    while (next_known_ != s_.expected_ends.known().end() && is_new(next_known_->second))
      ++next_known_;
    while (next_guess_ != s_.expected_ends.guessed().rend() && is_new(next_guess_->second))
      ++next_guess_;
    std::optional<ExpectedEnds::Moment> first;
    if (next_known_ != s_.expected_ends.known().end()) first = *next_known_;
    if (next_guess_ != s_.expected_ends.guessed().rend()) {
      const Time at = guessed_end(next_guess_->first, now_);
      if (!first || at < first->first) first = ExpectedEnds::Moment{at, next_guess_->second};
    }
    return first;
  }

  struct Event {
    Time at{};
    const RunningJob* ends = nullptr;
    const Waiting* takes = nullptr;
  };

  const State& s_;
  Time now_;
  const std::vector<const Waiting*>& ahead_;
  std::set<ExpectedEnds::Moment>::const_iterator next_known_;
  std::set<ExpectedEnds::Moment>::const_reverse_iterator next_guess_;
  std::vector<std::pair<Time, std::size_t>> taken_;  ///< when, and whose of `ahead_`
  std::size_t next_taken_ = 0;
  std::vector<Event> events_;
};

}  // namespace

std::optional<PlannedStart> Lookahead::earliest_start(const Waiting& waiting,
                                                      const std::vector<const Waiting*>& ahead) {
  const auto& options = s_.options(*waiting.shape);
  Timeline timeline(s_, now_, ahead);
  Trial trial(s_.cluster);
  std::vector<std::size_t> marks{0};  // where the trial was after so many events
  const auto fits_after = [&](std::size_t events) {
    if (marks.size() > events + 1) {
      marks.resize(events + 1);
      trial.back_to(marks.back());
    }
    while (marks.size() <= events) {
      timeline.happen(trial, marks.size() - 1);
      marks.push_back(trial.mark());
    }
    return fits(s_.cluster, *waiting.shape, options, {});
  };
  std::size_t done = 0;  // after so many events it does not fit
  for (std::size_t step = 1;; step *= 2) {
    std::size_t until = done;
    while (until < done + step && (until < timeline.known() || timeline.next())) ++until;
    if (until == done) return std::nullopt;
    if (!fits_after(until)) {
      done = until;
      continue;
    }
    while (until - done > 1) {
      const auto middle = done + (until - done) / 2;
      (fits_after(middle) ? until : done) = middle;
    }
    fits_after(until);
    auto allocations = find_place(s_.cluster, *waiting.shape, options, {});
    return PlannedStart{std::max(now_, timeline.at(until - 1)),
                        *std::move(allocations),
                        now_,
                        s_.cluster.site_version()};
  }
}

void reserve_nodes(NodeReservations& node_reservations,
                   const State& state,
                   const Waiting& waiting,
                   const PlannedStart& planned,
                   Time now) {
  std::map<int, Amount> needed;
  for (const auto& allocation : planned.allocations)
    needed[allocation.node] += waiting.shape->groups[allocation.group].need.amount;
  for (auto& [node, keep] : needed) {
    const auto& here = state.running.on_node(node);
    for (std::size_t i = 0; i < here.size(); ++i) {
      if (std::ranges::find(here.begin(), here.begin() + static_cast<std::ptrdiff_t>(i), here[i]) !=
          here.begin() + static_cast<std::ptrdiff_t>(i)) {
        continue;  // a job with several tasks here is listed once for each
      }
      const auto& job = state.running.at(here[i]);
      // The planned start counts on those it saw, even by a guess; of later ones only on what is
      // known.
      const auto known = known_end(job, state.durations, now);
      const bool seen = job.since < planned.computed;
      if (known ? *known > planned.at : !seen) continue;
      for (const auto& task : job.tasks) {
        if (task.allocation.node == node) keep -= task.need().amount;
      }
    }
    keep.cpu_milli = std::max<std::int64_t>(keep.cpu_milli, 0);
    keep.memory = std::max<std::int64_t>(keep.memory, 0);
    keep.gpus = std::max<std::int64_t>(keep.gpus, 0);
    NodeReservation reservation{planned.at, keep, nullptr, 0};
    // Whoever can be asked to leave again may stay until then.
    using Limits = std::numeric_limits<std::int64_t>;
    reservation.for_priority = !state.policy.preemption               ? Limits::min()
                               : state.policy.order == Order::Service ? Limits::max()
                                                                      : waiting.request.priority;
    node_reservations.add(node, reservation);
  }
}

}  // namespace ty::sched
