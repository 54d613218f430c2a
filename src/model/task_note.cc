#include "model/task_note.h"

#include "model/impl/json_text.h"

namespace ty::model {

Note task_note(std::string kind, const JobSpec& spec, const TaskKey& key, const Message& text) {
  const std::string name = spec.roles[static_cast<std::size_t>(key.task.role)].name + "-" +
                           std::to_string(key.task.index);
  JsonObject data;
  data.add("task", name).add("attempt", key.attempt).add("tries", key.tries);
  data.add("text", text);
  return {.kind = std::move(kind), .data = data.text()};
}

}  // namespace ty::model
