#include "control/logs/job_logs.h"

#include <fmt/format.h>

#include <charconv>

#include "base/text.h"
#include "control/messages.h"

namespace ty::control {

namespace {

std::vector<std::string> known_tasks(const JobLogs& logs) {
  constexpr std::size_t most = 20;
  std::vector<std::string> names;
  for (std::size_t role = 0; role < logs.spec.roles.size() && names.size() < most; ++role) {
    const std::int64_t count = logs.spec.roles[role].count;
    for (int i = 0; i < count && names.size() < most; ++i)
      names.push_back(logs.label({.role = static_cast<int>(role), .index = i}));
  }
  if (names.size() < static_cast<std::size_t>(logs.job.tasks_total)) names.emplace_back("…");
  return names;
}

}  // namespace

std::string JobLogs::label(model::TaskRef task) const {
  return fmt::format("{}-{}", spec.roles[static_cast<std::size_t>(task.role)].name, task.index);
}

Result<model::TaskRef> JobLogs::find_task(const std::string& name) const {
  for (std::size_t r = 0; r < spec.roles.size(); ++r) {
    const model::RoleSpec& role = spec.roles[r];
    if (name == role.name && role.count == 1)
      return model::TaskRef{.role = static_cast<int>(r), .index = 0};
    if (!name.starts_with(role.name + "-")) continue;
    const std::string_view number = std::string_view(name).substr(role.name.size() + 1);
    int index = -1;
    const auto [end, ec] = std::from_chars(number.data(), number.data() + number.size(), index);
    if (ec == std::errc{} && end == number.data() + number.size() && index >= 0 &&
        index < role.count) {
      return model::TaskRef{.role = static_cast<int>(r), .index = index};
    }
  }
  return fail(Errc::NotFound,
              say::job_without_task({.name = shorten(name), .names = known_tasks(*this)}));
}

}  // namespace ty::control
