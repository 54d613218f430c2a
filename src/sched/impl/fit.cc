#include "sched/impl/fit.h"

#include <algorithm>
#include <span>

namespace ty::sched {
namespace {

/// The devices to take: from the NVLink group that is left with the least, or from as few groups as
/// possible.
GpuSet choose_devices(const NodeClass& c, GpuSet free, std::int64_t count) {
  GpuSet chosen;
  while (count > 0) {
    const GpuSet* tightest = nullptr;
    const GpuSet* largest = nullptr;
    std::size_t tight = kMaxGpus + 1, large = 0;
    for (const auto& link : c.link_groups) {
      const auto n = (link & free).count();
      if (n >= static_cast<std::size_t>(count) && n < tight) tightest = &link, tight = n;
      if (n > large) largest = &link, large = n;
    }
    const GpuSet* from = tightest != nullptr ? tightest : largest;
    if (from == nullptr) break;
    const GpuSet candidates = *from & free;
    for (std::size_t i = candidates._Find_first(); i < kMaxGpus && count > 0;
         i = candidates._Find_next(i)) {
      chosen.set(i);
      free.reset(i);
      --count;
    }
  }
  return chosen;
}

/// Places the tasks of one request; what it took is undone unless kept.
class Packer {
 public:
  Packer(Cluster& cluster, const Shape& shape, const Terms& terms)
      : cluster_(cluster), shape_(shape), terms_(terms), allowance_(terms.allowance) {}

  /// Up to `most` further tasks of the group; how many it became.
  int add(int group, int most, std::span<const Option> options) {
    group_ = group;
    need_ = &shape_.groups[group].need;
    int placed = 0;
    while (placed < most) {
      const int left = static_cast<int>(
          need_->amount.times_in(allowance_, static_cast<std::int64_t>(most - placed)));
      if (left == 0) break;
      const auto spot =
          need_->amount.gpus > 0 ? best_spot(left, options) : first_spot(left, options);
      if (spot.tasks == 0) break;
      for (int i = 0; i < spot.tasks; ++i) take(spot);
      placed += spot.tasks;
    }
    return placed;
  }

  bool fits_one_on(int node, int group, const GroupOptions& options) {
    need_ = &shape_.groups[group].need;
    return std::ranges::any_of(options.all, [&](const Option& option) {
      return option.klass == cluster_.site().class_of[node] && room_on(node, option.type, 1) > 0;
    });
  }

  std::size_t mark() const { return allocations_.size(); }
  void undo(std::size_t mark) {
    while (allocations_.size() > mark) {
      const auto& need = shape_.groups[allocations_.back().group].need;
      cluster_.put_back(allocations_.back(), need);
      allowance_ += need.amount;
      allocations_.pop_back();
    }
  }
  std::vector<Allocation> result() {
    std::vector<Allocation> sorted;
    sorted.reserve(allocations_.size());
    for (int g = 0; g < static_cast<int>(shape_.groups.size()); ++g) {
      for (const auto& allocation : allocations_) {
        if (allocation.group == g) sorted.push_back(allocation);
      }
    }
    return sorted;
  }

 private:
  struct Spot {
    int node = -1;
    int type = -1;
    int tasks = 0;
  };

  /// How many tasks, at most `most`, fit on the node with GPUs of this type.
  int room_on(int node, int type, int most) const {
    auto room = cluster_.free(node);
    if (terms_.node_reservations != nullptr)
      room = terms_.node_reservations->room(node, room, terms_.requester);
    if (type >= 0) {
      const auto& types = cluster_.site().klass(node).types;
      if (types.size() > 1) {
        const auto of_type = (types[type].second & cluster_.free_gpus(node)).count();
        room.gpus = std::min(room.gpus, static_cast<std::int64_t>(of_type));
      }
    }
    auto n = static_cast<int>(need_->amount.times_in(room, most));
    if (n == 0) return 0;
    if (!need_->ports.empty()) n = cluster_.ports_free(node, need_->ports) ? 1 : 0;
    if (!need_->devices.empty()) {
      while (n > 0 && !cluster_.devices_free(node, *need_, n)) --n;
    }
    return n;
  }

  Spot first_spot(int most, std::span<const Option> options) const {
    Spot spot;
    for (const auto& option : options) {
      const auto gpus = static_cast<int>(cluster_.site().classes[option.klass].capacity.gpus);
      for (int count = 0; count <= gpus; ++count) {
        const bool found = cluster_.visit(option.klass, count, [&](int node) {
          spot = {node, -1, room_on(node, -1, most)};
          return spot.tasks > 0;
        });
        if (found) return spot;
      }
    }
    return {};
  }

  Spot best_spot(int most, std::span<const Option> options) const {
    const auto each = static_cast<int>(need_->amount.gpus);
    const int top = cluster_.most_gpus();
    Spot spot;
    const auto scan = [&](int count, int wanted) {
      for (const auto& option : options) {
        if (count > cluster_.site().classes[option.klass].capacity.gpus) continue;
        const bool found = cluster_.visit(option.klass, count, [&](int node) {
          spot = {node, option.type, room_on(node, option.type, most)};
          return spot.tasks >= wanted;
        });
        if (found) return true;
      }
      return false;
    };
    for (int count = each * most; count <= top; ++count) {
      if (scan(count, most)) return spot;
    }
    for (int count = std::min(top, each * most - 1); count >= each; --count) {
      if (scan(count, 1)) return spot;
    }
    // Nodes with GPUs enough for all but too little of something else.
    for (int count = std::max(each, each * most); count <= top; ++count) {
      if (scan(count, 1)) return spot;
    }
    return {};
  }

