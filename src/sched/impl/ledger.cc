#include "sched/impl/ledger.h"

#include <algorithm>
#include <cmath>

namespace ty::sched {
namespace {

constexpr std::int64_t kNoBound = std::numeric_limits<std::int64_t>::max() / 4;

Amount promised(const Bound& b) {
  return {b.cpu_milli.value_or(0), b.memory.value_or(0), b.gpus.value_or(0)};
}
bool says_something(const Bound& b) { return b.cpu_milli || b.memory || b.gpus; }
Amount most(const Amount& a, const Amount& b) {
  return {
      std::max(a.cpu_milli, b.cpu_milli), std::max(a.memory, b.memory), std::max(a.gpus, b.gpus)};
}

}  // namespace

Amount left_of(const Bound& bound, const Amount& used) {
  return {bound.cpu_milli ? *bound.cpu_milli - used.cpu_milli : kNoBound,
          bound.memory ? *bound.memory - used.memory : kNoBound,
          bound.gpus ? *bound.gpus - used.gpus : kNoBound};
}

void Ledger::set_accounts(std::vector<Account> accounts) {
  accounts_ = std::move(accounts);
  std::ranges::sort(accounts_, {}, &Account::workspace);
  guarantees_ =
      std::ranges::any_of(accounts_, [](const Account& a) { return says_something(a.guarantee); });
}

void Ledger::take(WorkspaceId workspace,
                  UserId owner,
                  const Amount& amount,
                  bool non_preemptible,
                  Time now,
                  Seconds half_life) {
  auto& use = use_[workspace];
  remember(use, now, half_life);
  use.now += amount;
  if (non_preemptible) use.non_preemptible += amount;
  use.by_owner[owner] += amount;
}

void Ledger::give(WorkspaceId workspace,
                  UserId owner,
                  const Amount& amount,
                  bool non_preemptible,
                  Time now,
                  Seconds half_life) {
  auto& use = use_[workspace];
  remember(use, now, half_life);
  use.now -= amount;
  if (non_preemptible) use.non_preemptible -= amount;
  auto mine = use.by_owner.find(owner);
  if (mine == use.by_owner.end()) return;
  mine->second -= amount;
  if (mine->second == Amount{}) use.by_owner.erase(mine);
}

const Account* Ledger::account(WorkspaceId workspace) const {
  auto at = std::ranges::lower_bound(accounts_, workspace, {}, &Account::workspace);
  return at != accounts_.end() && at->workspace == workspace ? &*at : nullptr;
}

bool Ledger::has_user_limits(WorkspaceId workspace) const {
  const auto* a = account(workspace);
  return a != nullptr && says_something(a->user_limit);
}

Amount Ledger::used(WorkspaceId workspace) const {
  auto use = use_.find(workspace);
  return use == use_.end() ? Amount{} : use->second.now;
}

Amount Ledger::used_by(WorkspaceId workspace, UserId owner) const {
  auto use = use_.find(workspace);
  if (use == use_.end()) return {};
  auto mine = use->second.by_owner.find(owner);
  return mine == use->second.by_owner.end() ? Amount{} : mine->second;
}

Amount Ledger::limit_left(WorkspaceId workspace) const {
  const auto* a = account(workspace);
  return a == nullptr ? Amount::boundless() : left_of(a->limit, used(workspace));
}

Amount Ledger::user_limit_left(WorkspaceId workspace, UserId owner) const {
  const auto* a = account(workspace);
  return a == nullptr ? Amount::boundless() : left_of(a->user_limit, used_by(workspace, owner));
}

Amount Ledger::unguaranteed_left(WorkspaceId workspace) const {
  if (!guarantees_) return Amount::boundless();
  // Everyone's non-preemptible work or guarantee, whichever is more, has its place; what is left is
  // anybody's.
  Amount spoken_for;
  for (const auto& a : accounts_) {
    auto use = use_.find(a.workspace);
    spoken_for +=
        most(promised(a.guarantee), use == use_.end() ? Amount{} : use->second.non_preemptible);
  }
  for (const auto& [id, use] : use_) {
    if (account(id) == nullptr) spoken_for += use.non_preemptible;
  }
  const auto* mine = account(workspace);
  const auto use = use_.find(workspace);
  const Amount non_preemptible = use == use_.end() ? Amount{} : use->second.non_preemptible;
  const Amount own =
      most(Amount{}, (mine == nullptr ? Amount{} : promised(mine->guarantee)) - non_preemptible);
  return own + most(Amount{}, capacity_ - spoken_for);
}

Amount Ledger::allowance(WorkspaceId workspace, UserId owner, bool non_preemptible) const {
  if (accounts_.empty()) return Amount::boundless();
  auto amount = least(limit_left(workspace), user_limit_left(workspace, owner));
  if (non_preemptible && guarantees_) amount = least(amount, unguaranteed_left(workspace));
  return amount;
}

bool Ledger::spent(WorkspaceId workspace) const {
  const auto* a = account(workspace);
  return a != nullptr && a->balance && *a->balance <= 0;
}

bool Ledger::within_guarantee(WorkspaceId workspace, const Amount& more) const {
  const auto* a = account(workspace);
  if (a == nullptr || !says_something(a->guarantee)) return false;
  return more.fits_in(left_of(a->guarantee, used(workspace)));
}

bool Ledger::below_guarantee(WorkspaceId workspace) const {
  const auto* a = account(workspace);
  if (a == nullptr) return false;
  const auto now = used(workspace);
  return now.gpus < a->guarantee.gpus.value_or(0) ||
         now.cpu_milli < a->guarantee.cpu_milli.value_or(0) ||
         now.memory < a->guarantee.memory.value_or(0);
}

bool Ledger::borrows(WorkspaceId workspace, const Amount& less) const {
  if (!guarantees_) return false;
  const auto* a = account(workspace);
  if (a == nullptr || !says_something(a->guarantee)) return true;
  return !Amount{}.fits_in(left_of(a->guarantee, used(workspace) - less));
}

double Ledger::share(WorkspaceId workspace, Time now, Seconds half_life) const {
  auto found = use_.find(workspace);
  if (found == use_.end()) return 0;
  const auto& use = found->second;
  const auto* a = account(workspace);
  return (lately(use, now, half_life) + dominant(use.now)) /
         (a == nullptr ? 1.0 : std::max(a->weight, 1e-6));
}

double Ledger::dominant(const Amount& amount) const {
  const auto part = [](std::int64_t n, std::int64_t of) {
    return of > 0 ? static_cast<double>(n) / static_cast<double>(of) : 0.0;
  };
  return std::max({part(amount.gpus, capacity_.gpus),
                   part(amount.cpu_milli, capacity_.cpu_milli),
                   part(amount.memory, capacity_.memory)});
}

double Ledger::lately(const Use& use, Time now, Seconds half_life) const {
  if (now <= use.at) return use.lately;
  const double halves =
      std::chrono::duration<double>(now - use.at) / std::chrono::duration<double>(half_life);
  const double kept = std::exp2(-halves);
  return use.lately * kept + dominant(use.now) * (1 - kept);
}

void Ledger::remember(Use& use, Time now, Seconds half_life) const {
  use.lately = lately(use, now, half_life);
  use.at = std::max(use.at, now);
}

}  // namespace ty::sched
