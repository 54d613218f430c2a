#include "engine/local/runtimes.h"

#include <unistd.h>

#include <fstream>

#include "engine/local/docker/docker_runtime.h"
#include "engine/local/process/probe.h"
#include "engine/local/process/process_runtime.h"
#include "engine/local/process/run_folder.h"
#include "engine/messages.h"

namespace ty::engine {
namespace {

std::string choice_file(const LocalOptions& options) { return options.data_dir + "/runtime"; }

std::string earlier_choice(const LocalOptions& options) {
  std::ifstream file(choice_file(options));
  std::string word;
  std::getline(file, word);
  return word;
}

void remember(const LocalOptions& options, std::string_view word) {
  // Lost, the next start chooses anew.
  [[maybe_unused]] const auto written =
      replace_small_file(choice_file(options), std::string(word) + "\n", 0644);
}

/// Docker's usual socket, or Podman's where only that is there.
std::string usual_socket() {
  constexpr const char* kDocker = "/var/run/docker.sock";
  constexpr const char* kPodman = "/run/podman/podman.sock";
  const bool has_only_podman = ::access(kDocker, F_OK) != 0 && ::access(kPodman, F_OK) == 0;
  return has_only_podman ? kPodman : kDocker;
}

Result<std::unique_ptr<Runtime>> open_docker(const LocalOptions& options,
                                             const std::vector<Gpu>& gpus,
                                             Recycler& recycler,
                                             bool may_be_away) {
  TY_TRY(std::unique_ptr<Runtime> runtime,
         docker::DockerRuntime::open(options, gpus, recycler, may_be_away));
  remember(options, "docker");
  return runtime;
}

Result<std::unique_ptr<Runtime>> open_process(const LocalOptions& options,
                                              const std::vector<Gpu>& gpus,
                                              Recycler& recycler) {
  TY_TRY(Probed probed, probe_machine(options, recycler));
  probed.setup.gpus = gpus;
  remember(options, "process");
  return std::make_unique<ProcessRuntime>(
      std::move(probed.setup), std::move(probed.capabilities), recycler);
}

}  // namespace

Result<std::unique_ptr<Runtime>> open_runtime(LocalOptions options,
                                              const std::vector<Gpu>& gpus,
                                              Recycler& recycler) {
  if (options.docker.socket.empty()) options.docker.socket = usual_socket();
  switch (options.runtime) {
    case RuntimeChoice::Process:
      return open_process(options, gpus, recycler);
    case RuntimeChoice::Docker: {
      auto opened = open_docker(options, gpus, recycler, earlier_choice(options) == "docker");
      if (!opened) {
        return std::unexpected(std::move(opened).error().with_context(say::runtime_docker()));
      }
      return opened;
    }
    case RuntimeChoice::Auto:
      break;
  }
  const bool was_docker = earlier_choice(options) == "docker";
  const bool has_socket = ::access(options.docker.socket.c_str(), R_OK | W_OK) == 0;
  if (!was_docker && !has_socket) return open_process(options, gpus, recycler);
  auto opened = open_docker(options, gpus, recycler, was_docker);
  if (opened) return opened;
  return open_process(options, gpus, recycler);
}

}  // namespace ty::engine
