#include "sched/impl/future.h"

#include <algorithm>
#include <set>

#include "sched/impl/trial.h"

namespace ty::sched {

namespace {

/// What will happen, in order: running jobs end, and holds ahead take their pieces.
class Course {
 public:
  Course(const State& state, Time now, const std::vector<const Waiting*>& ahead)
      : s_(state),
        now_(now),
        ahead_(ahead),
        next_known_(state.endings.known().begin()),
        next_guess_(state.endings.guessed().rbegin()) {
    for (std::size_t i = 0; i < ahead.size(); ++i) taken_.emplace_back(ahead[i]->hold->at, i);
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
    if (next_known_ != s_.endings.known().end() && next_known_->second == end->second) {
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
      for (const auto& task : event.ends->tasks) trial.give(task.piece, task.need());
      return;
    }
    for (const auto& piece : event.takes->hold->pieces)
      trial.take(piece, event.takes->shape->groups[piece.group].need);
  }

 private:
  /// Who of those who run is expected to end next. Those whom this decision starts are not counted
  /// on.
  std::optional<Endings::Moment> next_end() {
    const auto is_new = [this](int slot) { return s_.running.at(slot).since == now_; };
    while (next_known_ != s_.endings.known().end() && is_new(next_known_->second)) ++next_known_;
    while (next_guess_ != s_.endings.guessed().rend() && is_new(next_guess_->second)) ++next_guess_;
    std::optional<Endings::Moment> first;
    if (next_known_ != s_.endings.known().end()) first = *next_known_;
    if (next_guess_ != s_.endings.guessed().rend()) {
      const Time at = guessed_end(next_guess_->first, now_);
      if (!first || at < first->first) first = Endings::Moment{at, next_guess_->second};
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
  std::set<Endings::Moment>::const_iterator next_known_;
  std::set<Endings::Moment>::const_reverse_iterator next_guess_;
  std::vector<std::pair<Time, std::size_t>> taken_;  ///< when, and whose of `ahead_`
  std::size_t next_taken_ = 0;
  std::vector<Event> events_;
};

}  // namespace

std::optional<Hold> Future::find_hold(const Waiting& waiting,
                                      const std::vector<const Waiting*>& ahead) {
  const auto& options = s_.options(*waiting.shape);
  Course course(s_, now_, ahead);
  Trial trial(s_.cluster);
  std::vector<std::size_t> marks{0};  // where the trial was after so many events
  const auto fits_after = [&](std::size_t events) {
    if (marks.size() > events + 1) {
      marks.resize(events + 1);
      trial.back_to(marks.back());
    }
    while (marks.size() <= events) {
      course.happen(trial, marks.size() - 1);
      marks.push_back(trial.mark());
    }
    return fits(s_.cluster, *waiting.shape, options, {});
  };
  std::size_t done = 0;  // after so many events it does not fit
  for (std::size_t step = 1;; step *= 2) {
    std::size_t until = done;
    while (until < done + step && (until < course.known() || course.next())) ++until;
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
    auto pieces = find_place(s_.cluster, *waiting.shape, options, {});
    return Hold{
        std::max(now_, course.at(until - 1)), *std::move(pieces), now_, s_.cluster.site_version()};
  }
}

void raise_fences(
    Fences& fences, const State& state, const Waiting& waiting, const Hold& hold, Time now) {
  std::map<int, Amount> needed;
  for (const auto& piece : hold.pieces)
    needed[piece.node] += waiting.shape->groups[piece.group].need.amount;
  for (auto& [node, keep] : needed) {
    const auto& here = state.running.on_node(node);
    for (std::size_t i = 0; i < here.size(); ++i) {
      if (std::ranges::find(here.begin(), here.begin() + static_cast<std::ptrdiff_t>(i), here[i]) !=
          here.begin() + static_cast<std::ptrdiff_t>(i)) {
        continue;  // a job with several tasks here is listed once for each
      }
      const auto& job = state.running.at(here[i]);
      // The hold counts on those it saw, even by a guess; of later ones only on what is known.
      const auto known = known_end(job, state.durations, now);
      const bool seen = job.since < hold.computed;
      if (known ? *known > hold.at : !seen) continue;
      for (const auto& task : job.tasks) {
        if (task.piece.node == node) keep -= task.need().amount;
      }
    }
    keep.cpu_milli = std::max<std::int64_t>(keep.cpu_milli, 0);
    keep.memory = std::max<std::int64_t>(keep.memory, 0);
    keep.gpus = std::max<std::int64_t>(keep.gpus, 0);
    Fence fence{hold.at, keep, nullptr, 0};
    // Whoever can be asked to leave again may stay until then.
    using Limits = std::numeric_limits<std::int64_t>;
    fence.for_priority = !state.policy.preemption               ? Limits::min()
                         : state.policy.order == Order::Service ? Limits::max()
                                                                : waiting.request.priority;
    fences.add(node, fence);
  }
}

}  // namespace ty::sched
