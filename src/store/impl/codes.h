#pragma once
#include "model/job_spec.h"
#include "model/states.h"
#include "model/user.h"

/// The database keeps enumerators as their numbers. Whoever reorders one of these finds out here,
/// before every stored job changes its meaning; new ones go to the end.
namespace ty::store {

static_assert(static_cast<int>(model::JobState::Queued) == 0);
static_assert(static_cast<int>(model::JobState::Starting) == 1);
static_assert(static_cast<int>(model::JobState::Running) == 2);
static_assert(static_cast<int>(model::JobState::Stopping) == 3);
static_assert(static_cast<int>(model::JobState::Paused) == 4);
static_assert(static_cast<int>(model::JobState::Succeeded) == 5);
static_assert(static_cast<int>(model::JobState::Failed) == 6);
static_assert(static_cast<int>(model::JobState::Cancelled) == 7);

static_assert(static_cast<int>(model::TaskState::Waiting) == 0);
static_assert(static_cast<int>(model::TaskState::Starting) == 1);
static_assert(static_cast<int>(model::TaskState::Running) == 2);
static_assert(static_cast<int>(model::TaskState::Stopping) == 3);
static_assert(static_cast<int>(model::TaskState::Succeeded) == 4);
static_assert(static_cast<int>(model::TaskState::Failed) == 5);
static_assert(static_cast<int>(model::TaskState::Stopped) == 6);

static_assert(static_cast<int>(model::Dialect::Native) == 0);
static_assert(static_cast<int>(model::Dialect::OpenPaiV1) == 1);
static_assert(static_cast<int>(model::Dialect::OpenPaiV2) == 2);
static_assert(static_cast<int>(model::Dialect::Ffdl) == 3);
static_assert(static_cast<int>(model::Dialect::GpuManager) == 4);
static_assert(static_cast<int>(model::Dialect::Volcano) == 5);
static_assert(static_cast<int>(model::Dialect::Pumpkin) == 6);

static_assert(static_cast<int>(model::WorkspaceRole::Viewer) == 0);
static_assert(static_cast<int>(model::WorkspaceRole::Member) == 1);
static_assert(static_cast<int>(model::WorkspaceRole::Manager) == 2);

inline constexpr int kJobStates = 8;
inline constexpr int kDialects = 7;

}  // namespace ty::store
