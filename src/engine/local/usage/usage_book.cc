#include "engine/local/usage/usage_book.h"

#include "engine/local/process/journal.h"

namespace ty::engine {

std::vector<UsageReport> UsageBook::look(std::vector<Running> running) {
  const std::lock_guard lock(mutex_);
  std::map<std::int64_t, UsageReader> still;
  std::vector<UsageReport> reports;
  for (Running& task : running) {
    auto known = readers_.extract(task.ticket);
    if (!known) {
      const auto holder = read_journal(task.run_dir).holder;
      if (!holder) continue;
      readers_.emplace(task.ticket, runtime_.usage_reader(task.key, *holder));
      known = readers_.extract(task.ticket);
    }
    UsageReport report{.key = std::move(task.key), .usage = known.mapped().read()};
    report.usage.at = clock_.now();
    still.insert(std::move(known));
    reports.push_back(std::move(report));
  }
  readers_ = std::move(still);
  return reports;
}

}  // namespace ty::engine
