#pragma once
#include <cstdint>
#include <string>

#include "engine/local/local_engine.h"
#include "engine/local/process/cgroup_tree.h"

namespace ty::engine {

/// What this machine offers to tasks; found once, when the engine opens.
struct ProcessSetup {
  std::string data_dir;
  std::string supervisor;  ///< the unpacked program
  Isolation isolation = Isolation::None;
  CgroupTree cgroups;
  std::string dev_dir;    ///< a /dev with harmless devices only; empty: the machine's own
  std::string bwrap;      ///< path; empty: not installed
  std::string bash;       ///< path; empty: not installed
  std::vector<Gpu> gpus;  ///< position = device index
  std::int64_t max_processes = 0;
  bool is_root = false;
};

/// Fills `dir` with the devices every program expects. False where devices cannot be made or used.
bool make_device_folder(const std::string& dir);

/// The first executable file of that name in the folders of `path`; empty: none.
std::string find_program(std::string_view name, std::string_view path);

}  // namespace ty::engine
