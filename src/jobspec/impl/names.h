#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "jobspec/impl/quantity.h"
#include "model/job_spec.h"

/// Which names each dialect allows (job-model §9), and what must not hide in any of them.
namespace ty::jobspec {

std::optional<Refusal> check_job_name(model::Dialect dialect, std::string_view name);
/// The name itself where the dialect allows it, else the nearest one that it does.
std::string nearest_job_name(model::Dialect dialect, std::string_view name);
std::optional<Refusal> check_role_name(model::Dialect dialect, std::string_view name);
std::optional<Refusal> check_workspace(std::string_view name);
std::optional<Refusal> check_port_label(std::string_view label);
/// A variable of a task: at most 256 bytes, none of the platform's own; in POSIX form where the
/// dialect never allowed more.
std::optional<Refusal> check_env_name(model::Dialect dialect, std::string_view name);

/// Bidirectional controls and zero-width characters: text that reads as something else than it is.
std::optional<Refusal> check_visible(std::string_view text);

}  // namespace ty::jobspec
