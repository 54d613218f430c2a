#pragma once
#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "control/cluster/capacity.h"
#include "control/controller.h"
#include "control/data_dir.h"
#include "control/events/event_service.h"
#include "control/jobs/deletions.h"
#include "control/jobs/job_finder.h"
#include "control/jobs/job_service.h"
#include "control/logs/log_service.h"
#include "control/registries/registry_service.h"
#include "control/secret_box.h"
#include "control/sessions/authenticator.h"
#include "control/sessions/session_service.h"
#include "control/tokens/token_service.h"
#include "control/uploads/uploads.h"
#include "control/users/first_start.h"
#include "control/users/user_service.h"
#include "engine/fake/fake_engine.h"
#include "store/database.h"
#include "store/event_store.h"
#include "store/job_store.h"
#include "store/registry_store.h"
#include "store/token_store.h"
#include "store/user_store.h"
#include "store/workspace_store.h"
#include "telemetry/log_follow.h"
#include "telemetry/memory_records.h"

namespace ty::control {

/// The server's time, and that of a machine whose clock a test sets.
class SettableClock final : public Clock {
 public:
  Time now() const override { return steady_.now(); }
  Millis wall_ahead() const override { return Millis{ahead_.load()}; }
  void set_wall(Millis by) { ahead_ += by.count(); }

 private:
  SteadyClock steady_;
  std::atomic<Millis::rep> ahead_ = 0;
};

/// A server without HTTP: real database, real controller, machines that only pretend. `restart` is
/// a crash: what was not stored is forgotten, what ran runs on.
class World {
 public:
  World() : root_(std::filesystem::temp_directory_path() / ("ty-control-" + random_hex(8))) {
    engine::NodeInfo node{.name = "n1",
                          .address = "n1",
                          .cpu_milli = 64'000,
                          .memory = std::int64_t{256} << 30,
                          .gpus = std::vector<engine::Gpu>(4, {.type = "A100"})};
    machines = std::make_shared<engine::FakeWorld>(std::vector{node});
    begin();
  }
  ~World() {
    server.reset();
    std::error_code ec;
    std::filesystem::remove_all(root_, ec);
  }

  struct Server {
    explicit Server(const std::string& root, std::shared_ptr<engine::FakeWorld> machines)
        : records(machines->records()),
          dirs(*DataDir::open(root)),
          db(*store::Database::open({.url = dirs.database_file()})) {
      machines->records()->on_growth([this](const std::string& name) { watcher.poke(name); });
      engine = std::make_unique<engine::FakeEngine>(
          std::move(machines),
          clock,
          [this](engine::TaskReport r) {
            // The machines have been running all along; what they have to say waits for somebody to
            // hear it.
            listening.wait(false);
            controller->report(std::move(r));
          },
          engine::FakeEngine::Drive::Thread);
      launcher =
          std::make_unique<Launcher>(Launcher::Parts{.registries = registries,
                                                     .secrets = secrets,
                                                     .permissions = engine::permissions_of(config),
                                                     .able = engine->capabilities()});
      controller = std::make_unique<Controller>(Controller::Parts{.io = io,
                                                                  .jobs = jobs,
                                                                  .engine = *engine,
                                                                  .launcher = *launcher,
                                                                  .hub = hub,
                                                                  .board = board,
                                                                  .clock = clock,
                                                                  .space = space,
                                                                  .rules = {}});
      listening = true;
      listening.notify_all();
      capacity.set_nodes(scheduler_nodes(*engine));
      deletions_ = std::make_unique<Deletions>(Deletions::Parts{.folder = dirs.deletions(),
                                                                .jobs = jobs,
                                                                .engine = *engine,
                                                                .records = records,
                                                                .pool = pool,
                                                                .hub = hub});
      service = std::make_unique<JobService>(
          JobService::Parts{.jobs = jobs,
                            .workspaces = workspaces,
                            .users = users,
                            .controller = *controller,
                            .finder = finder,
                            .logs = logs,
                            .uploads = uploads,
                            .engine = *engine,
                            .secrets = secrets,
                            .pool = pool,
                            .hub = hub,
                            .clock = clock,
                            .space = space,
                            .config = config,
                            .capabilities = std::make_shared<engine::Capabilities>(),
                            .capacity = capacity,
                            .records = records,
                            .deletions = *deletions_});
      TY_CHECK(wait(registries.load(dirs.old_registries_file())).has_value(),
               "a good file is read");
      const auto link = wait(ensure_administrator({.users = users,
                                                   .tokens = tokens,
                                                   .workspaces = workspaces,
                                                   .sessions = session_service,
                                                   .authenticator = authenticator,
                                                   .clock = clock},
                                                  dirs.admin_token_file()));
      TY_CHECK(link.has_value(), "the first start makes an administrator");
      TY_CHECK(wait(controller->recover()).has_value(), "recovery works on a good database");
      loop.spawn("controller", controller->run());
    }
    ~Server() {
      hub.close();
      wait(controller->stop());
      wait(loop.stop());
      engine.reset();
      records->on_growth({});
      io.stop();  // the log watcher waits for ever
      thread.join();
    }

