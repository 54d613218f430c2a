#include "sched/impl/shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>

namespace ty::sched {
namespace {

/// Equal needs give equal text. Texts of the user's are length-prefixed, so no two needs can look
/// alike.
std::string key_of(const Request& r) {
  std::string key = fmt::format("{}|", r.min_tasks);
  auto out = std::back_inserter(key);
  for (const auto& g : r.groups) {
    fmt::format_to(out,
                   "G{} {} {} {} {}",
                   g.tasks.size(),
                   g.min_tasks,
                   g.each.cpu_milli,
                   g.each.memory,
                   g.each.gpus);
    for (const auto& t : g.each.gpu_types) fmt::format_to(out, " t{}:{}", t.size(), t);
    for (const auto& [name, n] : g.each.devices)
      fmt::format_to(out, " d{}:{}={}", name.size(), name, n);
    for (const auto& [k, v] : g.node_labels)
      fmt::format_to(out, " l{}:{}={}:{}", k.size(), k, v.size(), v);
    for (int p : g.fixed_ports) fmt::format_to(out, " p{}", p);
  }
  return key;
}

Shape make_shape(const Request& r) {
  Shape shape;
  int group_minimum = 0;
  for (const auto& g : r.groups) {
    ShapeGroup group;
    group.need.amount = {g.each.cpu_milli, g.each.memory, g.each.gpus};
    group.need.gpu_types = g.each.gpu_types;
    group.need.devices = g.each.devices;
    group.need.labels = g.node_labels;
    group.need.ports = g.fixed_ports;
    std::ranges::sort(group.need.ports);
    group.count = static_cast<int>(g.tasks.size());
    group.min_tasks = std::clamp(g.min_tasks, 0, group.count);
    group_minimum += group.min_tasks;
    shape.tasks += group.count;
    shape.total += group.need.amount * group.count;
    shape.least += group.need.amount * group.min_tasks;
    shape.widest = std::max(shape.widest, group.need.amount.gpus);
    shape.hardest_first.push_back(static_cast<int>(shape.groups.size()));
    shape.groups.push_back(std::move(group));
  }
  shape.min_tasks = std::min(std::max({r.min_tasks, group_minimum, 1}), shape.tasks);
  // With a common minimum beyond the groups' own, nobody knows which groups fill it: count the
  // cheapest.
  if (const int missing = shape.min_tasks - group_minimum; missing > 0) {
    Amount cheapest = Amount::boundless();
    for (const auto& g : shape.groups) {
      if (g.count > g.min_tasks) cheapest = least(cheapest, g.need.amount);
    }
    shape.least += cheapest * missing;
  }
  std::ranges::sort(shape.hardest_first, {}, [&](int g) {
    const auto& need = shape.groups[g].need.amount;
    return std::tuple(-need.gpus, -need.memory, -need.cpu_milli, g);
  });
  return shape;
}

}  // namespace

std::shared_ptr<const Shape> ShapeTable::intern(const Request& request) {
  auto key = key_of(request);
  if (auto known = known_.find(key); known != known_.end()) {
    if (auto shape = known->second.shape.lock()) return shape;
  }
  if (known_.size() >= sweep_at_) sweep();
  auto shape = std::make_shared<Shape>(make_shape(request));
  auto [slot, is_new] = known_.try_emplace(std::move(key));
  if (is_new) {
    if (spare_ids_.empty()) {
      slot->second.id = static_cast<int>(memos_.size());
      memos_.emplace_back();
    } else {
      slot->second.id = spare_ids_.back();
      spare_ids_.pop_back();
    }
  }
  shape->id = slot->second.id;
  memos_[shape->id] = {};
  slot->second.shape = shape;
  recent_[next_recent_++ % recent_.size()] = shape;
  return shape;
}

void ShapeTable::sweep() {
  for (auto it = known_.begin(); it != known_.end();) {
    if (it->second.shape.expired()) {
      spare_ids_.push_back(it->second.id);
      it = known_.erase(it);
    } else {
      ++it;
    }
  }
  sweep_at_ = std::max<std::size_t>(64, known_.size() * 2);
}

}  // namespace ty::sched
