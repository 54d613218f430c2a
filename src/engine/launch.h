#pragma once
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/secret.h"
#include "base/time.h"
#include "model/job.h"
#include "model/job_spec.h"

/// What an engine is asked to run, in the platform's words. Nothing here names a path, a port or an
/// address of a machine: those are the engine's to find.
namespace ty::engine {

/// A folder in an object store (S3).
struct ObjectFolder {
  std::string endpoint;  ///< `http://s3.example.org`
  std::string region;    ///< empty: the store's usual one
  std::string path;      ///< `bucket`, `bucket/folder`
  std::string access_key;
  Secret secret_key;
};

/// Where the content of a mount comes from.
namespace source {
/// Code that was handed in with the job.
struct Upload {
  std::string sha256;
};
/// Where all tasks of the job leave what they made. Stays when the job has ended.
struct JobOutput {};
/// An empty folder of the task's own, gone with it.
struct Scratch {};
/// A folder of the workspace that is made when it is first named.
struct Volume {
  WorkspaceId workspace;
  std::string name;
};
/// A folder of the site's shared storage, from its root: `/team/data`.
struct Storage {
  std::string path;
};
/// A folder of the machine itself that an administrator allows.
struct HostFolder {
  std::string path;
};
/// Fetched before the task begins.
struct ObjectStore {
  ObjectFolder folder;
};
}  // namespace source
using Source = std::variant<source::Scratch,
                            source::Upload,
                            source::JobOutput,
                            source::Volume,
                            source::Storage,
                            source::HostFolder,
                            source::ObjectStore>;

/// Something a task finds in its file system.
struct Mount {
  model::MountKind kind = model::MountKind::Storage;
  Source source;
  std::string named;   ///< the source as the job file has it, for messages
  std::string target;  ///< absolute
  bool read_only = false;
  bool private_copy = false;                 ///< the task writes into a copy of its own
  std::optional<std::int64_t> size_limit;    ///< bytes; a larger source is refused
  std::optional<ObjectFolder> save_to = {};  ///< gets the content after the task's end
};

/// How to sign in where an image is kept.
struct RegistryLogin {
  std::string server;  ///< empty: the registry the image names
  std::string username;
  Secret password;
};

/// A file that says how: three lines, registry, user, password.
struct LoginFile {
  Source source;      ///< Storage, or HostFolder where that leads into the site's storage
  std::string named;  ///< as the job file has it, for messages
};

struct SshKeys {
  std::string private_key;
  std::string public_key;
};

/// One attempt of a job on its way to an engine: shared by all of its tasks.
struct Attempt {
  model::Job job;  ///< with all of its tasks, and the placements of those that have one
  std::shared_ptr<const model::JobSpec> spec;
  std::optional<Time> deadline;      ///< when the job's time limit strikes
  std::vector<model::TaskRef> gang;  ///< those that start together with this one
};

/// One try of one task; nothing else is looked up.
struct Launch {
  model::TaskKey key;
  std::shared_ptr<const Attempt> attempt;
  model::Command command;  ///< of its role, secrets filled in
  std::vector<Mount> mounts;
  /// An empty folder to start in, because mounts lie relative to it. None: the role's working
  /// directory, its code, or wherever the image says.
  std::optional<std::string> start_folder;
  std::string storage_root;  ///< below which the task finds the site's storage; empty: it does not
  std::optional<RegistryLogin> login;  ///< what the job itself says
  std::optional<LoginFile> login_file;
  std::vector<RegistryLogin> logins;  ///< what its owner and workspace have, in this order
  std::optional<SshKeys> ssh;         ///< with which the tasks of the job reach each other
  std::optional<Time> deadline;       ///< hard stop, enforced even while the server is down

  const model::RoleSpec& role() const {
    return attempt->spec->roles[static_cast<std::size_t>(key.task.role)];
  }
  /// As placed. The attempt holds every task that is launched.
  const model::Task& task() const;
};

}  // namespace ty::engine
