#include "sched/impl/cluster.h"

#include <algorithm>

#include "base/result.h"

namespace ty::sched {
namespace {

const Site kNoSite;
constexpr std::size_t kFreedNodesKept = 1024;

NodeClass describe(const Node& node) {
  NodeClass c;
  c.labels = node.labels;
  c.devices = node.devices;
  std::map<std::string, GpuSet> types;
  std::map<int, GpuSet> links;
  for (std::size_t i = 0; i < std::min(node.gpus.size(), kMaxGpus); ++i) {
    if (!node.gpus[i].healthy) continue;
    types[node.gpus[i].type].set(i);
    links[node.gpus[i].link_group].set(i);
  }
  c.types.assign(types.begin(), types.end());
  for (const auto& [number, devices] : links) c.link_groups.push_back(devices);
  c.capacity = {node.cpu_milli, node.memory, 0};
  for (const auto& [type, devices] : c.types) c.gpus |= devices;
  c.capacity.gpus = static_cast<std::int64_t>(c.gpus.count());
  return c;
}

bool alike(const NodeClass& a, const NodeClass& b) {
  return a.capacity == b.capacity && a.labels == b.labels && a.devices == b.devices &&
         a.types == b.types && a.link_groups == b.link_groups;
}

}  // namespace

std::shared_ptr<const Site> make_site(const std::vector<Node>& nodes, const Site& before) {
  auto site = std::make_shared<Site>();
  site->names = before.names;
  site->by_name = before.by_name;
  for (const auto& node : nodes) {
    if (site->by_name.emplace(node.name, static_cast<int>(site->names.size())).second) {
      site->names.push_back(node.name);
    }
  }
  site->class_of.assign(site->names.size(), 0);
  site->present.assign(site->names.size(), 0);
  site->open.assign(site->names.size(), 0);
  site->classes.emplace_back();  // of nodes that went away: nothing fits there
  for (const auto& node : nodes) {
    const int i = site->by_name.at(node.name);
    auto c = describe(node);
    auto known =
        std::ranges::find_if(site->classes, [&](const auto& other) { return alike(other, c); });
    site->class_of[i] = static_cast<int>(known - site->classes.begin());
    if (known == site->classes.end()) site->classes.push_back(std::move(c));
    site->present[i] = node.healthy;
    site->open[i] = node.healthy && !node.draining;
  }
  return site;
}

std::vector<Option> options_for(const TaskNeed& need, const Site& site) {
  std::vector<Option> options;
  for (int k = 0; k < static_cast<int>(site.classes.size()); ++k) {
    const auto& c = site.classes[k];
    const bool labels = std::ranges::all_of(need.labels, [&](const auto& label) {
      auto have = c.labels.find(label.first);
      return have != c.labels.end() && have->second == label.second;
    });
    const bool devices = std::ranges::all_of(need.devices, [&](const auto& device) {
      auto have = c.devices.find(device.first);
      return have != c.devices.end() && have->second >= device.second;
    });
    if (!labels || !devices || !need.amount.fits_in(c.capacity)) continue;
    if (need.amount.gpus == 0) {
      options.push_back({k, -1});
      continue;
    }
    for (int t = 0; t < static_cast<int>(c.types.size()); ++t) {
      const auto& [type, devices_of_type] = c.types[t];
      if (static_cast<std::int64_t>(devices_of_type.count()) < need.amount.gpus) continue;
      if (need.gpu_types.empty() ||
          std::ranges::find(need.gpu_types, type) != need.gpu_types.end()) {
        options.push_back({k, t});
      }
    }
  }
  if (need.amount.gpus == 0) {  // machines without GPUs first: the others have dearer things to do
    std::ranges::sort(options, {}, [&](const Option& o) {
      return std::pair(site.classes[o.klass].capacity.gpus > 0, o.klass);
    });
  }
  return options;
}

Cluster::Cluster() : site_(std::shared_ptr<const Site>(), &kNoSite) {}

void Cluster::set_site(std::shared_ptr<const Site> site) {
  site_ = std::move(site);
  state_.resize(site_->names.size());
  ++site_version_;
  ++freed_version_;
  ++version_;
  freed_nodes_.clear();
  forgotten_ = freed_version_;
  reindex();
}

bool Cluster::ports_free(int node, const std::vector<int>& ports) const {
  const auto extras = extras_.find(node);
  if (extras == extras_.end()) return true;
  const auto& taken = extras->second.ports;
  return std::ranges::none_of(ports, [&](int p) { return std::ranges::binary_search(taken, p); });
}

bool Cluster::devices_free(int node, const TaskNeed& need, int tasks) const {
  const auto extras = extras_.find(node);
  return std::ranges::all_of(need.devices, [&](const auto& device) {
    const auto& have = site_->klass(node).devices;
    auto h = have.find(device.first);
    std::int64_t left = h == have.end() ? 0 : h->second;
    if (extras != extras_.end()) {
      auto u = extras->second.devices_used.find(device.first);
      if (u != extras->second.devices_used.end()) left -= u->second;
    }
    return device.second * tasks <= left;
  });
}

void Cluster::take(const Allocation& allocation, const TaskNeed& need) {
  auto& s = state_[allocation.node];
  s.used += {need.amount.cpu_milli, need.amount.memory, 0};
  s.used_gpus |= allocation.gpus;
  if (!need.ports.empty() || !need.devices.empty()) {
    auto& extras = extras_[allocation.node];
    for (int p : need.ports) extras.ports.insert(std::ranges::upper_bound(extras.ports, p), p);
    for (const auto& [name, n] : need.devices) extras.devices_used[name] += n;
  }
  refresh(allocation.node);
}

void Cluster::give(const Allocation& allocation, const TaskNeed& need) {
  put_back(allocation, need);
  if (freed_nodes_.size() == kFreedNodesKept) {
    freed_nodes_.clear();
    forgotten_ = freed_version_;
  }
  freed_nodes_.push_back(allocation.node);
  ++freed_version_;
  ++version_;
}

void Cluster::put_back(const Allocation& allocation, const TaskNeed& need) {
  auto& s = state_[allocation.node];
  s.used -= {need.amount.cpu_milli, need.amount.memory, 0};
  s.used_gpus &= ~allocation.gpus;
  if (!need.ports.empty() || !need.devices.empty()) {
    auto& extras = extras_[allocation.node];
    for (int p : need.ports) {
      auto at = std::ranges::lower_bound(extras.ports, p);
      if (at != extras.ports.end() && *at == p) extras.ports.erase(at);
    }
    for (const auto& [name, n] : need.devices) extras.devices_used[name] -= n;
  }
  refresh(allocation.node);
}

Cluster::Snapshot Cluster::snapshot(int node) const {
  const auto extras = extras_.find(node);
  return {node,
          state_[node],
          extras == extras_.end() ? nullptr : std::make_unique<Extras>(extras->second)};
}

void Cluster::restore(Snapshot& before) {
  state_[before.node].used = before.state.used;
  state_[before.node].used_gpus = before.state.used_gpus;
  if (before.extras) {
    extras_[before.node] = std::move(*before.extras);
  } else if (!extras_.empty()) {
    extras_.erase(before.node);
  }
  refresh(before.node);
}

Cluster Cluster::emptied() const {
  auto site = std::make_shared<Site>(*site_);
  site->open = site->present;
  Cluster copy;
  copy.set_site(std::move(site));
  return copy;
}

void Cluster::refresh(int node) {
  auto& s = state_[node];
  const auto& c = site_->klass(node);
  const auto before = s.free.gpus;
  s.gpus = c.gpus & ~s.used_gpus;
  s.free = c.capacity - s.used;
  s.free.gpus = static_cast<std::int64_t>(s.gpus.count());
  if (s.free.gpus != before && site_->open[node]) {
    index(node, before, false);
    index(node, s.free.gpus, true);
    free_gpus_ += s.free.gpus - before;
  }
}

void Cluster::reindex() {
  index_width_ = 1;
  for (const auto& c : site_->classes) {
    index_width_ = std::max(index_width_, static_cast<std::size_t>(c.capacity.gpus) + 1);
  }
  words_ = (state_.size() + 63) / 64;
  index_.assign(site_->classes.size() * index_width_ * words_, 0);
  capacity_ = {};
  free_gpus_ = 0;
  for (int n = 0; n < nodes(); ++n) {
    state_[n].free.gpus = 0;
    if (site_->open[n]) {
      index(n, 0, true);
      capacity_ += site_->klass(n).capacity;
    }
    refresh(n);
  }
}

void Cluster::index(int node, std::int64_t free_gpus, bool present) {
  auto& word = row(site_->class_of[node], static_cast<int>(free_gpus))[node / 64];
  const auto bit = std::uint64_t{1} << (node % 64);
  word = present ? word | bit : word & ~bit;
}

}  // namespace ty::sched
