#include "control/cluster/cluster_service.h"

#include "auth/permission.h"
#include "control/controller.h"

namespace ty::control {

namespace asio = boost::asio;

asio::awaitable<Result<std::vector<NodeView>>> ClusterService::nodes(auth::Principal who) {
  TY_CO_DO(auth::may(who, auth::Action::ShowNodes, {}));
  std::vector<NodeView> views = co_await controller_.nodes();
  if (!who.acts_as_administrator()) {
    for (NodeView& view : views) view.jobs.clear();
  }
  co_return views;
}

asio::awaitable<Result<std::vector<QueuedJob>>> ClusterService::queue(auth::Principal who,
                                                                      std::size_t offset,
                                                                      std::size_t limit) {
  std::vector<QueuedJob> jobs;
  for (sched::QueueEntry& entry : co_await controller_.queue(offset, limit)) {
    QueuedJob job{.priority = entry.priority,
                  .tasks = entry.tasks,
                  .gpus = entry.gpus,
                  .queued_at = entry.queued_at};
    const auth::Resource resource{.workspace = entry.workspace, .owner = entry.owner};
    if (auth::may(who, auth::Action::ShowJob, resource)) {
      job.id = std::move(entry.id.job);
      job.name = std::move(entry.name);
    }
    jobs.push_back(std::move(job));
  }
  co_return jobs;
}

asio::awaitable<ServerLoad> ClusterService::load() { return controller_.load(); }

}  // namespace ty::control
