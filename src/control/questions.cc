#include <algorithm>
#include <utility>

#include "control/controller.h"
#include "rt/run_on.h"

/// What people ask about jobs that have not ended. What is cheap is answered on the controller's
/// own thread; what takes a look into the future is only written down there and found out
/// elsewhere.
namespace ty::control {

namespace asio = boost::asio;

namespace {

/// For so long a full explanation is told again as it was.
constexpr Millis kExplained{2000};

std::vector<GpuView> gpu_views(std::vector<engine::Gpu>& gpus, const std::vector<int>& used) {
  const auto known = [](int value) {
    return value < 0 ? std::nullopt : std::optional<std::int64_t>(value);
  };
  std::vector<GpuView> views;
  for (engine::Gpu& gpu : gpus) {
    views.push_back({.type = std::move(gpu.type),
                     .model = std::move(gpu.model),
                     .uuid = std::move(gpu.uuid),
                     .link_group = gpu.link_group,
                     .healthy = gpu.healthy,
                     .problem = std::move(gpu.problem),
                     .memory = gpu.memory,
                     .memory_used = gpu.memory_used,
                     .load_percent = known(gpu.load_percent),
                     .celsius = known(gpu.celsius),
                     .watts = known(gpu.watts)});
  }
  for (const int index : used) {
    const auto at = static_cast<std::size_t>(index);
    if (at < views.size()) views[at].used = true;
  }
  return views;
}

NodeView view_of(engine::NodeInfo info, sched::NodeUse use, bool draining) {
  return {.name = std::move(info.name),
          .address = std::move(info.address),
          .healthy = info.healthy,
          .draining = draining,
          .problem = std::move(info.problem),
          .runtime = info.able.runtime,
          .images = info.able.images,
          .warnings = std::move(info.able.warnings),
          .labels = std::move(info.labels),
          .cpu_milli = info.cpu_milli,
          .cpu_milli_used = use.cpu_milli,
          .memory = info.memory,
          .memory_used = use.memory,
          .gpus = gpu_views(info.gpus, use.gpus),
          .jobs = std::move(use.jobs)};
}

}  // namespace

asio::awaitable<sched::Explanation> Controller::explain(JobId job) {
  auto here = [](Controller& self, JobId job) -> asio::awaitable<sched::Explanation> {
    co_return self.with_disk(self.scheduler_.explain({.job = job}, self.clock_.now()));
  };
  return rt::run_on(io_.get_executor(), here(*this, std::move(job)));
}

asio::awaitable<sched::Explanation> Controller::explain_fully(JobId job, rt::BlockingPool& pool) {
  struct Asked {
    std::optional<sched::Explanation> known;
    std::shared_ptr<sched::Inquiry> inquiry;
    Time at{};
  };
  auto ask = [](Controller& self, JobId job) -> asio::awaitable<Asked> {
    const Time now = self.clock_.now();
    std::erase_if(self.explained_,
                  [&](const auto& entry) { return entry.second.first + kExplained < now; });
    if (const auto known = self.explained_.find(job); known != self.explained_.end())
      co_return Asked{.known = known->second.second};
    co_return Asked{.inquiry = std::make_shared<sched::Inquiry>(
                        self.scheduler_.inquire({.job = job}, now, sched::Scheduler::Detail::Full)),
                    .at = now};
  };
  Asked asked = co_await rt::run_on(io_.get_executor(), ask(*this, job));
  if (asked.known) co_return *std::move(asked.known);
  auto find_out = [inquiry = asked.inquiry] { return inquiry->answer(); };
  sched::Explanation found = with_disk(co_await pool.run(std::move(find_out)));
  auto keep = [](Controller& self,
                 JobId job,
                 Asked asked,
                 sched::Explanation found) -> asio::awaitable<void> {
    self.scheduler_.learn(*asked.inquiry);
    self.explained_.insert_or_assign(std::move(job), std::pair(asked.at, std::move(found)));
    co_return;
  };
  co_await rt::run_on(io_.get_executor(), keep(*this, std::move(job), std::move(asked), found));
  co_return found;
}

asio::awaitable<sched::Explanation> Controller::forecast(sched::Request request,
                                                         rt::BlockingPool& pool) {
  using Asked = std::shared_ptr<sched::Inquiry>;
  auto ask = [](Controller& self, sched::Request request) -> asio::awaitable<Asked> {
    const sched::RequestId id = request.id;
    // Nothing plans in between: this thread alone asks the scheduler.
    self.scheduler_.enqueue(std::move(request));
    auto inquiry = std::make_shared<sched::Inquiry>(
        self.scheduler_.inquire(id, self.clock_.now(), sched::Scheduler::Detail::Full));
    self.scheduler_.withdraw(id);
    co_return inquiry;
  };
  Asked asked = co_await rt::run_on(io_.get_executor(), ask(*this, std::move(request)));
  auto find_out = [asked = std::move(asked)] { return asked->answer(); };
  co_return with_disk(co_await pool.run(std::move(find_out)));
}

/// While the disk is full nothing starts, whatever the scheduler would say.
sched::Explanation Controller::with_disk(sched::Explanation explanation) const {
  const Result<void> room = space_.has_room();
  if (room || explanation.verdict == sched::Explanation::Verdict::Unknown) return explanation;
  explanation.verdict = sched::Explanation::Verdict::Held;
  explanation.reasons.insert(explanation.reasons.begin(), room.error().message);
  explanation.estimate.reset();
  explanation.change.clear();
  return explanation;
}

asio::awaitable<std::map<JobId, auth::Resource>> Controller::owners_of(std::vector<JobId> jobs) {
  using Owners = std::map<JobId, auth::Resource>;
  auto here = [](Controller& self, std::vector<JobId> jobs) -> asio::awaitable<Owners> {
    Owners owners;
    for (JobId& job : jobs) {
      const LiveJob* live = self.find(job);
      if (live == nullptr) continue;
      owners.emplace(std::move(job),
                     auth::Resource{.workspace = live->job.workspace, .owner = live->job.owner});
    }
    co_return owners;
  };
  return rt::run_on(io_.get_executor(), here(*this, std::move(jobs)));
}

asio::awaitable<std::vector<sched::QueueEntry>> Controller::queue(std::size_t offset,
                                                                  std::size_t limit) {
  auto here = [](Controller& self,
                 std::size_t offset,
                 std::size_t limit) -> asio::awaitable<std::vector<sched::QueueEntry>> {
    co_return self.scheduler_.queue(self.clock_.now(), offset, limit);
  };
  return rt::run_on(io_.get_executor(), here(*this, offset, limit));
}

asio::awaitable<std::vector<NodeView>> Controller::nodes() {
  auto here = [](Controller& self) -> asio::awaitable<std::vector<NodeView>> {
    std::vector<NodeView> views;
    const std::vector<sched::NodeUse> uses = self.scheduler_.nodes_in_use();
    for (engine::NodeInfo& info : self.engine_.nodes()) {
      const auto use = std::ranges::find(uses, info.name, &sched::NodeUse::name);
      const bool draining = self.draining_.contains(info.name);
      views.push_back(
          view_of(std::move(info), use == uses.end() ? sched::NodeUse{} : *use, draining));
    }
    co_return views;
  };
  return rt::run_on(io_.get_executor(), here(*this));
}

asio::awaitable<std::map<model::TaskRef, Message>> Controller::progress_of(JobId job) {
  auto here = [](Controller& self,
                 JobId job) -> asio::awaitable<std::map<model::TaskRef, Message>> {
    const LiveJob* live = self.find(job);
    co_return live == nullptr ? std::map<model::TaskRef, Message>{} : live->progress;
  };
  return rt::run_on(io_.get_executor(), here(*this, std::move(job)));
}

asio::awaitable<std::map<model::TaskKey, model::Placement>> Controller::placements_of(
    std::vector<model::TaskKey> keys) {
  using Placements = std::map<model::TaskKey, model::Placement>;
  auto here = [](Controller& self,
                 std::vector<model::TaskKey> keys) -> asio::awaitable<Placements> {
    Placements placements;
    for (const model::TaskKey& key : keys) {
      LiveJob* live = self.find(key.job);
      if (live == nullptr || live->job.life.attempt != key.attempt) continue;
      const model::Task& task = live->task(key.task);
      if (task.tries == key.tries && task.placement) placements[key] = *task.placement;
    }
    co_return placements;
  };
  return rt::run_on(io_.get_executor(), here(*this, std::move(keys)));
}

asio::awaitable<ServerLoad> Controller::load() {
  auto here = [](Controller& self) -> asio::awaitable<ServerLoad> {
    const Result<void> room = self.space_.has_room();
    co_return ServerLoad{.live = static_cast<std::int64_t>(self.live_.size()),
                         .waiting = static_cast<std::int64_t>(self.scheduler_.waiting()),
                         .store_failing = !self.store_problem_.empty() || !room,
                         .store_problem = room ? self.store_problem_ : room.error().message};
  };
  return rt::run_on(io_.get_executor(), here(*this));
}

}  // namespace ty::control
