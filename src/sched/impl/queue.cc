#include "sched/impl/queue.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace ty::sched {

namespace {

Ordered::Member member_of(Waiting& w) {
  return {w.standing.queued_at, w.standing.number, w.request.attained, &w};
}

}  // namespace

void Ordered::add(Waiting& waiting) {
  const auto newcomer = member_of(waiting);
  if (size() == 0 || members_.back() < newcomer) {
    members_.push_back(newcomer);
    return;
  }
  const auto head = members_.begin() + static_cast<std::ptrdiff_t>(gone_);
  const auto at = std::lower_bound(head, members_.end(), newcomer);
  if (at == head && gone_ > 0) {
    members_[--gone_] = newcomer;
  } else {
    members_.insert(at, newcomer);
  }
}

void Ordered::remove(Waiting& waiting) {
  const auto head = members_.begin() + static_cast<std::ptrdiff_t>(gone_);
  auto at = std::lower_bound(head, members_.end(), member_of(waiting));
  // Who was moved between the same two often enough stands where another does.
  while (at->who != &waiting) ++at;
  if (at != head) {
    members_.erase(at);
    return;
  }
  ++gone_;
  if (gone_ > 64 && gone_ * 2 > members_.size()) {
    members_.erase(members_.begin(), members_.begin() + static_cast<std::ptrdiff_t>(gone_));
    gone_ = 0;
  }
}

RowKey row_of(const Waiting& w) {
  return {w.standing.front, w.standing.priority, w.standing.workspace, w.standing.level};
}

LineKey line_of(const Waiting& w) {
  LineKey key;
  key.row = row_of(w);
  key.workspace = w.request.workspace;
  key.owner = w.by_owner ? w.request.owner : UserId{};
  key.preemptible = w.request.preemptible;
  key.priority = w.request.priority;
  std::optional<Seconds> runs;
  if (w.likely) runs = std::chrono::duration_cast<Seconds>(*w.likely);
  if (w.request.time_left)
    runs = runs ? std::min(*runs, *w.request.time_left) : *w.request.time_left;
  key.length = runs ? static_cast<int>(std::bit_width(
                          static_cast<std::uint64_t>(std::max<std::int64_t>(runs->count(), 0))))
                    : 64;
  return key;
}

Queue::Queue(const Queue& other) {
  for (const auto& [id, waiting] : other.all_) add(*waiting);
}

Waiting& Queue::add(Waiting waiting) {
  auto owned = std::make_unique<Waiting>(std::move(waiting));
  auto& w = *owned;
  parts_[w.request.id.job].push_back(w.request.id.part);
  all_.emplace(w.request.id, std::move(owned));
  non_preemptible_ += w.request.preemptible ? 0 : 1;
  enter(w);
  return w;
}

Waiting* Queue::find(const RequestId& id) const {
  auto it = all_.find(id);
  return it == all_.end() ? nullptr : it->second.get();
}

void Queue::remove(const RequestId& id) {
  auto it = all_.find(id);
  if (it == all_.end()) return;
  leave(*it->second);
  non_preemptible_ -= it->second->request.preemptible ? 0 : 1;
  auto parts = parts_.find(id.job);
  std::erase(parts->second, id.part);
  if (parts->second.empty()) parts_.erase(parts);
  all_.erase(it);
}

std::vector<RequestId> Queue::parts_of(const JobId& job) const {
  std::vector<RequestId> ids;
  if (auto parts = parts_.find(job); parts != parts_.end()) {
    for (int part : parts->second) ids.push_back({job, part});
  }
  return ids;
}

void Queue::enter(Waiting& waiting) {
  waiting.asleep = waiting.request.not_before.has_value();
  if (waiting.asleep) {
    asleep_.emplace(*waiting.request.not_before, &waiting);
  } else {
    join(waiting);
  }
}

void Queue::wake(Time now) {
  while (!asleep_.empty() && asleep_.begin()->first <= now) {
    auto& waiting = *asleep_.begin()->second;
    asleep_.erase(asleep_.begin());
    waiting.asleep = false;
    join(waiting);
  }
}

std::optional<Time> Queue::next_wake() const {
  if (asleep_.empty()) return std::nullopt;
  return asleep_.begin()->first;
}

void Queue::join(Waiting& waiting) {
  rows_[row_of(waiting)].add(waiting);
  auto& shape = shapes_[waiting.shape->id];
  shape.shape = waiting.shape;
  const auto key = line_of(waiting);
  auto [line, is_new] = shape.lines.try_emplace(key);
  if (is_new) {
    ++shape.lengths[backfill_class_of(key)][key.length];
    shape.by_row[key.row].push_back({backfill_class_of(key), key.length, &line->second});
  }
  line->second.add(waiting);
}

void Queue::leave(Waiting& waiting) {
  if (waiting.asleep) {
    auto [first, last] = asleep_.equal_range(*waiting.request.not_before);
    asleep_.erase(
        std::find_if(first, last, [&](const auto& entry) { return entry.second == &waiting; }));
    return;
  }
  auto row = rows_.find(row_of(waiting));
  row->second.remove(waiting);
  if (row->second.size() == 0) rows_.erase(row);
  auto shape = shapes_.find(waiting.shape->id);
  auto line = shape->second.lines.find(line_of(waiting));
  line->second.remove(waiting);
  if (line->second.size() == 0) {
    auto lengths = shape->second.lengths.find(backfill_class_of(line->first));
    auto length = lengths->second.find(line->first.length);
    if (--length->second == 0) lengths->second.erase(length);
    if (lengths->second.empty()) shape->second.lengths.erase(lengths);
    auto of_row = shape->second.by_row.find(line->first.row);
    std::erase_if(of_row->second, [&](const auto& one) { return one.line == &line->second; });
    if (of_row->second.empty()) shape->second.by_row.erase(of_row);
    shape->second.lines.erase(line);
  }
  if (shape->second.lines.empty()) shapes_.erase(shape);
}

}  // namespace ty::sched
