#include "engine/local/open.h"

#include "engine/local/local_engine.h"
#include "engine/messages.h"

namespace ty::engine {

namespace {

Result<RuntimeChoice> runtime_choice(const std::string& word) {
  if (word == "docker") return RuntimeChoice::Docker;
  if (word == "process") return RuntimeChoice::Process;
  if (word == "oci") return fail(Errc::Invalid, say::runtime_oci_missing());
  return RuntimeChoice::Auto;
}

}  // namespace

Result<std::unique_ptr<Engine>> open_local(const config::Config& config, Host host) {
  LocalOptions options{.data_dir = std::move(host.data_dir),
                       .storage_root = config.jobs.storage,
                       .host_folders = config.jobs.host_folders,
                       .permissions = permissions_of(config),
                       .upload_folder = std::move(host.upload_folder),
                       .node_name = config.node.name,
                       .cpu_milli = config.node.cpu_milli,
                       .memory = config.node.memory,
                       .gpus = config.node.gpus,
                       .labels = config.node.labels,
                       .log_limit = config.jobs.log_limit.value_or(0),
                       .disk_limit = config.jobs.disk_limit.value_or(0),
                       .on_nodes_changed = std::move(host.nodes_changed)};
  TY_TRY(options.runtime, runtime_choice(config.runtime));
  options.docker = {.socket = config.docker.socket,
                    .subnets = config.docker.subnets,
                    .host_network = config.docker.host_network,
                    .ulimits = config.docker.ulimits,
                    .pull_patience = config.docker.pull_patience};
  return LocalEngine::open(std::move(options), std::move(host.report));
}

}  // namespace ty::engine
