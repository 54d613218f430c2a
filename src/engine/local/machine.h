#pragma once
#include <cstdint>
#include <string>

namespace ty::engine {

/// What this machine has, or what our own cgroup leaves of it.
std::int64_t machine_cpu_milli();
std::int64_t machine_memory();
std::string machine_name();
/// Changes with every boot.
std::string boot_id();

}  // namespace ty::engine
