#include "engine/local/local_engine.h"

#include <algorithm>

#include "engine/local/gpu/gpu_watch.h"
#include "engine/local/machine.h"
#include "engine/local/runtimes.h"
#include "engine/local/task_keeper.h"

namespace ty::engine {

struct LocalEngine::Impl {
  Impl(LocalOptions given,
       ReportSink sink,
       std::unique_ptr<Recycler> recycler,
       std::unique_ptr<Runtime> runtime,
       std::unique_ptr<GpuWatch> devices)
      : options(std::move(given)),
        gpus(std::move(devices)),
        keeper(options.data_dir,
               options.starters,
               std::move(sink),
               std::move(recycler),
               std::move(runtime)) {}

  const LocalOptions options;
  std::unique_ptr<GpuWatch> gpus;
  TaskKeeper keeper;
};

Result<std::unique_ptr<LocalEngine>> LocalEngine::open(LocalOptions options, ReportSink sink) {
  auto recycler = std::make_unique<Recycler>(options.data_dir + "/runs");
  std::unique_ptr<GpuSource> source;
  std::vector<Gpu> gpus;
  if (options.gpus.empty()) {
    source = open_nvml();
    if (source) gpus = source->inventory();
  } else if (options.gpus != std::vector<std::string>{"none"}) {
    TY_TRY(gpus, configured_gpus(options.gpus));
  }
  TY_TRY(std::unique_ptr<Runtime> runtime, open_runtime(options, gpus, *recycler));
  auto watch =
      std::make_unique<GpuWatch>(std::move(gpus), std::move(source), options.on_nodes_changed);
  // Docker takes its time for each start; more of them at once cost us nothing but threads.
  if (runtime->capabilities().images) options.starters = std::max<std::size_t>(options.starters, 8);
  auto impl = std::make_unique<Impl>(std::move(options),
                                     std::move(sink),
                                     std::move(recycler),
                                     std::move(runtime),
                                     std::move(watch));
  if (!impl->keeper.is_watching())
    return fail(Errc::Exhausted, "no descriptors left to watch tasks with");
  return std::unique_ptr<LocalEngine>(new LocalEngine(std::move(impl)));
}

LocalEngine::LocalEngine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

LocalEngine::~LocalEngine() = default;

Capabilities LocalEngine::capabilities() const {
  Capabilities all = impl_->keeper.runtime().capabilities();
  all.object_stores = impl_->keeper.has_object_stores();
  return all;
}

std::vector<NodeInfo> LocalEngine::nodes() const {
  const LocalOptions& options = impl_->options;
  NodeInfo node;
  node.name = options.node_name.empty() ? machine_name() : options.node_name;
  node.address = options.address;
  node.cpu_milli = options.cpu_milli > 0 ? options.cpu_milli : machine_cpu_milli();
  node.memory = options.memory > 0 ? options.memory : machine_memory();
  node.gpus = impl_->gpus->now();
  node.labels = options.labels;
  node.problem = impl_->keeper.runtime().problem();
  node.healthy = node.problem.empty();
  node.able = impl_->keeper.runtime().capabilities();
  return {node};
}

boost::asio::awaitable<Result<void>> LocalEngine::start(Launch launch) {
  auto work = [keeper = &impl_->keeper, launch = std::move(launch)] {
    return keeper->start(launch);
  };
  co_return co_await impl_->keeper.pool().run(std::move(work));
}

boost::asio::awaitable<Result<void>> LocalEngine::stop(model::TaskKey key, Millis grace) {
  co_return impl_->keeper.stop(key, grace);
}

boost::asio::awaitable<Result<void>> LocalEngine::set_deadline(model::TaskKey key,
                                                               std::optional<Time> deadline) {
  co_return impl_->keeper.set_deadline(key, deadline);
}

boost::asio::awaitable<Result<std::vector<model::TaskKey>>> LocalEngine::recover(
    std::vector<model::TaskKey> expected) {
  auto work = [keeper = &impl_->keeper, expected = std::move(expected)] {
    return keeper->recover(expected);
  };
  co_return co_await impl_->keeper.pool().run(std::move(work));
}

std::vector<UsageReport> LocalEngine::usage() { return impl_->keeper.usage(); }

boost::asio::awaitable<Result<void>> LocalEngine::forget(model::TaskKey key) {
  auto work = [keeper = &impl_->keeper, key = std::move(key)] { return keeper->forget(key); };
  co_return co_await impl_->keeper.pool().run(std::move(work));
}

}  // namespace ty::engine
