#include <algorithm>
#include <tuple>

#include "sched/impl/amounts.h"
#include "sched/impl/obstacles.h"
#include "sched/messages.h"

/// Numbers for what is scarce: of GPUs, CPUs or memory, on one node or in all.
namespace ty::sched {
namespace {

/// The need of every task, stripped of all but one kind.
Shape only(const Shape& shape, Scarce what) {
  Shape bare = shape;
  bare.total = bare.least = {};
  for (auto& g : bare.groups) {
    auto& a = g.need.amount;
    if (what != Scarce::Gpus) a.gpus = 0;
    if (what != Scarce::Cpu) a.cpu_milli = 0;
    if (what != Scarce::Memory) a.memory = 0;
    g.need.ports.clear();
    g.need.devices.clear();
    bare.total += a * g.count;
    bare.least += a * g.min_tasks;
  }
  return bare;
}

struct NodeView {
  std::int64_t free = 0;
  std::int64_t total = 0;
  int node = -1;
};

/// Nodes that could run a task of the group, were they empty, with what is free of the scarce kind.
std::vector<NodeView> views(const Cluster& cluster, const TaskNeed& need, Scarce what) {
  std::vector<NodeView> out;
  const auto& site = cluster.site();
  const auto options = options_for(need, site);
  for (int n = 0; n < cluster.nodes(); ++n) {
    if (!site.open[n]) continue;
    NodeView view{0, 0, n};
    bool eligible = false;
    for (const auto& o : options) {
      if (o.klass != site.class_of[n]) continue;
      eligible = true;
      if (what == Scarce::Gpus) {
        const auto& devices = site.classes[o.klass].types[o.type].second;
        view.free += static_cast<std::int64_t>((devices & cluster.free_gpus(n)).count());
        view.total += static_cast<std::int64_t>(devices.count());
      } else {
        view.free = std::max<std::int64_t>(0, part(cluster.free(n), what));
        view.total = part(site.classes[o.klass].capacity, what);
      }
    }
    if (eligible) out.push_back(view);
  }
  return out;
}

/// How many of its tasks would find room if any number were welcome.
int room_for(Cluster& cluster, const Shape& shape, const Options& options) {
  Shape any = shape;
  any.min_tasks = 1;
  for (auto& g : any.groups) g.min_tasks = 0;
  auto allocations = place(cluster, any, options, {});
  if (!allocations) return 0;
  for (const auto& p : *allocations) cluster.put_back(p, any.groups[p.group].need);
  return static_cast<int>(allocations->size());
}

}  // namespace

std::vector<Statement> shortfall(State& s, const Shape& shape) {
  const auto& options = s.options(shape);
  for (auto what : {Scarce::Gpus, Scarce::Memory, Scarce::Cpu}) {
    if (part(shape.total, what) == 0) continue;
    if (fits(s.cluster, only(shape, what), options, {})) continue;
    // The hardest group that asks for it stands for all: it is placed first.
    const auto g = *std::ranges::find_if(
        shape.hardest_first, [&](int i) { return part(shape.groups[i].need.amount, what) > 0; });
    const auto& need = shape.groups[g].need;
    const auto each = part(need.amount, what);
    const auto wanted = part(shape.elastic() ? shape.least : shape.total, what);
    const auto nodes = views(s.cluster, need, what);
    std::int64_t sum = 0;
    int with_some = 0;
    NodeView best;
    for (const auto& v : nodes) {
      sum += v.free;
      with_some += v.free > 0 ? 1 : 0;
      if (best.node < 0 || v.free > best.free) best = v;
    }
    const Message needs = amount_of(wanted, what, need.gpu_types);
    if (sum == 0) return {say::none_free({.needs = needs})};
    const auto& node = s.cluster.site().names[best.node];
    if (nodes.size() > 1 && best.free < each && with_some > 1) {
      return {say::scattered({.needs = amount_of(each, what, need.gpu_types),
                              .sum = bare(sum, what),
                              .nodes = with_some,
                              .free = bare(best.free, what),
                              .node = node})};
    }
    if (nodes.size() == 1 || shape.tasks == 1) {
      return {say::free_on_node({.needs = needs,
                                 .free = bare(best.free, what),
                                 .total = bare(best.total, what),
                                 .node = node})};
    }
    return {say::room_for_some(
        {.needs = needs, .tasks = shape.tasks, .room = room_for(s.cluster, shape, options)})};
  }
  const auto& need = shape.groups[shape.hardest_first.front()].need;
  if (shape.tasks == 1) {
    return {say::not_together({.needs = all_of(need.amount, need.gpu_types)})};
  }
  return {say::room_for_some(
      {.needs = all_of(shape.elastic() ? shape.least : shape.total, need.gpu_types),
       .tasks = shape.tasks,
       .room = room_for(s.cluster, shape, options)})};
}

namespace {

std::vector<Statement> above_bounds(const Account& account, const Shape& shape) {
  const auto check = [&](const Bound& bound, const auto& say_so) -> std::vector<Statement> {
    const auto room = left_of(bound, {});
    for (const auto what : {Scarce::Gpus, Scarce::Cpu, Scarce::Memory}) {
      const auto needs = part(shape.least, what), limit = part(room, what);
      if (needs <= limit) continue;
      return {say_so(bare(needs, what), unit_of(what), bare(limit, what))
                  .with("resource", word_of(what))};
    }
    return {};
  };
  const auto of_workspace = [&](auto needs, Message what, auto limit) {
    return say::above_limit(
        {.needs = needs, .what = std::move(what), .workspace = account.name, .limit = limit});
  };
  const auto of_user = [&](auto needs, Message what, auto limit) {
    return say::above_user_limit(
        {.needs = needs, .what = std::move(what), .workspace = account.name, .limit = limit});
  };
  if (auto found = check(account.limit, of_workspace); !found.empty()) return found;
  return check(account.user_limit, of_user);
}

std::vector<Statement> beyond_site(const Cluster& cluster, const Shape& shape) {
  auto empty = cluster.emptied();
  const auto& site = empty.site();
  const auto options = options_for(shape, site);
  if (fits(empty, shape, options, {})) return {};
  if (std::ranges::none_of(site.present, [](char p) { return p != 0; })) return {say::no_nodes()};

  for (int g : shape.hardest_first) {
    const auto& need = shape.groups[g].need;
    const auto alone = [&] {
      for (const auto& option : options[g].all) {
        for (int n = 0; n < empty.nodes(); ++n) {
          if (site.open[n] && site.class_of[n] == option.klass) return true;
        }
      }
      return false;
    }();
    if (alone) continue;
    // Not even one task: which of its wishes rules out every node?
    std::vector<int> matching;
    for (int n = 0; n < empty.nodes(); ++n) {
      const auto& labels = site.klass(n).labels;
      const bool all = std::ranges::all_of(need.labels, [&](const auto& l) {
        auto have = labels.find(l.first);
        return have != labels.end() && have->second == l.second;
      });
      if (site.open[n] && all) matching.push_back(n);
    }
    if (matching.empty()) {
      std::vector<std::string> labels;
      for (const auto& [k, v] : need.labels) labels.push_back(k + "=" + v);
      return {say::no_label({.labels = std::move(labels)})};
    }
    std::vector<std::string> types;
    NodeView most[3];
    for (int n : matching) {
      const auto& c = site.klass(n);
      std::int64_t gpus = 0;
      for (const auto& [type, devices] : c.types) {
        types.push_back(type);
        if (need.gpu_types.empty() ||
            std::ranges::find(need.gpu_types, type) != need.gpu_types.end()) {
          gpus = std::max(gpus, static_cast<std::int64_t>(devices.count()));
        }
      }
      const std::int64_t have[3] = {gpus, c.capacity.cpu_milli, c.capacity.memory};
      for (int i = 0; i < 3; ++i) {
        if (most[i].node < 0 || have[i] > most[i].total) most[i] = {0, have[i], n};
      }
    }
    std::ranges::sort(types);
    types.erase(std::ranges::unique(types).begin(), types.end());
    if (need.amount.gpus > 0 && !need.gpu_types.empty() && most[0].total == 0) {
      const Message needs = gpus_of(need.amount.gpus, need.gpu_types);
      if (types.empty()) return {say::no_gpu_type({.needs = needs})};
      return {say::no_type({.needs = needs, .types = std::move(types)})};
    }
    for (auto what : {Scarce::Gpus, Scarce::Cpu, Scarce::Memory}) {
      const auto& m = most[static_cast<int>(what)];
      if (part(need.amount, what) <= m.total) continue;
      return {
          say::node_too_small({.needs = amount_of(part(need.amount, what), what, need.gpu_types),
                               .node = site.names[m.node],
                               .most = bare(m.total, what)})};
    }
    for (const auto& [device, n] : need.devices) {
      const bool some = std::ranges::any_of(matching, [&](int node) {
        auto have = site.klass(node).devices.find(device);
        return have != site.klass(node).devices.end() && have->second >= n;
      });
      if (!some) return {say::no_device({.needs = n, .device = device})};
    }
    return {say::not_together({.needs = all_of(need.amount, need.gpu_types)})};
  }
  const auto& hardest = shape.groups[shape.hardest_first.front()].need;
  const auto wanted = shape.elastic() ? shape.least : shape.total;
  return {say::site_too_small(
      {.needs = wanted.gpus > 0 ? gpus_of(wanted.gpus, hardest.gpu_types) : all_of(wanted, {}),
       .tasks = shape.min_tasks,
       .room = room_for(empty, shape, options)})};
}

}  // namespace

std::vector<Statement> never_fits(State& s,
                                  const Request& request,
                                  const std::shared_ptr<const Shape>& shape) {
  if (const auto* account = s.ledger.account(request.workspace)) {
    if (auto found = above_bounds(*account, *shape); !found.empty()) return found;
  }
  auto& memo = s.shapes.memo(*shape);
  if (memo.never_for_site != s.cluster.site_version()) {
    memo.never = beyond_site(s.cluster, *shape);
    memo.never_for_site = s.cluster.site_version();
  }
  return memo.never;
}

}  // namespace ty::sched
