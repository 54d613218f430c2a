#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "model/job_spec.h"

/// Volcano's words for what the model knows; the parser and the printer use the same table.
namespace ty::jobspec::volcano {

/// `maxRetry` of a job that names none.
inline constexpr std::int64_t kUsualRetries = 3;

std::optional<model::PolicyEvent> event_of(std::string_view word);
std::string_view word_of(model::PolicyEvent event);
/// Events that only the controller itself may name.
bool is_internal_event(std::string_view word);

std::optional<model::PolicyAction> action_of(std::string_view word);
std::string_view word_of(model::PolicyAction action);

/// `SYS_PTRACE` → `ptrace`; nothing for a capability that tasks never get here.
std::optional<std::string_view> cap_of(std::string_view word);
std::string_view kube_cap(std::string_view cap);

std::optional<std::int64_t> priority_of(std::string_view class_name);
/// The class whose priority is nearest.
std::string_view priority_class(std::int64_t priority);
std::int64_t class_value(std::string_view class_name);

}  // namespace ty::jobspec::volcano
