#include "sched/impl/reclaimable.h"

#include <algorithm>

namespace ty::sched {
namespace {

/// Of tasks without GPUs; whether they really fit is not what is asked here.
constexpr std::int64_t kAnyNumber = 1'000'000;

}  // namespace

std::int64_t Reclaimable::Room::tasks(int klass, std::int64_t each) const {
  const auto* nodes = &nodes_[static_cast<std::size_t>(klass) * width_];
  std::int64_t tasks = 0;
  for (auto gpus = static_cast<std::size_t>(each); gpus < width_; ++gpus)
    tasks += nodes[gpus] * (each > 0 ? static_cast<std::int64_t>(gpus) / each : kAnyNumber);
  return tasks;
}

void Reclaimable::Room::set(int node, int klass, std::int32_t gpus) {
  const auto row = static_cast<std::size_t>(klass) * width_;
  --nodes_[row + static_cast<std::size_t>(gpus_[node])];
  gpus_[node] = gpus;
  ++nodes_[row + static_cast<std::size_t>(gpus)];
}

void Reclaimable::touch(int node) {
  if (log_.size() == kLog) {
    forgotten_ += kLog;
    log_.clear();
  }
  log_.push_back(node);
}

void Reclaimable::add(std::int64_t priority, int node, std::int64_t gpus) {
  touch(node);
  if (gpus == 0) return;
  auto& held = by_priority_[priority];
  if (held.size() <= static_cast<std::size_t>(node)) held.resize(node + 1);
  held[node] += static_cast<std::int32_t>(gpus);
}

const Reclaimable::Room& Reclaimable::room(const Cluster& cluster, std::int64_t priority) const {
  if (rooms_.size() >= kRooms && !rooms_.contains(priority)) rooms_.clear();
  auto& room = rooms_[priority];
  if (room.site_ != cluster.site_version() || room.seen_ < forgotten_) {
    fill(room, cluster, priority);
  } else {
    const auto& class_of = cluster.site().class_of;
    for (auto i = room.seen_ - forgotten_; i < log_.size(); ++i) {
      const int n = log_[i];
      room.set(n, class_of[n], count(cluster, priority, n));
    }
  }
  room.seen_ = forgotten_ + log_.size();
  return room;
}

void Reclaimable::fill(Room& room, const Cluster& cluster, std::int64_t priority) const {
  const auto& site = cluster.site();
  room.site_ = cluster.site_version();
  room.gpus_.resize(static_cast<std::size_t>(cluster.nodes()));
  room.width_ = static_cast<std::size_t>(cluster.most_gpus()) + 1;
  room.nodes_.assign(site.classes.size() * room.width_, 0);
  for (int n = 0; n < cluster.nodes(); ++n) {
    room.gpus_[n] = count(cluster, priority, n);
    ++room.nodes_[static_cast<std::size_t>(site.class_of[n]) * room.width_ +
                  static_cast<std::size_t>(room.gpus_[n])];
  }
}

std::int32_t Reclaimable::count(const Cluster& cluster, std::int64_t priority, int node) const {
  if (!cluster.site().open[node]) return 0;
  auto gpus = static_cast<std::int32_t>(cluster.free(node).gpus);
  for (const auto& [held_by, held] : by_priority_) {
    if (held_by > priority) break;
    if (static_cast<std::size_t>(node) < held.size()) gpus += held[node];
  }
  // More than the node has only where a device in use has fallen ill: that one helps nobody.
  return std::clamp<std::int32_t>(gpus, 0, cluster.most_gpus());
}

}  // namespace ty::sched
