#pragma once
#include <map>
#include <vector>

#include "base/time.h"
#include "sched/impl/amount.h"
#include "sched/policy.h"
#include "sched/world.h"

/// Who uses how much, who may use more, and what ranks their requests.
namespace ty::sched {

class Ledger {
 public:
  void set_accounts(std::vector<Account> accounts);
  /// What all nodes together have: shares are parts of it.
  void set_capacity(const Amount& capacity) { capacity_ = capacity; }

  /// `amount` is in use from now on by a job that may not be preempted, if `non_preemptible`.
  void take(WorkspaceId workspace,
            UserId owner,
            const Amount& amount,
            bool non_preemptible,
            Time now,
            Seconds half_life);
  void give(WorkspaceId workspace,
            UserId owner,
            const Amount& amount,
            bool non_preemptible,
            Time now,
            Seconds half_life);

  const Account* account(WorkspaceId workspace) const;
  const std::vector<Account>& accounts() const { return accounts_; }
  bool has_guarantees() const { return guarantees_; }
  bool has_user_limits(WorkspaceId workspace) const;
  Amount used(WorkspaceId workspace) const;
  Amount used_by(WorkspaceId workspace, UserId owner) const;

  /// How much more may start now. Non-preemptible work leaves room for the guarantees of all
  /// others; preemptible work can borrow them.
  Amount allowance(WorkspaceId workspace, UserId owner, bool non_preemptible) const;
  Amount limit_left(WorkspaceId workspace) const;
  Amount user_limit_left(WorkspaceId workspace, UserId owner) const;
  Amount unguaranteed_left(WorkspaceId workspace) const;

  bool spent(WorkspaceId workspace) const;
  /// With `more` it would still use no more than what it is guaranteed.
  bool within_guarantee(WorkspaceId workspace, const Amount& more) const;
  /// It uses less than it is guaranteed of something.
  bool below_guarantee(WorkspaceId workspace) const;
  /// It would still use more than it is guaranteed after giving back `less`: others may want it.
  bool borrows(WorkspaceId workspace, const Amount& less) const;

  /// Its use now and lately as a part of everything, against its weight; the smallest goes first.
  double share(WorkspaceId workspace, Time now, Seconds half_life) const;

 private:
  struct Use {
    Amount now;
    Amount non_preemptible;
    std::map<UserId, Amount> by_owner;
    double lately = 0;  ///< dominant share averaged over the half-life's memory, as of `at`
    Time at{};
  };
  double dominant(const Amount& amount) const;
  double lately(const Use& use, Time now, Seconds half_life) const;
  void remember(Use& use, Time now, Seconds half_life) const;

  std::vector<Account> accounts_;  ///< sorted by workspace
  bool guarantees_ = false;
  std::map<WorkspaceId, Use> use_;
  Amount capacity_;
};

/// What a bound leaves of itself; boundless where it says nothing.
Amount left_of(const Bound& bound, const Amount& used);

}  // namespace ty::sched
