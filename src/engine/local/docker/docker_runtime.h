#pragma once
#include <boost/json/array.hpp>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <tuple>

#include "engine/local/docker/client.h"
#include "engine/local/docker/container_plan.h"
#include "engine/local/docker/networks.h"
#include "engine/local/docker/puller.h"
#include "engine/local/local_engine.h"
#include "engine/local/process/recycler.h"
#include "engine/local/runtime.h"

namespace ty::engine::docker {

/// Tasks in containers of a Docker daemon, or of Podman by its compatible socket. The container's
/// first process is our supervisor, mounted into it: the log goes into our own files at the speed
/// of a pipe, and the end of a task is on our disk even when Docker and the server are away.
class DockerRuntime final : public Runtime {
 public:
  /// Asks the daemon what it can do. Fails when it does not answer, unless `may_be_away`: then the
  /// node is unhealthy until it does.
  static Result<std::unique_ptr<DockerRuntime>> open(const LocalOptions& options,
                                                     const std::vector<Gpu>& gpus,
                                                     Recycler& recycler,
                                                     bool may_be_away);
  ~DockerRuntime() override;

  Capabilities capabilities() const override;
  Message problem() const override;
  std::expected<Ready, model::Ending> prepare(const LocalLaunch& launch, OnReady on_ready) override;
  Result<std::expected<Fd, model::Ending>> begin(const LocalLaunch& launch,
                                                 std::int64_t ticket,
                                                 int notify_fd) override;
  Result<void> signal(const model::TaskKey& key, int signal) override;
  void wake(const model::TaskKey& key) override;
  std::optional<model::Ending> cause_of_end(const model::TaskKey& key, bool is_dead) override;
  UsageReader usage_reader(const model::TaskKey&, pid_t holder) override {
    return UsageReader::of_process(holder);
  }
  std::string own_files(const model::TaskKey& key) override;
  Result<void> remove(const model::TaskKey& key) override;
  void sweep(const std::set<model::TaskKey>& wanted) override;
  void close(bool is_idle) override;

 private:
  DockerRuntime(const LocalOptions& options, Recycler& recycler);

  Result<void> inspect_daemon();
  ContainerSetup setup() const;
  Result<void> make_files(const LocalLaunch& launch, const ContainerPlan& plan) const;
  Result<std::expected<Fd, model::Ending>> run(const LocalLaunch& given,
                                               std::int64_t ticket,
                                               const std::string& network);
  Result<boost::json::array> own_containers();
  /// Removes what earlier servers left and no task of these labels wants. False when something of
  /// it is still there.
  bool remove_all_but(const std::set<std::string>& wanted);
  Result<void> remove_container(const std::string& name);
  void reap(const model::TaskKey& key);
  void watch_daemon();

  const LocalOptions options_;
  Recycler& recycler_;
  SystemClock clock_;
  std::string supervisor_;
  Client client_;
  Networks networks_;
  std::unique_ptr<Puller> puller_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Capabilities capabilities_;
  ContainerSetup setup_;
  Message problem_;
  bool is_known_ = false;  // inspect_daemon() has succeeded
  /// Images that were pulled for an attempt of a job: once is enough for all of its tasks.
  std::set<std::tuple<JobId, int, std::string>> pulled_;
  std::map<model::TaskKey, Message> old_images_;  // why the copy of this machine was taken
  std::set<model::TaskKey> unreaped_;             // containers that could not be removed yet
  /// Labels that a sweep keeps, while it could not remove all others: the daemon watch tries again.
  std::optional<std::set<std::string>> wanted_of_sweep_;
  std::set<model::TaskKey> with_network_;  // tasks that hold a part of their job's network
  bool is_closing_ = false;
  std::thread daemon_watch_;
};

}  // namespace ty::engine::docker
