#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ty::engine {

/// A cgroup hierarchy of this machine: the only one of version 2, or one of the several of version
/// 1; hybrid machines have both, each controller in one of them.
struct CgroupMount {
  std::string path;
  std::string root;  ///< the group that is mounted there; `/` but in containers
  bool is_v2 = false;
  std::vector<std::string> controllers;

  bool has(std::string_view controller) const;
};

std::vector<CgroupMount> cgroup_mounts();

}  // namespace ty::engine
