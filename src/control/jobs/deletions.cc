#include "control/jobs/deletions.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/fd.h"
#include "control/event_hub.h"
#include "engine/engine.h"
#include "rt/blocking_pool.h"
#include "rt/log.h"
#include "store/job_store.h"
#include "telemetry/task_records.h"

namespace ty::control {

namespace asio = boost::asio;

namespace {
constexpr std::string_view kLogsOnly = ".logs";
}

std::string Deletions::mark_of(const Deletion& deletion) const {
  std::string mark = p_.folder + "/" + deletion.job.str();
  if (deletion.outputs == Outputs::Stay) mark += kLogsOnly;
  return mark;
}

std::vector<Deletions::Deletion> Deletions::marked() const {
  std::vector<Deletion> found;
  std::error_code ec;
  for (const auto& entry : std::filesystem::directory_iterator(p_.folder, ec)) {
    std::string name = entry.path().filename().string();
    const bool is_logs_only = name.ends_with(kLogsOnly);
    if (is_logs_only) name.resize(name.size() - kLogsOnly.size());
    found.push_back(
        {.job = JobId(std::move(name)), .outputs = is_logs_only ? Outputs::Stay : Outputs::Go});
  }
  return found;
}

asio::awaitable<Result<void>> Deletions::remove(
    JobSeq seq, JobId job, Outputs outputs, std::string actor, Time at) {
  Deletion deletion{.job = std::move(job), .outputs = outputs};
  const std::string mark = mark_of(deletion);
  ::mkdir(p_.folder.c_str(), 0700);
  {
    // Without space for it the job is still removed: that is what makes space.
    const Fd made(::open(mark.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  }
  auto removed = co_await p_.jobs.remove(seq, std::move(actor), at);
  if (!removed) {
    ::unlink(mark.c_str());
    co_return std::unexpected(std::move(removed).error());
  }
  p_.hub.announce(*removed);
  co_await remove_files(std::move(deletion));
  co_return Result<void>{};
}

asio::awaitable<void> Deletions::remove_files(Deletion deletion) {
  auto clear = [records = p_.records, job = deletion.job] { return records->remove(job); };
  Result<void> done = co_await p_.pool.run(std::move(clear));
  if (done && deletion.outputs == Outputs::Go) done = co_await p_.engine.erase(deletion.job);
  if (done)
    ::unlink(mark_of(deletion).c_str());
  else
    log::warn("job.erase_failed job={} problem={}", deletion.job.str(), done.error().message);
}

asio::awaitable<void> Deletions::finish_interrupted() {
  auto look = [this] { return marked(); };
  std::vector<Deletion> deletions = co_await p_.pool.run(std::move(look));
  for (Deletion& deletion : deletions) {
    const auto found = co_await p_.jobs.find(deletion.job);
    // Still there: it is being removed now, or never was.
    if (found || found.error().code != Errc::NotFound) continue;
    co_await remove_files(std::move(deletion));
  }
}

}  // namespace ty::control
