#include "control/cluster/scheduling_service.h"

#include <fmt/format.h>

#include <algorithm>

#include "auth/permission.h"
#include "control/cluster/scheduling_rules.h"
#include "control/controller.h"
#include "control/messages.h"
#include "rt/log.h"
#include "store/user_store.h"
#include "store/workspace_store.h"

namespace ty::control {

namespace asio = boost::asio;

namespace {

constexpr std::string_view kSetting = "scheduling";

/// What concerns everybody (policy, drained and reserved nodes) and what this person's workspaces
/// are promised; who else there is, is left out.
void keep_own(SchedulingRules& rules, const auth::Principal& who) {
  const auto is_foreign = [&](const std::string& workspace) {
    return std::ranges::none_of(who.workspaces,
                                [&](const auth::Membership& one) { return one.name == workspace; });
  };
  std::erase_if(rules.quotas, [&](const Quota& quota) { return is_foreign(quota.workspace); });
  for (ReservationRule& rule : rules.reservations) {
    std::erase_if(rule.workspaces, is_foreign);
    std::erase_if(rule.users, [&](const std::string& user) { return user != who.name; });
  }
}

}  // namespace

struct SchedulingService::Stored {
  std::optional<std::string> text;
  SchedulingRules rules;
};

asio::awaitable<Result<SchedulingService::Stored>> SchedulingService::stored() {
  TY_CO_TRY(std::optional<std::string> text, co_await p_.settings.get(std::string(kSetting)));
  Stored found{std::move(text), {}};
  if (found.text) {
    auto rules = rules_from_json(*found.text);
    if (!rules)
      co_return std::unexpected(std::move(rules).error().with_context(say::stored_rules()));
    found.rules = *std::move(rules);
  }
  co_return found;
}

asio::awaitable<Result<void>> SchedulingService::load() {
  TY_CO_TRY(Stored found, co_await stored());
  std::vector<Fault> gone;
  TY_CO_TRY(SiteShare share, co_await resolve(std::move(found.rules), gone));
  for (const Fault& fault : gone)
    log::warn("scheduling.rule_ignored at={} problem={}", fault.pointer, fault.message);
  p_.controller.set_share(std::move(share));
  co_return Result<void>{};
}

asio::awaitable<Result<std::string>> SchedulingService::rules(auth::Principal who) {
  TY_CO_DO(auth::may(who, auth::Action::ShowNodes, {}));
  TY_CO_TRY(Stored found, co_await stored());
  if (!who.acts_as_administrator()) keep_own(found.rules, who);
  co_return rules_to_json(found.rules);
}

asio::awaitable<Result<std::string>> SchedulingService::set(auth::Principal who,
                                                            std::string document) {
  TY_CO_DO(auth::may(who, auth::Action::ManageSite, {}));
  TY_CO_TRY(SchedulingRules rules, rules_from_json(document));
  TY_CO_DO(co_await check_nodes(rules));
  TY_CO_TRY(Stored before, co_await stored());
  if (rules.version >= 0 && rules.version != before.rules.version) {
    co_return fail(Errc::Conflict,
                   say::rules_changed({.now = before.rules.version, .yours = rules.version}));
  }
  TY_CO_TRY(const SchedulingRules now, co_await store(std::move(before), std::move(rules)));
  co_return rules_to_json(now);
}

asio::awaitable<Result<void>> SchedulingService::set_draining(auth::Principal who,
                                                              std::string node,
                                                              bool draining) {
  TY_CO_DO(auth::may(who, auth::Action::ManageNodes, {}));
  const std::vector<NodeView> nodes = co_await p_.controller.nodes();
  const bool there =
      std::ranges::any_of(nodes, [&](const NodeView& view) { return view.name == node; });
  TY_CO_TRY(Stored before, co_await stored());
  SchedulingRules rules = before.rules;
  const auto erased = std::erase(rules.draining, node);
  if (!there && erased == 0) co_return fail(Errc::NotFound, say::no_such_node({.name = node}));
  if (draining) rules.draining.push_back(std::move(node));
  TY_CO_TRY(const SchedulingRules now, co_await store(std::move(before), std::move(rules)));
  (void)now;
  co_return Result<void>{};
}

asio::awaitable<Result<SchedulingRules>> SchedulingService::store(Stored before,
                                                                  SchedulingRules rules) {
  rules.version = before.rules.version + 1;
  std::vector<Fault> faults;
  TY_CO_TRY(SiteShare share, co_await resolve(rules, faults));
  if (!faults.empty()) co_return std::unexpected(refused_rules(std::move(faults)));
  // Stored first: what the scheduler does by these rules, it also does after a restart.
  TY_CO_DO(co_await p_.settings.replace(
      std::string(kSetting), std::move(before.text), rules_to_json(rules)));
  p_.controller.set_share(std::move(share));
  log::info("scheduling.changed version={} quotas={} reservations={} draining={}",
            rules.version,
            rules.quotas.size(),
            rules.reservations.size(),
            rules.draining.size());
  co_return rules;
}

asio::awaitable<Result<void>> SchedulingService::check_nodes(SchedulingRules rules) {
  const std::vector<NodeView> nodes = co_await p_.controller.nodes();
  std::vector<Fault> faults;
  const auto check = [&](const std::string& name, std::string pointer) {
    if (std::ranges::any_of(nodes, [&](const NodeView& n) { return n.name == name; })) return;
    faults.push_back({.pointer = std::move(pointer),
                      .message = say::no_such_node({.name = name}),
                      .code = "unknown_node"});
  };
  for (std::size_t i = 0; i < rules.draining.size(); ++i)
    check(rules.draining[i], fmt::format("/draining/{}", i));
  for (std::size_t i = 0; i < rules.reservations.size(); ++i) {
    for (std::size_t k = 0; k < rules.reservations[i].nodes.size(); ++k)
      check(rules.reservations[i].nodes[k], fmt::format("/reservations/{}/nodes/{}", i, k));
  }
  if (!faults.empty()) co_return std::unexpected(refused_rules(std::move(faults)));
  co_return Result<void>{};
}

asio::awaitable<Result<SiteShare>> SchedulingService::resolve(SchedulingRules rules,
                                                              std::vector<Fault>& faults) {
  SiteShare share{.version = rules.version, .policy = rules.policy};
  share.draining.insert(rules.draining.begin(), rules.draining.end());
  for (std::size_t i = 0; i < rules.quotas.size(); ++i) {
    Quota& quota = rules.quotas[i];
    auto workspace = co_await p_.workspaces.find_by_name(quota.workspace);
    if (!workspace && workspace.error().code != Errc::NotFound)
      co_return std::unexpected(std::move(workspace).error());
    if (!workspace) {
      faults.push_back({.pointer = fmt::format("/quotas/{}/workspace", i),
                        .message = workspace.error().message,
                        .code = "unknown_workspace"});
      continue;
    }
    share.accounts.push_back({.workspace = workspace->id,
                              .name = workspace->name,
                              .guarantee = quota.guarantee,
                              .limit = quota.limit,
                              .user_limit = quota.user_limit,
                              .weight = quota.weight});
  }
  for (std::size_t i = 0; i < rules.reservations.size(); ++i) {
    ReservationRule& rule = rules.reservations[i];
    sched::Reservation reservation{
        .name = rule.name, .nodes = rule.nodes, .from = rule.from, .to = rule.to};
    for (std::size_t k = 0; k < rule.workspaces.size(); ++k) {
      auto workspace = co_await p_.workspaces.find_by_name(rule.workspaces[k]);
      if (!workspace && workspace.error().code != Errc::NotFound)
        co_return std::unexpected(std::move(workspace).error());
      if (workspace) {
        reservation.workspaces.push_back(workspace->id);
      } else {
        faults.push_back({.pointer = fmt::format("/reservations/{}/workspaces/{}", i, k),
                          .message = workspace.error().message,
                          .code = "unknown_workspace"});
      }
    }
    for (std::size_t k = 0; k < rule.users.size(); ++k) {
      auto user = co_await p_.users.find_by_name(rule.users[k]);
      if (!user && user.error().code != Errc::NotFound)
        co_return std::unexpected(std::move(user).error());
      if (user) {
        reservation.users.push_back(user->id);
      } else {
        faults.push_back({.pointer = fmt::format("/reservations/{}/users/{}", i, k),
                          .message = user.error().message,
                          .code = "unknown_user"});
      }
    }
    share.reservations.push_back(std::move(reservation));
  }
  co_return share;
}

}  // namespace ty::control