  void take(const Spot& spot) {
    Allocation allocation{spot.node, group_, {}};
    if (need_->amount.gpus > 0) {
      const auto& c = cluster_.site().klass(spot.node);
      allocation.gpus = choose_devices(
          c, c.types[spot.type].second & cluster_.free_gpus(spot.node), need_->amount.gpus);
    }
    cluster_.take(allocation, *need_);
    allowance_ -= need_->amount;
    allocations_.push_back(allocation);
  }

  Cluster& cluster_;
  const Shape& shape_;
  const Terms& terms_;
  Amount allowance_;
  int group_ = 0;
  const TaskNeed* need_ = nullptr;
  std::vector<Allocation> allocations_;
};

/// Options of one GPU type each, dearest first; the last entry is all of them together.
std::vector<std::vector<Option>> by_type(const TaskNeed& need,
                                         const std::vector<Option>& options,
                                         const Site& site) {
  std::vector<std::string> names = need.gpu_types;
  const auto name_of = [&](const Option& o) { return site.classes[o.klass].types[o.type].first; };
  if (names.empty()) {
    for (const auto& o : options) names.push_back(name_of(o));
    std::ranges::sort(names);
    names.erase(std::ranges::unique(names).begin(), names.end());
  }
  std::vector<std::vector<Option>> choices;
  for (const auto& name : names) {
    std::vector<Option> some;
    for (const auto& o : options) {
      if (name_of(o) == name) some.push_back(o);
    }
    if (!some.empty() && some.size() < options.size()) choices.push_back(std::move(some));
  }
  choices.push_back(options);
  return choices;
}

/// At least `least` and up to `most` tasks of a group, of one GPU type if that is possible.
int add_group(Packer& packer, int group, int least, int most, const GroupOptions& options) {
  if (options.by_type.empty()) return packer.add(group, most, options.all);
  const auto start = packer.mark();
  const std::vector<Option>* best = nullptr;
  int room = std::max(least, 1) - 1;
  for (const auto& choice : options.by_type) {
    const int n = packer.add(group, most, choice);
    if (n == most) return n;
    packer.undo(start);
    if (n > room) room = n, best = &choice;
  }
  return best == nullptr ? 0 : packer.add(group, most, *best);
}

}  // namespace

Options options_for(const Shape& shape, const Site& site) {
  Options options;
  for (const auto& group : shape.groups) {
    auto& some = options.emplace_back();
    some.all = options_for(group.need, site);
    if (group.need.amount.gpus > 0 && some.all.size() > 1)
      some.by_type = by_type(group.need, some.all, site);
  }
  return options;
}

std::optional<std::vector<Allocation>> place(Cluster& cluster,
                                             const Shape& shape,
                                             const Options& options,
                                             const Terms& terms) {
  Packer packer(cluster, shape, terms);
  bool whole = shape.total.fits_in(terms.allowance);
  for (int g : shape.hardest_first) {
    if (!whole) break;
    const int count = shape.groups[g].count;
    whole = add_group(packer, g, count, count, options[g]) == count;
  }
  if (whole) return packer.result();
  packer.undo(0);
  if (!shape.elastic()) return std::nullopt;

  std::vector<int> placed(shape.groups.size());
  int total = 0;
  for (int g : shape.hardest_first) {
    const int wanted = shape.groups[g].min_tasks;
    if (wanted > 0) placed[g] = add_group(packer, g, wanted, wanted, options[g]);
    if (placed[g] < wanted) {
      packer.undo(0);
      return std::nullopt;
    }
    total += placed[g];
  }
  for (int g : shape.hardest_first) {
    total += add_group(packer, g, 0, shape.groups[g].count - placed[g], options[g]);
  }
  if (total < shape.min_tasks) {
    packer.undo(0);
    return std::nullopt;
  }
  return packer.result();
}

std::optional<std::vector<Allocation>> find_place(Cluster& cluster,
                                                  const Shape& shape,
                                                  const Options& options,
                                                  const Terms& terms) {
  auto allocations = place(cluster, shape, options, terms);
  if (allocations) {
    for (const auto& allocation : *allocations)
      cluster.put_back(allocation, shape.groups[allocation.group].need);
  }
  return allocations;
}

bool fits(Cluster& cluster, const Shape& shape, const Options& options, const Terms& terms) {
  return find_place(cluster, shape, options, terms).has_value();
}

bool fits_one_on(Cluster& cluster, int node, const Shape& shape, const Options& options) {
  if (!cluster.site().open[node]) return false;
  const Terms anyone;
  Packer packer(cluster, shape, anyone);
  for (int g = 0; g < static_cast<int>(shape.groups.size()); ++g) {
    if (packer.fits_one_on(node, g, options[g])) return true;
  }
  return false;
}

}  // namespace ty::sched
