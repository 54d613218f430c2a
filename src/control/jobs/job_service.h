#pragma once
#include <boost/asio/awaitable.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "auth/principal.h"
#include "config/config.h"
#include "control/cluster/resource_specs.h"
#include "control/jobs/job_views.h"
#include "jobspec/convert.h"
#include "jobspec/read.h"
#include "model/job_progress.h"
#include "model/job_query.h"

namespace ty::auth {
enum class Action : std::uint8_t;
}
namespace ty::engine {
class Engine;
struct Capabilities;
}  // namespace ty::engine
namespace ty::model {
struct Workspace;
}
namespace ty::rt {
class BlockingPool;
}
namespace ty::store {
class JobStore;
class UserStore;
class WorkspaceStore;
}  // namespace ty::store
namespace ty::telemetry {
class TaskRecords;
}

namespace ty::control {

class Capacity;
class Controller;
class Deletions;
class DiskSpace;
class EventHub;
class JobFinder;
class LogService;
class SecretBox;
class Uploads;

struct SubmitRequest {
  auth::Principal who;
  std::string body;  ///< the job file, byte for byte
  std::string media_type;
  std::optional<model::Dialect> dialect;
  std::map<std::string, std::string> params;
  std::string idempotency_key;
  bool dry_run = false;
  /// Local folder as the job file names it (`.`) → `upload:<sha256>` from `keep_upload`. The name
  /// `code` stands for whatever folder the file names as its code.
  std::map<std::string, std::string> uploads;
};

/// What people can do with jobs. Every function checks that `who` may. Any thread; answers mean
/// that it is stored.
class JobService {
 public:
  struct Parts {
    store::JobStore& jobs;
    store::WorkspaceStore& workspaces;
    store::UserStore& users;
    Controller& controller;
    JobFinder& finder;
    LogService& logs;
    Uploads& uploads;
    engine::Engine& engine;
    const SecretBox& secrets;
    rt::BlockingPool& pool;
    EventHub& hub;
    const Clock& clock;
    const DiskSpace& space;
    const config::Config& config;
    std::shared_ptr<const engine::Capabilities> capabilities;
    const Capacity& capacity;
    std::shared_ptr<telemetry::TaskRecords> records;
    Deletions& deletions;
  };
  explicit JobService(Parts parts)
      : p_(std::move(parts)), resource_specs_(read_resource_specs(p_.config.jobs.resource_specs)) {}

  /// One job per document and parameter value, all or none. Invalid carries every fault with line
  /// and column.
  boost::asio::awaitable<Result<std::vector<Submitted>>> submit(SubmitRequest request);
  /// Reads without submitting: what `trainyard check` and the editor show.
  jobspec::ReadResult check(std::string_view body,
                            std::optional<model::Dialect> dialect,
                            const std::map<std::string, std::string>& params) const;

  /// The file in another dialect.
  jobspec::Converted convert(std::string_view body,
                             std::optional<model::Dialect> dialect,
                             const std::map<std::string, std::string>& params,
                             model::Dialect to) const;

  /// A file to write an uploaded archive into, then `keep_upload` (answers `upload:<sha256>`) or
  /// `discard_upload`.
  Result<std::string> new_upload() const;
  boost::asio::awaitable<Result<std::string>> keep_upload(auth::Principal who, std::string file);
  void discard_upload(const std::string& file) const;

  boost::asio::awaitable<Result<JobView>> show(auth::Principal who, std::string job);
  /// `query.workspaces` is narrowed to what the caller may see; `workspace_name`, when given, must
  /// be one of them.
  boost::asio::awaitable<Result<model::JobPage>> list(auth::Principal who,
                                                      model::JobQuery query,
                                                      std::string workspace_name,
                                                      std::string owner_name);
  /// How many of the jobs the caller may see are in each state; states without any are left out.
  boost::asio::awaitable<Result<std::map<model::JobState, std::int64_t>>> counts(
      auth::Principal who);
  boost::asio::awaitable<Result<JobFile>> file(auth::Principal who, std::string job);
  boost::asio::awaitable<Result<std::vector<model::EndedTry>>> task_history(auth::Principal who,
                                                                            std::string job);
  boost::asio::awaitable<Result<std::vector<AttemptView>>> attempts(auth::Principal who,
                                                                    std::string job);
  boost::asio::awaitable<Result<Why>> why(auth::Principal who, std::string job);

  /// Conflict when the job is final already. Answers the job as it stands then (mostly `stopping`).
  boost::asio::awaitable<Result<model::Job>> stop(auth::Principal who, std::string job);
  boost::asio::awaitable<Result<model::Job>> pause(auth::Principal who, std::string job);
  boost::asio::awaitable<Result<model::Job>> resume(auth::Principal who, std::string job);
  /// Null takes the limit away. Counted over all attempts, from the first start.
  boost::asio::awaitable<Result<model::Job>> set_limit(auth::Principal who,
                                                       std::string job,
                                                       std::optional<Seconds> limit);
  /// Record, logs and outputs go. Conflict while it is not final, unless `force`, which stops it
  /// first.
  boost::asio::awaitable<Result<void>> remove(auth::Principal who, std::string job, bool force);
  /// The same file again as a new job of the caller's; `name` replaces the name if not empty.
  boost::asio::awaitable<Result<Submitted>> clone(auth::Principal who,
                                                  std::string job,
                                                  std::string name);
  /// As clone, for a job that has ended, remembering which one it repeats.
  boost::asio::awaitable<Result<Submitted>> retry(auth::Principal who, std::string job);

  /// Administrators only: a waiting job goes right before another, or with an empty `before` to the
  /// very front. Conflict when one of them does not wait.
  boost::asio::awaitable<Result<model::Job>> move(auth::Principal who,
                                                  std::string job,
                                                  std::string before);

 private:
  struct Prepared;
  boost::asio::awaitable<Result<model::Workspace>> choose_workspace(const auth::Principal& who,
                                                                    jobspec::ReadJob& read);
  boost::asio::awaitable<Result<Prepared>> prepare(const SubmitRequest& request,
                                                   jobspec::ReadJob read);
  boost::asio::awaitable<Result<std::vector<Submitted>>> insert(std::vector<Prepared> prepared);
  boost::asio::awaitable<Result<UserId>> owner_id(auth::Principal who, std::string name);
  Result<void> check_waiting(const auth::Principal& who, std::size_t more) const;
  boost::asio::awaitable<Result<void>> check_uploads(const SubmitRequest& request,
                                                     const model::JobSpec& spec);
  boost::asio::awaitable<Forecast> for_reader(auth::Principal who, Forecast forecast);
  boost::asio::awaitable<Result<Submitted>> again(auth::Principal who,
                                                  model::Job old,
                                                  std::string name,
                                                  bool is_retry);
  boost::asio::awaitable<Result<model::Job>> tell(
      auth::Principal who, std::string job, auth::Action action, model::Fact fact, Message verb);
  boost::asio::awaitable<Result<void>> remove_found(model::Job job, std::string actor);

  jobspec::ReadOptions read_options(std::optional<model::Dialect> dialect,
                                    const std::map<std::string, std::string>& params) const;

  Parts p_;
  const std::map<std::string, model::Resources> resource_specs_;
};

}  // namespace ty::control
