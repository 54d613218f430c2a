#include "jobspec/volcano/words.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <utility>

namespace ty::jobspec::volcano {
namespace {

using model::PolicyAction;
using model::PolicyEvent;

constexpr std::pair<std::string_view, PolicyEvent> kEvents[] = {
    {"PodFailed", PolicyEvent::TaskFailed},
    {"PodEvicted", PolicyEvent::TaskEvicted},
    {"PodPending", PolicyEvent::TaskPending},
    {"TaskCompleted", PolicyEvent::RoleDone},
    {"TaskFailed", PolicyEvent::RoleFailed},
    {"Unknown", PolicyEvent::Unplaceable},
    {"JobUnknown", PolicyEvent::Unplaceable},  // before 1.7
    {"JobUpdated", PolicyEvent::JobUpdated},
    {"*", PolicyEvent::Any}};

constexpr std::pair<std::string_view, PolicyAction> kActions[] = {
    {"RestartJob", PolicyAction::RestartJob},
    {"RestartTask", PolicyAction::RestartRole},
    {"RestartPod", PolicyAction::RestartTask},
    {"RestartPartition", PolicyAction::RestartPartition},
    {"AbortJob", PolicyAction::PauseJob},
    {"ResumeJob", PolicyAction::ResumeJob},
    {"TerminateJob", PolicyAction::FailJob},
    {"CompleteJob", PolicyAction::SucceedJob}};

constexpr std::pair<std::string_view, std::string_view> kCaps[] = {{"SYS_PTRACE", "ptrace"},
                                                                   {"IPC_LOCK", "ipc_lock"},
                                                                   {"SYS_ADMIN", "sys_admin"},
                                                                   {"NET_ADMIN", "net_admin"}};

constexpr std::pair<std::string_view, std::int64_t> kPriorities[] = {
    {"low", -1}, {"normal", 10}, {"high", 100}, {"urgent", 120}};

template <class Table, class Word>
auto value_of(const Table& table, Word word) -> std::optional<decltype(table[0].second)> {
  for (const auto& [name, value] : table) {
    if (name == word) return value;
  }
  return std::nullopt;
}

template <class Table, class Value>
std::string_view name_of(const Table& table, Value value) {
  for (const auto& [name, known] : table) {
    if (known == value) return name;
  }
  return "";
}

}  // namespace

std::optional<PolicyEvent> event_of(std::string_view word) { return value_of(kEvents, word); }
std::string_view word_of(PolicyEvent event) { return name_of(kEvents, event); }
bool is_internal_event(std::string_view word) {
  constexpr std::array<std::string_view, 3> kInternal = {
      "OutOfSync", "CommandIssued", "PodRunning"};
  return std::ranges::find(kInternal, word) != kInternal.end();
}

std::optional<PolicyAction> action_of(std::string_view word) { return value_of(kActions, word); }
std::string_view word_of(PolicyAction action) { return name_of(kActions, action); }

std::optional<std::string_view> cap_of(std::string_view word) { return value_of(kCaps, word); }
std::string_view kube_cap(std::string_view cap) { return name_of(kCaps, cap); }

std::optional<std::int64_t> priority_of(std::string_view class_name) {
  if (class_name.ends_with("-priority")) class_name.remove_suffix(9);
  return value_of(kPriorities, class_name);
}

std::string_view priority_class(std::int64_t priority) {
  const auto* nearest = std::ranges::min_element(
      kPriorities, {}, [&](const auto& entry) { return std::llabs(entry.second - priority); });
  return nearest->first;
}

std::int64_t class_value(std::string_view class_name) {
  return priority_of(class_name).value_or(model::JobSpec{}.priority);
}

}  // namespace ty::jobspec::volcano
