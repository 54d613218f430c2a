#include "engine/local/usage/cgroup_mounts.h"

#include <algorithm>
#include <fstream>

#include "base/text.h"

namespace ty::engine {

bool CgroupMount::has(std::string_view controller) const {
  return std::ranges::find(controllers, controller) != controllers.end();
}

std::vector<CgroupMount> cgroup_mounts() {
  std::vector<CgroupMount> mounts;
  std::ifstream file("/proc/self/mountinfo");
  std::string line;
  while (std::getline(file, line)) {
    const auto dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    const auto front = split(line.substr(0, dash), ' ');
    const auto back = split(line.substr(dash + 3), ' ');
    if (front.size() < 5 || back.size() < 3) continue;
    if (back[0] == "cgroup2") {
      std::string words;
      std::ifstream controllers(front[4] + "/cgroup.controllers");
      std::getline(controllers, words);
      mounts.push_back({front[4], front[3], true, split(words, ' ')});
    } else if (back[0] == "cgroup") {
      mounts.push_back({front[4], front[3], false, split(back[2], ',')});
    }
  }
  return mounts;
}

}  // namespace ty::engine
