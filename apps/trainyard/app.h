#pragma once
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "api/api.h"
#include "config/config.h"
#include "control/cluster/capacity.h"
#include "control/cluster/cluster_service.h"
#include "control/cluster/scheduling_service.h"
#include "control/controller.h"
#include "control/data_dir.h"
#include "control/disk_space.h"
#include "control/event_hub.h"
#include "control/events/event_service.h"
#include "control/housekeeping/housekeeping.h"
#include "control/jobs/deletions.h"
#include "control/jobs/job_finder.h"
#include "control/jobs/job_service.h"
#include "control/jobs/launcher.h"
#include "control/jobs/usage_service.h"
#include "control/logs/log_service.h"
#include "control/registries/registry_service.h"
#include "control/secret_box.h"
#include "control/sessions/authenticator.h"
#include "control/sessions/session_service.h"
#include "control/task_board.h"
#include "control/tokens/token_service.h"
#include "control/uploads/uploads.h"
#include "control/users/user_service.h"
#include "control/workspaces/workspace_service.h"
#include "engine/engine.h"
#include "net/http_server.h"
#include "net/tls.h"
#include "rt/blocking_pool.h"
#include "rt/task_group.h"
#include "store/database.h"
#include "store/event_store.h"
#include "store/job_store.h"
#include "store/registry_store.h"
#include "store/token_store.h"
#include "store/user_store.h"
#include "store/workspace_store.h"
#include "telemetry/log_follow.h"
#include "telemetry/task_records.h"

namespace ty {

/// An io_context with a thread of its own.
class Loop {
 public:
  Loop() : guard_(boost::asio::make_work_guard(io)), thread_([this] { io.run(); }) {}
  ~Loop() { join(); }
  /// Ends the loop; what still waits there (for files to change, say) waits no longer.
  void join() {
    io.stop();
    if (thread_.joinable()) thread_.join();
  }
  boost::asio::io_context io;

 private:
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_;
  std::thread thread_;
};

/// The wiring diagram of `trainyard serve`: members in order of need, each built from those before
/// it.
class App {
 public:
  /// Opens the data directory and the database, takes back what runs, and listens. Every error
  /// names its cure. A `listener` that was handed to us is used instead of `http.listen`.
  static Result<std::unique_ptr<App>> start(config::Config config, Fd listener);
  /// Stops listening, stores what has happened, lets go of the tasks.
  void stop();
  ~App();

  const std::string& url() const { return url_; }
  /// Of the certificate, where the server speaks https.
  std::optional<std::string> fingerprint() const;
  /// Reads the certificate and its key again.
  void reload();
  /// A link that signs the administrator in once, until there is a password.
  const std::optional<std::string>& sign_in_link() const { return sign_in_link_; }
  const std::string& data_dir() const { return dirs.root(); }
  engine::Capabilities capabilities() const { return engine->capabilities(); }

 private:
  App(config::Config config, control::DataDir dirs, std::unique_ptr<store::Database> db);
  Result<void> open_engine();
  Result<void> begin(Fd listener);
  Result<void> open_tls();
  net::TlsIdentity::Files tls_files() const;
  void nodes_changed();

  config::Config config;
  const SteadyClock clock;
  control::DataDir dirs;
  control::DiskSpace space{dirs.root(), config.storage.reserve};
  rt::BlockingPool blocking{4};
  rt::BlockingPool log_reading{2};  ///< its own: long logs keep only each other waiting
  std::unique_ptr<store::Database> db;
  store::JobStore jobs{*db};
  store::EventStore events{*db};
  store::UserStore users{*db};
  store::TokenStore tokens{*db};
  store::SessionStore sessions{*db};
  store::WorkspaceStore workspaces{*db};
  store::SettingStore settings{*db};
  store::RegistryStore registry_logins{*db};

  Loop background;  ///< log watching, housekeeping
  Loop control;     ///< owns all job state
  telemetry::LogWatcher log_watcher{background.io.get_executor()};
  control::EventHub hub;
  control::TaskBoard board;
  control::Uploads uploads{dirs.uploads()};
  control::SecretBox secrets{dirs.secret_key_file()};
  control::JobFinder finder{jobs, users};
  control::EventService event_service{{.events = events, .finder = finder, .hub = hub}};
  control::Authenticator authenticator{{.users = users,
                                        .tokens = tokens,
                                        .sessions = sessions,
                                        .workspaces = workspaces,
                                        .clock = clock}};
  control::SessionService session_service{{.users = users,
                                           .sessions = sessions,
                                           .authenticator = authenticator,
                                           .pool = blocking,
                                           .secrets = secrets,
                                           .clock = clock,
                                           .config = config}};
  control::TokenService token_service{
      {.tokens = tokens, .authenticator = authenticator, .clock = clock}};
  control::UserService user_service{{.users = users,
                                     .session_rows = sessions,
                                     .workspaces = workspaces,
                                     .sessions = session_service,
                                     .authenticator = authenticator,
                                     .clock = clock}};
  control::WorkspaceService workspace_service{
      {.workspaces = workspaces, .users = users, .authenticator = authenticator, .clock = clock}};
  control::RegistryService registries{
      {.logins = registry_logins, .workspaces = workspaces, .secrets = secrets}};

  // What depends on the engine, which tells the controller what it sees.
  std::unique_ptr<engine::Engine> engine;
  std::shared_ptr<telemetry::TaskRecords> records;  ///< the engine's
  std::unique_ptr<control::LogService> logs;
  std::unique_ptr<control::Launcher> launcher;
  std::unique_ptr<control::Controller> controller;
  control::Capacity capacity;
  std::unique_ptr<control::Deletions> deletions;
  std::unique_ptr<control::JobService> job_service;
  std::unique_ptr<control::Housekeeping> housekeeping;
  std::unique_ptr<control::UsageService> usage;
  std::unique_ptr<control::ClusterService> cluster;
  std::unique_ptr<control::SchedulingService> scheduling;
  std::unique_ptr<api::Api> http_api;
  std::shared_ptr<net::TlsIdentity> tls;  ///< null: plain HTTP
  std::unique_ptr<net::HttpServer> http;

  std::unique_ptr<rt::TaskGroup> loops;
  std::unique_ptr<rt::TaskGroup> control_loop;
  std::string url_;
  std::optional<std::string> sign_in_link_;
  bool stopped_ = false;
  std::mutex nodes_mutex_;  ///< nobody looks at the nodes while the engine comes or goes
  bool has_recovered_ = false;
};

}  // namespace ty
