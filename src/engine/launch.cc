#include "engine/launch.h"

#include <algorithm>

#include "base/result.h"

namespace ty::engine {

const model::Task& Launch::task() const {
  const auto found = std::ranges::find(attempt->job.life.tasks, key.task, &model::Task::ref);
  TY_CHECK(found != attempt->job.life.tasks.end(), "a task is launched with its attempt");
  return *found;
}

}  // namespace ty::engine
