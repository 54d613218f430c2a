#include "engine/local/local_engine.h"

#include <algorithm>
#include <filesystem>

#include "engine/local/gpu/gpu_watch.h"
#include "engine/local/machine.h"
#include "engine/local/network/local_addresses.h"
#include "engine/local/paths.h"
#include "engine/local/process/run_folder.h"
#include "engine/local/resolve.h"
#include "engine/local/runtimes.h"
#include "engine/local/task_keeper.h"
#include "engine/messages.h"
#include "telemetry/file_records.h"

namespace ty::engine {

struct LocalEngine::Impl {
  Impl(LocalOptions given,
       ReportSink sink,
       std::unique_ptr<Recycler> recycler,
       std::unique_ptr<Runtime> runtime,
       std::unique_ptr<GpuWatch> devices)
      : options(std::move(given)),
        gpus(std::move(devices)),
        addresses(runtime->capabilities(), options.address),
        resolver(options.data_dir,
                 {.data_dir = options.data_dir,
                  .storage_root = options.storage_root.empty() ? options.data_dir + "/storage"
                                                               : options.storage_root,
                  .host_folders = options.host_folders,
                  .upload_folder = options.upload_folder},
                 options.permissions),
        records(std::make_shared<telemetry::FileRecords>(options.data_dir)),
        keeper(options.data_dir,
               options.starters,
               options.disk_limit,
               std::move(sink),
               std::move(recycler),
               std::move(runtime)) {}

  const LocalOptions options;
  std::unique_ptr<GpuWatch> gpus;
  LocalAddresses addresses;
  const Resolver resolver;
  const std::shared_ptr<telemetry::FileRecords> records;
  TaskKeeper keeper;
};

namespace {

Result<void> make_folders(const LocalOptions& options) {
  for (const char* folder : {"bin", "runs", "logs", "outputs"})
    TY_DO(make_folder(options.data_dir + "/" + folder, 0755, 0755));
  // Elsewhere it is the administrator's to make.
  return options.storage_root.empty() ? make_folder(options.data_dir + "/storage", 0755, 0755)
                                      : Result<void>{};
}

}  // namespace

Result<std::unique_ptr<LocalEngine>> LocalEngine::open(LocalOptions options, ReportSink sink) {
  TY_DO(make_folders(options));
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
  if (!impl->keeper.is_watching()) return fail(Errc::Exhausted, say::no_descriptors_for_tasks());
  return std::unique_ptr<LocalEngine>(new LocalEngine(std::move(impl)));
}

LocalEngine::LocalEngine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

LocalEngine::~LocalEngine() = default;

Capabilities LocalEngine::capabilities() const {
  Capabilities all = impl_->keeper.runtime().capabilities();
  all.object_stores = impl_->keeper.has_object_stores();
  all.log_files = true;
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
  node.able = capabilities();
  return {node};
}

Result<void> LocalEngine::can_mount(const Mount& mount) const {
  return impl_->resolver.folders().check(mount);
}

Addresses& LocalEngine::addresses() { return impl_->addresses; }

std::shared_ptr<telemetry::TaskRecords> LocalEngine::records() const { return impl_->records; }

boost::asio::awaitable<Result<void>> LocalEngine::start(Launch given) {
  TY_CO_TRY(LocalLaunch launch,
            impl_->resolver.resolve(given, impl_->keeper.runtime().capabilities()));
  launch.log_limit = impl_->options.log_limit;
  co_return co_await start(std::move(launch));
}

boost::asio::awaitable<Result<void>> LocalEngine::start(LocalLaunch launch) {
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

boost::asio::awaitable<Result<void>> LocalEngine::erase(JobId job) {
  auto work = [data_dir = impl_->options.data_dir, job = std::move(job)]() -> Result<void> {
    // Its tasks are forgotten one by one; what a crash left of them goes here.
    for (const std::string& folder : {job_runs(data_dir, job), output_folder(data_dir, job)}) {
      std::error_code ec;
      std::filesystem::remove_all(folder, ec);
      if (ec) {
        return fail(Errc::Unavailable,
                    say::run_folder_not_removed({.path = folder, .why = ec.message()}));
      }
    }
    return {};
  };
  co_return co_await impl_->keeper.pool().run(std::move(work));
}

}  // namespace ty::engine
