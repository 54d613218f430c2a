#include "engine/fake/open.h"

#include "engine/fake/fake_engine.h"
#include "engine/gpu.h"

namespace ty::engine {

Result<std::unique_ptr<Engine>> open_fake(const config::Config& config, Host host) {
  TY_TRY(std::vector<Gpu> gpus, configured_gpus(config.node.gpus));
  NodeInfo node{.name = config.node.name.empty() ? "fake-1" : config.node.name,
                .cpu_milli = config.node.cpu_milli == 0 ? 64'000 : config.node.cpu_milli,
                .memory = config.node.memory == 0 ? std::int64_t{256} << 30 : config.node.memory,
                .gpus = std::move(gpus),
                .labels = config.node.labels};
  node.address = node.name;
  auto world = std::make_shared<FakeWorld>(std::vector{std::move(node)});
  world->records()->on_growth(std::move(host.log_grown));
  return std::make_unique<FakeEngine>(
      std::move(world), host.clock, std::move(host.report), FakeEngine::Drive::Thread);
}

}  // namespace ty::engine
