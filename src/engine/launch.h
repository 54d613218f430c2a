#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/secret.h"
#include "base/time.h"
#include "model/environment.h"
#include "model/job.h"

namespace ty::engine {

/// A mount whose source `control` has turned into a folder of this machine.
struct HostMount {
  model::MountKind kind = model::MountKind::Storage;
  std::string host_path;
  std::string target;
  bool read_only = false;
  bool private_copy = false;  ///< copy it into the run folder first, so the task may write
};

/// How to sign in where the image is kept.
struct RegistryLogin {
  std::string server;  ///< empty: the registry the image names
  std::string username;
  Secret password;
};

/// Everything a runtime needs to run one try of one task; nothing else is looked up.
struct Launch {
  model::TaskKey key;
  std::string role_name;
  std::string host_name;                  ///< HOSTNAME inside
  std::vector<std::string> host_aliases;  ///< names by which peers find it, where it has a network
  model::Network network = model::Network::Bridge;
  std::string image;
  model::PullPolicy pull = model::PullPolicy::IfMissing;
  std::optional<RegistryLogin> registry;
  model::Command command;
  std::optional<std::string> workdir;
  model::TaskEnvironment environment;
  model::Resources resources;
  model::Placement placement;
  std::vector<HostMount> mounts;
  std::string
      log_path;  ///< `<log_path>` gets the bytes, `<log_path>.idx` the index (model/log_index.h)
  std::string run_dir;  ///< made by the engine, removed by forget()
  Millis stop_grace{30'000};
  std::optional<Time> deadline;       ///< hard stop, enforced even while the server is down
  std::optional<Seconds> debug_hold;  ///< after a failing command keep the resources so long
  std::vector<std::string> caps;
  std::optional<model::RunAs> run_as;
};

}  // namespace ty::engine
