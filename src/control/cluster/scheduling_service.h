#pragma once
#include <boost/asio/awaitable.hpp>
#include <string>

#include "auth/principal.h"
#include "control/cluster/scheduling_rules.h"
#include "control/controller.h"
#include "store/user_store.h"
#include "store/workspace_store.h"

namespace ty::control {

/// How the site shares its machines: kept in the store, applied by the controller. Any thread.
class SchedulingService {
 public:
  struct Parts {
    store::SettingStore& settings;
    store::WorkspaceStore& workspaces;
    store::UserStore& users;
    Controller& controller;
  };
  explicit SchedulingService(Parts parts) : p_(parts) {}

  /// At every start, before jobs are taken back. What is named and no longer there is left out.
  boost::asio::awaitable<Result<void>> load();

  boost::asio::awaitable<Result<SchedulingRules>> rules(auth::Principal who);
  /// Replaces them. Conflict when `rules.version` is not the stored one, unless it is -1. Answers
  /// them as they are now.
  boost::asio::awaitable<Result<SchedulingRules>> set(auth::Principal who, SchedulingRules rules);
  /// The node takes nothing new, or does again; what runs there goes on.
  boost::asio::awaitable<Result<void>> set_draining(auth::Principal who,
                                                    std::string node,
                                                    bool draining);

 private:
  struct Stored {
    std::optional<std::string> text;
    SchedulingRules rules;
  };
  boost::asio::awaitable<Result<Stored>> stored();
  boost::asio::awaitable<Result<SchedulingRules>> store(Stored before, SchedulingRules rules);
  boost::asio::awaitable<Result<void>> check_nodes(SchedulingRules rules);
  /// Names as ids. Unknown names are told in `faults`.
  boost::asio::awaitable<Result<SiteShare>> resolve(SchedulingRules rules,
                                                    std::vector<Fault>& faults);

  Parts p_;
};

}  // namespace ty::control
