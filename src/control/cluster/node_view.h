#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/message.h"
#include "model/job_spec.h"

namespace ty::control {

struct GpuView {
  bool used = false;  ///< a task has it
  std::string type;   ///< as jobs ask for it
  std::string model;
  std::string uuid;    ///< empty: only configured, there is no such device
  int link_group = 0;  ///< those with the same number reach each other fast
  bool healthy = true;
  Message problem;
  std::int64_t memory = 0;  ///< bytes; 0 unknown
  std::int64_t memory_used = 0;
  std::optional<std::int64_t> load_percent;
  std::optional<std::int64_t> celsius;
  std::optional<std::int64_t> watts;
};

/// A node and how much of it is in use.
struct NodeView {
  std::string name;
  std::string address;
  bool healthy = true;
  bool draining = false;  ///< an administrator lets nothing new start there
  Message problem;
  std::string runtime;  ///< how tasks run there: process, docker, …
  bool images = false;  ///< tasks run in the image they name
  std::vector<Message> warnings;
  model::TextMap labels;
  std::int64_t cpu_milli = 0;
  std::int64_t cpu_milli_used = 0;
  std::int64_t memory = 0;
  std::int64_t memory_used = 0;
  std::vector<GpuView> gpus;  ///< position = device index
  std::vector<JobId> jobs;    ///< for administrators
};

}  // namespace ty::control
