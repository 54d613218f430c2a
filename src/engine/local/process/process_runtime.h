#pragma once
#include "engine/local/process/recycler.h"
#include "engine/local/process/setup.h"
#include "engine/local/runtime.h"

namespace ty::engine {

/// Tasks as processes of this machine, in the best sandbox that works here.
class ProcessRuntime final : public Runtime {
 public:
  ProcessRuntime(ProcessSetup setup, Capabilities capabilities, Recycler& recycler)
      : setup_(std::move(setup)), capabilities_(std::move(capabilities)), recycler_(recycler) {}

  Capabilities capabilities() const override { return capabilities_; }
  Result<std::expected<Fd, model::Ending>> begin(const LocalLaunch& launch,
                                                 std::int64_t ticket,
                                                 int notify_fd) override;
  UsageReader usage_reader(const model::TaskKey& key, pid_t holder) override;
  Result<void> remove(const model::TaskKey& key) override;
  void sweep(const std::set<model::TaskKey>& wanted) override;
  void close(bool is_idle) override;

 private:
  const ProcessSetup setup_;
  const Capabilities capabilities_;
  Recycler& recycler_;
};

}  // namespace ty::engine
