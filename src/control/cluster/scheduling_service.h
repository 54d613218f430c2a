#pragma once
#include <boost/asio/awaitable.hpp>
#include <string>
#include <vector>

#include "auth/principal.h"
#include "base/result.h"

namespace ty::store {
class SettingStore;
class UserStore;
class WorkspaceStore;
}  // namespace ty::store

namespace ty::control {

class Controller;
struct SchedulingRules;
struct SiteShare;

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

  /// The rules as the document that administrators read, change and put back (JSON).
  boost::asio::awaitable<Result<std::string>> rules(auth::Principal who);
  /// Replaces them. Invalid names every fault with its JSON pointer; Conflict when the document's
  /// version is not the stored one, unless it has none. Answers them as they are now.
  boost::asio::awaitable<Result<std::string>> set(auth::Principal who, std::string document);
  /// The node takes nothing new, or does again; what runs there goes on.
  boost::asio::awaitable<Result<void>> set_draining(auth::Principal who,
                                                    std::string node,
                                                    bool draining);

 private:
  struct Stored;
  boost::asio::awaitable<Result<Stored>> stored();
  boost::asio::awaitable<Result<SchedulingRules>> store(Stored before, SchedulingRules rules);
  boost::asio::awaitable<Result<void>> check_nodes(SchedulingRules rules);
  /// Names as ids. Unknown names are told in `faults`.
  boost::asio::awaitable<Result<SiteShare>> resolve(SchedulingRules rules,
                                                    std::vector<Fault>& faults);

  Parts p_;
};

}  // namespace ty::control
