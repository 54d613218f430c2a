#pragma once
#include <set>
#include <string>

#include "engine/local/process/cgroup_tree.h"
#include "engine/local/process/recycler.h"

namespace ty::engine {

/// Ends and removes every run folder below `<data_dir>/runs` that is not `wanted`, and cgroups
/// without a run folder. What a server left behind that died between starting and storing.
void sweep(const std::string& data_dir,
           const CgroupTree& cgroups,
           const std::set<std::string>& wanted,
           Recycler& recycler);

/// Whether the machine was restarted since `remember_boot`.
bool is_new_boot(const std::string& data_dir);
void remember_boot(const std::string& data_dir);

}  // namespace ty::engine
