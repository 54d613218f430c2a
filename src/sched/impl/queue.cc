#include "sched/impl/queue.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace ty::sched {
namespace {

LineKey key_of(const Waiting& w, bool owner_matters) {
  LineKey key;
  key.shape = w.shape->id;
  key.workspace = w.request.workspace;
  key.owner = owner_matters ? w.request.owner : UserId{};
  key.front = w.standing.front;
  key.priority = w.standing.priority;
  key.standing = w.standing.workspace;
  key.preemptible = w.request.preemptible;
  key.length = w.request.time_left ? static_cast<int>(std::bit_width(static_cast<std::uint64_t>(
                                         std::max<std::int64_t>(w.request.time_left->count(), 0))))
                                   : 64;
  key.level = w.level;
  return key;
}

}  // namespace

bool stands_before(const Waiting& a, const Waiting& b) {
  return std::tie(a.standing.queued_at, a.standing.number) <
         std::tie(b.standing.queued_at, b.standing.number);
}

Queue::Queue(const Queue& other) : parts_(other.parts_) {
  for (const auto& [key, line] : other.lines_) {
    auto copy = std::make_unique<Line>();
    copy->key = key;
    copy->shape = line->shape;
    copy->no_victims = line->no_victims;
    copy->members.reserve(line->size());
    for (std::size_t i = 0; i < line->size(); ++i) {
      auto waiting = std::make_unique<Waiting>(line->at(i));
      waiting->line = copy.get();
      copy->members.push_back(waiting.get());
      all_.emplace(waiting->request.id, std::move(waiting));
    }
    lines_.emplace(key, std::move(copy));
  }
  for (const auto& [when, later] : other.later_) {
    auto waiting = std::make_unique<Waiting>(*later.waiting);
    later_.emplace(when, Later{waiting.get(), later.key});
    all_.emplace(waiting->request.id, std::move(waiting));
  }
}

Waiting& Queue::add(Waiting waiting, bool owner_matters) {
  auto owned = std::make_unique<Waiting>(std::move(waiting));
  auto& w = *owned;
  parts_[w.request.id.job].push_back(w.request.id.part);
  all_.emplace(w.request.id, std::move(owned));
  enter(w, owner_matters);
  return w;
}

Waiting* Queue::find(const RequestId& id) {
  auto it = all_.find(id);
  return it == all_.end() ? nullptr : it->second.get();
}

const Waiting* Queue::find(const RequestId& id) const {
  auto it = all_.find(id);
  return it == all_.end() ? nullptr : it->second.get();
}

void Queue::remove(const RequestId& id) {
  auto it = all_.find(id);
  if (it == all_.end()) return;
  leave(*it->second);
  auto parts = parts_.find(id.job);
  std::erase(parts->second, id.part);
  if (parts->second.empty()) parts_.erase(parts);
  all_.erase(it);
}

void Queue::remove_job(const JobId& job) {
  for (const auto& id : parts_of(job)) remove(id);
}

std::vector<RequestId> Queue::parts_of(const JobId& job) const {
  std::vector<RequestId> ids;
  if (auto parts = parts_.find(job); parts != parts_.end()) {
    for (int part : parts->second) ids.push_back({job, part});
  }
  return ids;
}

void Queue::enter(Waiting& waiting, bool owner_matters) {
  const auto key = key_of(waiting, owner_matters);
  if (waiting.request.not_before) {
    later_.emplace(*waiting.request.not_before, Later{&waiting, key});
  } else {
    join(waiting, key);
  }
}

void Queue::wake(Time now) {
  while (!later_.empty() && later_.begin()->first <= now) {
    auto later = later_.begin()->second;
    later_.erase(later_.begin());
    join(*later.waiting, later.key);
  }
}

std::optional<Time> Queue::next_wake() const {
  if (later_.empty()) return std::nullopt;
  return later_.begin()->first;
}

void Queue::join(Waiting& waiting, const LineKey& key) {
  auto& line = lines_[key];
  if (!line) {
    line = std::make_unique<Line>();
    line->key = key;
    line->shape = waiting.shape;
  }
  waiting.line = line.get();
  auto& m = line->members;
  if (line->size() == 0 || stands_before(*m.back(), waiting)) {
    m.push_back(&waiting);
    return;
  }
  auto at =
      std::lower_bound(m.begin() + static_cast<std::ptrdiff_t>(line->gone),
                       m.end(),
                       &waiting,
                       [](const Waiting* a, const Waiting* b) { return stands_before(*a, *b); });
  if (at == m.begin() + static_cast<std::ptrdiff_t>(line->gone) && line->gone > 0) {
    m[--line->gone] = &waiting;
  } else {
    m.insert(at, &waiting);
  }
}

void Queue::leave(Waiting& waiting) {
  if (waiting.line == nullptr) {
    std::erase_if(later_, [&](const auto& entry) { return entry.second.waiting == &waiting; });
    return;
  }
  auto& line = *waiting.line;
  auto& m = line.members;
  auto at =
      std::lower_bound(m.begin() + static_cast<std::ptrdiff_t>(line.gone),
                       m.end(),
                       &waiting,
                       [](const Waiting* a, const Waiting* b) { return stands_before(*a, *b); });
  if (at == m.begin() + static_cast<std::ptrdiff_t>(line.gone)) {
    ++line.gone;  // the usual case: the head goes, and nobody has to move up
    if (line.gone > 64 && line.gone * 2 > m.size()) {
      m.erase(m.begin(), m.begin() + static_cast<std::ptrdiff_t>(line.gone));
      line.gone = 0;
    }
  } else {
    m.erase(at);
  }
  waiting.line = nullptr;
  if (line.size() == 0) lines_.erase(line.key);
}

}  // namespace ty::sched
