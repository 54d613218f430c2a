#include "sched/impl/future.h"

#include <algorithm>
#include <iterator>

namespace ty::sched {

void Future::collect() {
  if (collected_) return;
  collected_ = true;
  int order = 0;
  for (int slot : s_.running.slots()) {
    const auto& job = s_.running.at(slot);
    if (job.since == now_) continue;
    const auto end = expected_end(job, s_.durations, now_);
    for (const auto& task : job.tasks)
      ends_.push_back({end, true, order++, task.piece, &task.need()});
  }
  std::sort(ends_.begin(), ends_.end());
}

void Future::happen(Cluster& cluster,
                    const std::vector<Event>& events,
                    std::size_t from,
                    std::size_t to) {
  for (auto i = from; i < to; ++i) {
    const auto& e = events[i];
    if (e.frees) {
      cluster.give(e.piece, *e.need);
    } else {
      cluster.take(e.piece, *e.need);
    }
  }
}

std::optional<Hold> Future::find_hold(const Waiting& waiting,
                                      const std::vector<const Waiting*>& ahead) {
  collect();
  std::vector<Event> taken, events;
  int order = 0;
  for (const auto* other : ahead) {
    for (const auto& piece : other->hold->pieces) {
      taken.push_back(
          {other->hold->at, false, order++, piece, &other->shape->groups[piece.group].need});
    }
  }
  std::sort(taken.begin(), taken.end());
  events.reserve(ends_.size() + taken.size());
  std::merge(ends_.begin(), ends_.end(), taken.begin(), taken.end(), std::back_inserter(events));

  const auto& options = s_.options(*waiting.shape);
  Cluster before = s_.cluster;  // after `done` events, and it did not fit
  std::size_t done = 0;
  for (std::size_t step = 1; done < events.size(); step *= 2) {
    Cluster after = before;
    std::size_t until = std::min(done + step, events.size());
    happen(after, events, done, until);
    if (!fits(after, *waiting.shape, options, {})) {
      before = std::move(after);
      done = until;
      continue;
    }
    while (until - done > 1) {
      const auto middle = done + (until - done) / 2;
      Cluster half = before;
      happen(half, events, done, middle);
      if (fits(half, *waiting.shape, options, {})) {
        after = std::move(half);
        until = middle;
      } else {
        before = std::move(half);
        done = middle;
      }
    }
    auto pieces = place(after, *waiting.shape, options, {});
    return Hold{
        std::max(now_, events[until - 1].at), *std::move(pieces), now_, s_.cluster.site_version()};
  }
  return std::nullopt;
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
