#include "sched/impl/durations.h"

#include <algorithm>
#include <cmath>

namespace ty::sched {
namespace {

constexpr std::size_t kKeptNames = 10'000;
constexpr std::uint32_t kEnough = 5;

std::string stem_of(const Kind& kind) {
  std::string_view name = kind.name;
  while (!name.empty() && (name.back() == '-' || name.back() == '_' || name.back() == '.' ||
                           (name.back() >= '0' && name.back() <= '9'))) {
    name.remove_suffix(1);
  }
  if (name.empty()) return {};
  return std::to_string(kind.owner.value) + "/" + std::string(name);
}

int step_of(Millis ran) {
  const double seconds = std::max(1.0, static_cast<double>(ran.count()) / 1000);
  return std::clamp(static_cast<int>(std::log2(seconds) * 4), 0, 127);
}

double begin_of(int step) { return 1000 * std::exp2(step / 4.0); }

}  // namespace

void Durations::Histogram::add(Millis ran) {
  ++counts_[step_of(ran)];
  ++total_;
}

std::optional<Millis> Durations::Histogram::quantile(Millis beyond, double q) const {
  const int first = beyond > Millis(1000) ? step_of(beyond) : 0;
  std::uint32_t longer = 0;
  for (int s = first; s < kSteps; ++s) longer += counts_[s];
  if (longer < kEnough) return std::nullopt;
  // Within a step they lie evenly; of the first only the part that is still to come counts.
  double left = q * longer;
  for (int step = first; step < kSteps; ++step) {
    if (left > counts_[step] || counts_[step] == 0) {
      left -= counts_[step];
      continue;
    }
    const double low = std::max(begin_of(step), static_cast<double>(beyond.count()));
    const double high = std::max(begin_of(step + 1), low);
    return Millis(static_cast<std::int64_t>(low + (high - low) * left / counts_[step]));
  }
  return std::max(Millis(static_cast<std::int64_t>(begin_of(kSteps))), beyond);
}

void Durations::record(const Kind& kind, Millis ran) {
  all_.add(ran);
  by_size_[{kind.workspace, kind.gpus}].add(ran);
  auto stem = stem_of(kind);
  if (stem.empty()) return;
  auto [entry, is_new] = by_name_.try_emplace(stem);
  auto& recent = entry->second;
  recent.ran[recent.count++ % Recent::kKept] = ran;
  if (!is_new) return;
  names_by_age_.push_back(std::move(stem));
  if (names_by_age_.size() > kKeptNames) {
    by_name_.erase(names_by_age_.front());
    names_by_age_.pop_front();
  }
}

std::optional<Millis> Durations::expect(const Kind& kind, Millis ran, double quantile) const {
  if (auto known = by_name_.find(stem_of(kind)); known != by_name_.end()) {
    std::vector<Millis> longer;
    const auto& recent = known->second;
    for (std::size_t i = 0; i < std::min(recent.count, Recent::kKept); ++i) {
      if (recent.ran[i] > ran) longer.push_back(recent.ran[i]);
    }
    if (longer.size() >= kEnough) {
      std::ranges::sort(longer);
      return longer[static_cast<std::size_t>(quantile * static_cast<double>(longer.size() - 1))];
    }
  }
  if (auto known = by_size_.find({kind.workspace, kind.gpus}); known != by_size_.end()) {
    if (auto likely = known->second.quantile(ran, quantile)) return likely;
  }
  return all_.quantile(ran, quantile);
}

}  // namespace ty::sched
