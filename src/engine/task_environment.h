#pragma once
#include <optional>
#include <string>
#include <vector>

#include "engine/launch.h"
#include "model/environment.h"

/// What a task is told of itself and its peers, once the engine knows where it will be.
namespace ty::engine {

/// What only the engine knows. Fields that depend on nothing but the launch are filled in from it.
struct Surroundings {
  model::RuntimeKind runtime = model::RuntimeKind::Process;
  /// What comes before every target: the run folder of a task without a file system of its own.
  std::string root;
  std::vector<model::Task> tasks;  ///< of the attempt, their addresses as the task is to be told
  std::optional<int> master_port;  ///< drawn for the job; none: the usual one
  std::vector<std::optional<int>> tf_ports;  ///< by task, drawn; none or missing: the usual one
};

struct TaskWords {
  model::TaskEnvironment environment;
  model::Command command;
  std::optional<std::string> workdir;  ///< none: the code, or wherever the image says
};

TaskWords task_words(const Launch& launch, const Surroundings& around);

}  // namespace ty::engine
