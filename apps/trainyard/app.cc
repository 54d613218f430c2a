#include "app.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <charconv>
#include <filesystem>
#include <utility>

#include "auth/token.h"
#include "base/json_text.h"
#include "base/text.h"
#include "control/clock_steps.h"
#include "control/users/first_start.h"
#include "engine/registry.h"
#include "net/listener.h"
#include "rt/log.h"
#include "version.h"

namespace ty {

namespace asio = boost::asio;

namespace {

store::DatabaseConfig database_config(const config::Config& config, const control::DataDir& dirs) {
  const control::DiskSpace space(dirs.root(), config.storage.reserve);
  return {.url = config.database == "sqlite" ? dirs.database_file() : config.database,
          .reserve = space.reserve()};
}

/// What people may write to reach us: the certificate we make for ourselves is for all of it.
std::vector<std::string> names_of_this_machine(const config::Config& config) {
  std::vector<std::string> names{"localhost", "127.0.0.1", "::1"};
  const auto add = [&](std::string name) {
    if (!name.empty() && std::ranges::find(names, name) == names.end())
      names.push_back(std::move(name));
  };
  std::array<char, 256> own{};
  if (::gethostname(own.data(), own.size() - 1) == 0) add(own.data());
  std::string listen = config.http.listen.substr(0, config.http.listen.rfind(':'));
  if (listen.starts_with('[')) listen = listen.substr(1, listen.size() - 2);
  if (listen != "0.0.0.0" && listen != "::") add(listen);
  for (const std::string& host : config.http.hosts) add(host);
  return names;
}

template <class T>
T run_on(asio::io_context& io, asio::awaitable<T> work) {
  return asio::co_spawn(io, std::move(work), asio::use_future).get();
}

}  // namespace

App::App(config::Config settings, control::DataDir data, std::unique_ptr<store::Database> database)
    : config(std::move(settings)),
      dirs(std::move(data)),
      db(std::move(database)),
      board([this](const model::TaskKey& key) { log_watcher.poke(records->log(key).name); }) {}

Result<std::unique_ptr<App>> App::start(config::Config config, Fd listener) {
  if (listener) {
    TY_TRY(config.http.listen, net::address_of(listener.get()));
  }
  TY_TRY(control::DataDir dirs, control::DataDir::open(config.data_dir));
  TY_TRY(std::unique_ptr<store::Database> db, store::Database::open(database_config(config, dirs)));
  std::unique_ptr<App> app(new App(std::move(config), std::move(dirs), std::move(db)));
  TY_DO(run_on(
      app->background.io,
      control::follow_clock(app->jobs, app->settings, control::boot_id(), app->clock.offset())));
  TY_DO(run_on(app->background.io, app->registries.load(app->dirs.old_registries_file())));
  TY_DO(app->open_engine());
  TY_DO(app->begin(std::move(listener)));
  return app;
}

Result<void> App::open_engine() {
  // Reports may come before there is a controller only if the engine had started something, which
  // it has not.
  engine::ReportSink sink = [this](engine::TaskReport report) {
    controller->report(std::move(report));
  };
  engine::Host host{
      .data_dir = dirs.root(),
      .clock = clock,
      .report = std::move(sink),
      .nodes_changed = [this] { nodes_changed(); },
      .log_grown = [this](const std::string& name) { log_watcher.poke(name); },
      .upload_folder = [this](const std::string& sha256) { return uploads.folder(sha256); }};
  TY_TRY(engine, engine::open_engine(config, std::move(host)));
  records = engine->records();
  logs = std::make_unique<control::LogService>(control::LogService::Parts{.records = records,
                                                                          .jobs = jobs,
                                                                          .finder = finder,
                                                                          .board = board,
                                                                          .hub = hub,
                                                                          .watcher = log_watcher,
                                                                          .pool = log_reading});
  return {};
}

void App::nodes_changed() {
  const std::lock_guard lock(nodes_mutex_);
  if (!has_recovered_) return;  // recover() looks at them itself
  capacity.set_nodes(control::scheduler_nodes(*engine));
  controller->nodes_changed();
}

Result<void> App::begin(Fd listener) {
  const engine::Capabilities capabilities = engine->capabilities();
  log::info("engine.open engine={} runtime={} images={}",
            config.engine,
            capabilities.runtime,
            capabilities.images);
  for (const Message& warning : capabilities.warnings) log::warn("engine.warning {}", warning);
  launcher = std::make_unique<control::Launcher>(
      control::Launcher::Parts{.registries = registries,
                               .secrets = secrets,
                               .permissions = engine::permissions_of(config),
                               .able = capabilities});
  model::SiteRules rules{.max_debug_hold = config.jobs.max_debug_hold,
                         .max_time_limit = config.jobs.max_time_limit,
                         .gang_timeout = config.jobs.gang_timeout};
  controller =
      std::make_unique<control::Controller>(control::Controller::Parts{.io = control.io,
                                                                       .jobs = jobs,
                                                                       .engine = *engine,
                                                                       .launcher = *launcher,
                                                                       .hub = hub,
                                                                       .board = board,
                                                                       .clock = clock,
                                                                       .space = space,
                                                                       .rules = rules});
  capacity.set_nodes(control::scheduler_nodes(*engine));
  deletions =
      std::make_unique<control::Deletions>(control::Deletions::Parts{.folder = dirs.deletions(),
                                                                     .jobs = jobs,
                                                                     .engine = *engine,
                                                                     .records = records,
                                                                     .pool = blocking,
                                                                     .hub = hub});
  job_service = std::make_unique<control::JobService>(control::JobService::Parts{
      .jobs = jobs,
      .workspaces = workspaces,
      .users = users,
      .controller = *controller,
      .finder = finder,
      .logs = *logs,
      .uploads = uploads,
      .engine = *engine,
      .secrets = secrets,
      .pool = blocking,
      .hub = hub,
      .clock = clock,
      .space = space,
      .config = config,
      .capabilities = std::make_shared<engine::Capabilities>(capabilities),
      .capacity = capacity,
      .records = records,
      .deletions = *deletions});
  housekeeping =
      std::make_unique<control::Housekeeping>(control::Housekeeping::Parts{.jobs = jobs,
                                                                           .sessions = sessions,
                                                                           .uploads = uploads,
                                                                           .board = board,
                                                                           .records = records,
                                                                           .pool = blocking,
                                                                           .deletions = *deletions,
                                                                           .clock = clock,
                                                                           .config = config});
  usage = std::make_unique<control::UsageService>(control::UsageService::Parts{
      .logs = *logs, .engine = *engine, .controller = *controller, .pool = blocking});
  const control::FirstStartParts first_start{.users = users,
                                             .tokens = tokens,
                                             .workspaces = workspaces,
                                             .sessions = session_service,
                                             .authenticator = authenticator,
                                             .clock = clock};
  TY_TRY(
      std::optional<Secret> link,
      run_on(background.io, control::ensure_administrator(first_start, dirs.admin_token_file())));
  scheduling = std::make_unique<control::SchedulingService>(control::SchedulingService::Parts{
      .settings = settings, .workspaces = workspaces, .users = users, .controller = *controller});
  TY_DO(run_on(background.io, scheduling->load()));
  TY_DO(run_on(control.io, controller->recover()));
  {
    const std::lock_guard lock(nodes_mutex_);
    has_recovered_ = true;
  }
  nodes_changed();

  cluster = std::make_unique<control::ClusterService>(*controller);
  http_api = std::make_unique<api::Api>(api::Services{
      .jobs = *job_service,
      .logs = *logs,
      .usage = *usage,
      .authenticator = authenticator,
      .sessions = session_service,
      .tokens = token_service,
      .users = user_service,
      .workspaces = workspace_service,
      .registries = registries,
      .scheduling = *scheduling,
      .cluster = *cluster,
      .events = event_service,
      .config = config,
      .version = kVersion,
      .engine = config.engine == "local" ? fmt::format("local ({} runtime)", capabilities.runtime)
                                         : config.engine});
  TY_DO(open_tls());
  net::ServerOptions options{.listen = config.http.listen,
                             .threads = static_cast<unsigned>(config.http.threads)};
  options.idle_time = config.http.idle;
  options.site = net::SitePolicy({.hosts = config.http.hosts, .listen = config.http.listen});
  options.tls = tls;
  http = std::make_unique<net::HttpServer>(
      std::move(options), http_api->handler(), [this](const net::Exchange& exchange) {
        http_api->done(exchange);
      });
  // From here on others may see us: the loop first, so that the first submit already finds somebody
  // at work.
  control_loop = std::make_unique<rt::TaskGroup>(control.io.get_executor());
  control_loop->spawn("controller", controller->run());
  loops = std::make_unique<rt::TaskGroup>(background.io.get_executor());
  loops->spawn("housekeeping", housekeeping->run());
  loops->spawn("usage", usage->run());
  TY_TRY(const std::string address, http->start(std::move(listener)));
  url_ = (tls ? "https://" : "http://") + address;
  if (link) sign_in_link_ = auth::sign_in_link(url_, *link);
  std::string ready = fmt::format(R"({{"url":"{}","pid":{},"ssh":null)", url_, ::getpid());
  // Commands on this machine trust exactly the certificate that this file holds.
  if (tls) {
    ready += R"(,"certificate":)";
    append_json_string(ready, tls_files().certificate);
  }
  TY_DO(control::replace_file(dirs.server_file(), ready + "}\n", 0644));
  control::keep_spare(dirs.server_file());
  return {};
}

net::TlsIdentity::Files App::tls_files() const {
  if (!config.tls.self_signed) {
    return {.certificate = std::filesystem::absolute(config.tls.certificate),
            .key = std::filesystem::absolute(config.tls.key)};
  }
  const std::string folder = dirs.root() + "/tls";
  return {.certificate = folder + "/certificate.pem", .key = folder + "/key.pem"};
}

Result<void> App::open_tls() {
  if (!config.tls.is_on()) return {};
  const net::TlsIdentity::Files files = tls_files();
  if (config.tls.self_signed) {
    std::filesystem::create_directories(std::filesystem::path(files.key).parent_path());
    TY_DO(net::keep_self_signed(files, names_of_this_machine(config)));
  }
  TY_TRY(tls, net::TlsIdentity::open(files));
  return {};
}

std::optional<std::string> App::fingerprint() const {
  if (!tls) return std::nullopt;
  return tls->fingerprint();
}

void App::reload() {
  if (!tls) return;
  if (auto reloaded = tls->reload(); !reloaded)
    log::error("tls.reload_failed problem={}", reloaded.error().message);
  else
    log::info("tls.reloaded fingerprint={}", tls->fingerprint());
}

void App::stop() {
  if (std::exchange(stopped_, true)) return;
  hub.close();
  if (http) http->stop();
  if (housekeeping) housekeeping->stop();
  if (loops) run_on(background.io, loops->stop());
  if (controller) run_on(control.io, controller->stop());
  if (control_loop) run_on(background.io, control_loop->stop());
  {
    const std::lock_guard lock(nodes_mutex_);
    has_recovered_ = false;
  }
  engine.reset();
  std::error_code ec;
  std::filesystem::remove(dirs.server_file(), ec);
}

App::~App() {
  stop();
  control.join();
  background.join();
}

}  // namespace ty