    template <class T>
    T wait(boost::asio::awaitable<T> work) {
      return boost::asio::co_spawn(io, std::move(work), boost::asio::use_future).get();
    }

    Deletions& deletions() { return *deletions_; }

    std::atomic<bool> listening = false;
    SettableClock clock;
    config::Config config;
    const std::shared_ptr<telemetry::MemoryRecords> records;
    boost::asio::io_context
        io;  // before the database and the pool: their threads post to it to the last
    DataDir dirs;
    std::unique_ptr<store::Database> db;
    rt::BlockingPool pool{2};
    store::JobStore jobs{*db};
    store::EventStore events{*db};
    store::UserStore users{*db};
    store::TokenStore tokens{*db};
    store::SessionStore sessions{*db};
    store::WorkspaceStore workspaces{*db};
    store::SettingStore settings{*db};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard{
        io.get_executor()};
    std::thread thread{[this] { io.run(); }};
    telemetry::LogWatcher watcher{io.get_executor()};
    EventHub hub;
    TaskBoard board{[this](const model::TaskKey& key) { watcher.poke(records->log(key).name); }};
    DiskSpace space{dirs.root(), 0};
    Uploads uploads{dirs.uploads()};
    SecretBox secrets{dirs.secret_key_file()};
    store::RegistryStore registry_logins{*db};
    RegistryService registries{
        {.logins = registry_logins, .workspaces = workspaces, .secrets = secrets}};
    JobFinder finder{jobs, users};
    LogService logs{{.records = records,
                     .jobs = jobs,
                     .finder = finder,
                     .board = board,
                     .hub = hub,
                     .watcher = watcher,
                     .pool = pool}};
    Authenticator authenticator{{.users = users,
                                 .tokens = tokens,
                                 .sessions = sessions,
                                 .workspaces = workspaces,
                                 .clock = clock}};
    SessionService session_service{{.users = users,
                                    .sessions = sessions,
                                    .authenticator = authenticator,
                                    .pool = pool,
                                    .secrets = secrets,
                                    .clock = clock,
                                    .config = config}};
    TokenService token_service{{.tokens = tokens, .authenticator = authenticator, .clock = clock}};
    UserService user_service{{.users = users,
                              .session_rows = sessions,
                              .workspaces = workspaces,
                              .sessions = session_service,
                              .authenticator = authenticator,
                              .clock = clock}};
    EventService event_service{{.events = events, .finder = finder, .hub = hub}};
    Capacity capacity;
    std::unique_ptr<engine::FakeEngine> engine;
    std::unique_ptr<Launcher> launcher;
    std::unique_ptr<Controller> controller;
    std::unique_ptr<Deletions> deletions_;
    std::unique_ptr<JobService> service;
    rt::TaskGroup loop{io.get_executor()};
  };

  void begin() {
    server = std::make_unique<Server>(root_.string(), machines);
    admin = *server->wait(server->authenticator.authenticate(Secret(admin_token())));
  }
  void restart() {
    server.reset();
    begin();
  }

  const std::filesystem::path& root() const { return root_; }

  std::string admin_token() const {
    std::ifstream file(root_ / "admin.token");
    std::string line;
    std::getline(file, line);
    return line;
  }

  Result<std::vector<Submitted>> submit(const std::string& yaml, const std::string& key = "") {
    SubmitRequest request{.who = admin, .body = yaml, .media_type = "application/yaml"};
    request.idempotency_key = key;
    return server->wait(server->service->submit(std::move(request)));
  }
  /// The one job of a file that is known to be good.
  JobId submit_one(const std::string& yaml) {
    auto answer = submit(yaml);
    TY_CHECK(answer.has_value(), answer ? "" : answer.error().message.text().c_str());
    return answer->front().id;
  }
  model::Job job(const JobId& id) { return *server->wait(server->jobs.find(id)); }

  /// True once the job is in that state, false when it has not got there in ten seconds.
  bool reaches(const JobId& id, model::JobState state) {
    for (int i = 0; i < 2000; ++i) {
      if (job(id).life.state == state) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
    return false;
  }
  std::vector<std::string> timeline(const JobId& id) {
    std::vector<std::string> kinds;
    const auto page =
        server->wait(server->event_service.list(admin, {.job = id.str(), .limit = 1000}));
    for (const model::Event& event : page->events) kinds.push_back(event.kind);
    return kinds;
  }

  std::shared_ptr<engine::FakeWorld> machines;
  std::unique_ptr<Server> server;
  auth::Principal admin;

 private:
  std::filesystem::path root_;
};

}  // namespace ty::control
