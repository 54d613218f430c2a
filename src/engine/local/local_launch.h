#pragma once
#include <optional>
#include <string>
#include <vector>

#include "engine/launch.h"
#include "model/environment.h"

namespace ty::engine {

/// A mount whose source was found: a folder of this machine.
struct HostMount {
  model::MountKind kind = model::MountKind::Storage;
  std::string host_path;
  std::string target;
  bool read_only = false;
  /// Others can change what lies at the path, links included: whoever mounts it makes sure that it
  /// is the folder that was found (mounts/safe_path.h).
  bool is_shared = false;
  bool private_copy = false;  ///< copy it into the run folder first, so the task may write
  std::optional<ObjectFolder> fetch_from;  ///< fills the folder before the task begins
  std::optional<ObjectFolder> save_to;     ///< gets the folder's content after the task's end
};

/// Between two of these stands the number of a task in place of its address, in variables, files
/// and commands, where the address is known only once the job's network is made. Job files cannot
/// hold the character.
inline constexpr char kAddressMark = '\x1f';

/// A launch on this machine: everything a runtime needs to run one try of one task.
struct LocalLaunch {
  model::TaskKey key;
  std::string role_name;
  std::string host_name;                  ///< HOSTNAME inside
  std::vector<std::string> host_aliases;  ///< names by which peers find it, where it has a network
  model::Network network = model::Network::Bridge;
  std::vector<std::string> peers;  ///< by number: names of all tasks on the job's network
  std::size_t number = 0;          ///< its own
  std::string address;             ///< on the job's network; empty: whichever it gets
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
  std::int64_t log_limit = 0;  ///< bytes that are kept of it; 0: all
  std::string run_dir;         ///< made by the engine, removed by forget()
  Millis stop_grace{30'000};
  std::optional<Time> deadline;  ///< hard stop, enforced even while the server is down
  std::vector<std::string> caps;
  std::optional<model::RunAs> run_as;
};

}  // namespace ty::engine
