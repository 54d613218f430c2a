#include "engine/local/docker/docker_runtime.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstring>
#include <functional>

#include "base/text.h"
#include "engine/local/docker/addresses.h"
#include "engine/local/docker/file_handover.h"
#include "engine/local/mounts/safe_path.h"
#include "engine/local/paths.h"
#include "engine/local/process/journal.h"
#include "engine/local/process/run_folder.h"
#include "engine/local/process/sweep.h"
#include "engine/local/supervisor/launch_format.h"
#include "engine/local/supervisor_image.h"
#include "engine/messages.h"
#include "model/failure.h"
#include "model/messages.h"

namespace ty::engine::docker {
namespace {

namespace json = boost::json;
using model::Reason;

constexpr Millis kNetworkRest{30'000};
constexpr auto kLookEvery = std::chrono::seconds(3);
constexpr int kNoticeRounds = 500;  // 10 s: Docker takes its time on a busy machine

const json::value* find(const json::value& from, std::initializer_list<std::string_view> path) {
  const json::value* at = &from;
  for (const std::string_view key : path) {
    if (!at->is_object()) return nullptr;
    at = at->as_object().if_contains(key);
    if (at == nullptr) return nullptr;
  }
  return at;
}

std::string text_at(const json::value& from, std::initializer_list<std::string_view> path) {
  const json::value* found = find(from, path);
  return found != nullptr && found->is_string() ? std::string(found->as_string()) : std::string();
}

bool flag_at(const json::value& from,
             std::initializer_list<std::string_view> path,
             bool otherwise) {
  const json::value* found = find(from, path);
  return found != nullptr && found->is_bool() ? found->as_bool() : otherwise;
}

Result<json::value> parsed(std::string_view answer) {
  boost::system::error_code error;
  json::value value = json::parse(answer, error);
  if (error) return fail(Errc::Internal, say::docker_answer_not_json());
  return value;
}

bool says_running(std::string_view answer) {
  const auto seen = parsed(answer);
  return seen && flag_at(*seen, {"State", "Running"}, false);
}

Result<Fd> open_own_file(const std::string& path, mode_t mode) {
  constexpr int kFlags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW;
  Fd file(::open(path.c_str(), kFlags, mode));
  if (file) return file;
  return fail(disk_errc(errno),
              say::run_file_not_written({.path = path, .why = std::strerror(errno)}));
}

Result<FileHandover::Files> open_files(const LocalLaunch& launch) {
  FileHandover::Files files;
  TY_TRY(files.journal, open_own_file(launch.run_dir + supervisor::kJournalSuffix, 0600));
  TY_TRY(files.log, open_own_file(launch.log_path, 0640));
  TY_TRY(files.index, open_own_file(launch.log_path + ".idx", 0640));
  return files;
}

/// What Docker says when it cannot run a container, in the words of the model.
model::Ending refusal(const Error& error, const LocalLaunch& launch) {
  const Message& why = error.message;
  const std::string words = Client::words_of(why);
  const auto says = [&](std::string_view part) { return words.find(part) != std::string::npos; };
  if (error.code == Errc::Unavailable) return model::fault(Reason::StartFailed, why);
  if (says("No such image") || says("no such image"))
    return model::fault(Reason::ImageMissing, why);
  if (says("could not select device driver"))
    return model::fault(Reason::StartFailed, say::docker_gives_no_gpus({.why = why}));
  if (says("no space left on device"))
    return model::fault(Reason::StartFailed, say::docker_disk_full({.why = why}));
  if (says("address already in use") || says("port is already allocated"))
    return model::fault(Reason::PortConflict, why);
  if (error.code == Errc::Invalid)
    return model::fault(Reason::BadSpec, say::docker_refuses_task({.why = why}));
  return model::fault(Reason::StartFailed,
                      say::docker_cannot_start({.role = launch.role_name, .why = why}));
}

}  // namespace

DockerRuntime::DockerRuntime(const LocalOptions& options, Recycler& recycler)
    : options_(options),
      recycler_(recycler),
      client_(options.docker.socket),
      networks_(client_, owner_mark(options.data_dir), options.docker.subnets, clock_) {
  setup_.data_dir = options.data_dir;
  setup_.owner = owner_mark(options.data_dir);
  setup_.server = fmt::format("{}", clock_.now().time_since_epoch().count());
  setup_.max_processes = options.max_processes;
  setup_.ulimits = options.docker.ulimits;
}

Result<std::unique_ptr<DockerRuntime>> DockerRuntime::open(const LocalOptions& options,
                                                           const std::vector<Gpu>& gpus,
                                                           Recycler& recycler,
                                                           bool may_be_away) {
  std::unique_ptr<DockerRuntime> runtime(new DockerRuntime(options, recycler));
  runtime->setup_.gpus = gpus;
  TY_TRY(runtime->supervisor_, unpack_supervisor(options.data_dir + "/bin"));
  runtime->capabilities_.runtime = "docker";
  runtime->capabilities_.images = true;
  runtime->capabilities_.own_network = true;
  runtime->capabilities_.host_network = options.docker.host_network;
  runtime->capabilities_.limits = true;
  runtime->capabilities_.isolation = true;
  if (auto known = runtime->inspect_daemon(); !known) {
    if (!may_be_away) return std::unexpected(std::move(known).error());
    runtime->problem_ = known.error().message;
  }
  runtime->puller_ = std::make_unique<Puller>(runtime->client_, options.docker.pull_patience);
  runtime->daemon_watch_ = std::thread([self = runtime.get()] { self->watch_daemon(); });
  return runtime;
}

DockerRuntime::~DockerRuntime() { close(false); }

void DockerRuntime::close(bool is_idle) {
  {
    const std::lock_guard lock(mutex_);
    if (is_closing_) return;
    is_closing_ = true;
  }
  changed_.notify_all();
  if (daemon_watch_.joinable()) daemon_watch_.join();
  if (puller_) puller_->stop();
  if (is_idle) networks_.trim(Millis{0});
}

Result<void> DockerRuntime::inspect_daemon() {
  TY_TRY(const std::string answer, client_.get("/info"));
  TY_TRY(const json::value info, parsed(answer));
  TY_TRY(const bool is_podman, client_.is_podman());
  std::string network_backend;
  if (is_podman) {
    if (const auto own = client_.get("/libpod/info")) {
      if (const auto told = parsed(*own))
        network_backend = text_at(*told, {"host", "networkBackend"});
    }
  }
  const std::lock_guard lock(mutex_);
  std::vector<Message>& warnings = capabilities_.warnings;
  warnings.clear();
  setup_.can_limit_swap = flag_at(info, {"SwapLimit"}, true);
  setup_.gpu_access = gpu_access(answer);
  const bool has_gpus =
      std::ranges::any_of(setup_.gpus, [](const Gpu& gpu) { return !gpu.uuid.empty(); });
  if (has_gpus && setup_.gpu_access.way == GpuAccess::Way::Unannounced)
    warnings.push_back(say::docker_without_gpus());
  if (!flag_at(info, {"MemoryLimit"}, true)) {
    capabilities_.limits = false;
    warnings.push_back(say::memory_not_limited_by_docker());
  }
  // Podman's containers have a keeper of their own each, and need no such setting.
  if (!is_podman && !flag_at(info, {"LiveRestoreEnabled"}, true))
    warnings.push_back(say::docker_restart_ends_tasks());
  if (network_backend == "cni") warnings.push_back(say::podman_network_cni());
  if (const json::value* security = find(info, {"SecurityOptions"});
      security != nullptr && security->is_array()) {
    for (const json::value& option : security->as_array()) {
      const bool is_remap =
          option.is_string() &&
          std::string_view(option.as_string()).find("userns") != std::string_view::npos;
      setup_.remaps_users = setup_.remaps_users || is_remap;
    }
  }
  is_known_ = true;
  return {};
}

Capabilities DockerRuntime::capabilities() const {
  const std::lock_guard lock(mutex_);
  return capabilities_;
}

ContainerSetup DockerRuntime::setup() const {
  const std::lock_guard lock(mutex_);
  return setup_;
}

Message DockerRuntime::problem() const {
  const std::lock_guard lock(mutex_);
  return problem_;
}

std::expected<Runtime::Ready, model::Ending> DockerRuntime::prepare(const LocalLaunch& launch,
                                                                    OnReady on_ready) {
  if (launch.image.empty())
    return std::unexpected(model::fault(Reason::BadSpec, say::task_without_image()));
  if (auto named = parse_image_name(launch.image); !named)
    return std::unexpected(model::fault(Reason::BadSpec, std::move(named).error().message));
  const std::tuple attempt{launch.key.job, launch.key.attempt, launch.image};
  bool is_pulled = false;
  {
    const std::lock_guard lock(mutex_);
    is_pulled = pulled_.contains(attempt);
  }
  const auto found = client_.get(image_path(launch.image));
  const bool is_here = found.has_value();
  if (!is_here && found.error().code != Errc::NotFound)
    return std::unexpected(refusal(found.error(), launch));
  if (!is_here && launch.pull == model::PullPolicy::Never) {
    return std::unexpected(model::fault(
        Reason::ImageMissing, say::image_must_not_be_pulled({.image = shorten(launch.image)})));
  }
  const bool wants_newest = launch.pull == model::PullPolicy::Always && !is_pulled;
  if (is_here && !wants_newest) return Ready::Now;

  auto done = [this, attempt, key = launch.key, is_here, tell = std::move(on_ready.done)](
                  std::optional<model::Ending> failed) {
    {
      const std::lock_guard lock(mutex_);
      if (!failed) pulled_.insert(attempt);
      // Built here and never pushed, or the registry is away: what `docker run` would use does.
      if (failed && is_here) old_images_[key] = failed->message;
    }
    tell(is_here ? std::nullopt : std::move(failed));
  };
  puller_->pull(
      launch.image, launch.registry, {.progress = std::move(on_ready.progress), .done = done});
  return Ready::Later;
}

Result<void> DockerRuntime::make_files(const LocalLaunch& launch, const ContainerPlan& plan) const {
  const std::string ctl = launch.run_dir + supervisor::kControlSuffix;
  TY_DO(recycler_.make(launch.run_dir));
  TY_DO(make_folder(ctl, 0755, 0711));
  for (const auto& copy : plan.copies) TY_DO(copy_folder(copy));
  if (const auto& ssh = launch.environment.ssh) TY_DO(write_ssh_folder(ssh_folder(launch), *ssh));
  for (const auto& [name, content] : plan.files) TY_DO(write_file(ctl + "/" + name, content, 0644));
  const std::string program = ctl + "/supervisor";
  if (::link(supervisor_.c_str(), program.c_str()) != 0 && errno != EEXIST) {
    return fail(Errc::Unavailable,
                say::run_link_not_made({.path = program, .why = std::strerror(errno)}));
  }
  TY_DO(make_folder(launch.log_path.substr(0, launch.log_path.rfind('/')), 0750, 0750));
  const unsigned mode = setup().remaps_users ? 0644 : 0600;
  return replace_small_file(ctl + "/run" + supervisor::kLaunchSuffix, plan.launch_text, mode);
}

Result<std::expected<Fd, model::Ending>> DockerRuntime::begin(const LocalLaunch& launch,
                                                              std::int64_t ticket,
                                                              int) {
  using Begun = std::expected<Fd, model::Ending>;
  if (launch.network == model::Network::Host) {
    if (!options_.docker.host_network) {
      return Begun(std::unexpect,
                   model::fault(Reason::BadSpec,
                                say::host_network_not_allowed(
                                    {.role = launch.role_name, .field = "network"})));
    }
    return run(launch, ticket, "host");
  }
  auto network = networks_.acquire(launch.key.job);
  if (!network) return Begun(std::unexpect, refusal(network.error(), launch));
  {
    const std::lock_guard lock(mutex_);
    with_network_.insert(launch.key);
  }
  return run(launch, ticket, *network);
}

Result<std::expected<Fd, model::Ending>> DockerRuntime::run(const LocalLaunch& given,
                                                            std::int64_t ticket,
                                                            const std::string& network) {
  using Begun = std::expected<Fd, model::Ending>;
  const LocalLaunch launch =
      with_addresses(given, networks_.addresses(network, given.peers.size()));
  const std::string name = container_name(launch.key);
  const auto refuse = [&](const Error& error) {
    return Begun(std::unexpect, refusal(error, launch));
  };

  auto described = client_.get(image_path(launch.image));
  if (!described) return refuse(described.error());
  TY_TRY(const Image image, parse_image(*described));
  std::vector<Message> warnings;
  {
    const std::lock_guard lock(mutex_);
    if (auto why = old_images_.extract(launch.key))
      warnings.push_back(say::image_used_as_it_is({.why = std::move(why.mapped())}));
  }
  // Their folders stay open until Docker has mounted them: their numbers go to no others.
  auto plan = plan_container(setup(), launch, image, network, warnings, ticket);
  if (!plan) return Begun(std::unexpect, std::move(plan).error());
  TY_DO(make_files(launch, *plan));
  TY_TRY(const FileHandover::Files files, open_files(launch));
  TY_TRY(const FileHandover handover,
         FileHandover::open(launch.run_dir + supervisor::kControlSuffix));

  const std::string create = "/containers/create?name=" + name;
  auto created = client_.post(create, plan->body);
  if (!created && created.error().code == Errc::Conflict) {
    if (read_journal(launch.run_dir).has_begun) return Begun(Fd());
    // Of a server that died between creating and starting it: what it was told may be outdated.
    TY_DO(remove_container(name));
    created = client_.post(create, plan->body);
  }
  if (!created) return refuse(created.error());
  auto started = client_.post("/containers/" + name + "/start");
  // An earlier try of the task has told its end, and Docker has not yet taken its address back.
  for (int round = 0; !started && round < 200; ++round) {
    const std::string why = Client::words_of(started.error().message);
    const bool is_taken = why.find("ddress already in use") != std::string::npos ||
                          why.find("already allocated") != std::string::npos;  // Podman's words
    if (!is_taken) break;
    ::usleep(50'000);
    started = client_.post("/containers/" + name + "/start");
  }
  if (!started) {
    // Docker may have hung up in the middle: what the journal says is the truth.
    const bool has_begun = read_journal(launch.run_dir).has_begun;
    if (!has_begun) return refuse(started.error());
  }
  // Who does not come for them never begins, and whoever watches it sees that.
  handover.give(files, [&] { return cause_of_end(launch.key, false).has_value(); });
  return Begun(Fd());
}

void DockerRuntime::wake(const model::TaskKey& key) {
  const std::string container = "/containers/" + container_name(key);
  const auto answer = client_.get(container + "/json");
  const auto seen = answer ? parsed(*answer) : Result<json::value>(json::object());
  if (!seen || !flag_at(*seen, {"State", "Paused"}, false)) return;
  [[maybe_unused]] const auto done = client_.post(container + "/unpause");
}

Result<void> DockerRuntime::signal(const model::TaskKey& key, int signal) {
  TY_TRY([[maybe_unused]] const std::string answer,
         client_.post(fmt::format("/containers/{}/kill?signal={}", container_name(key), signal)));
  return {};
}

std::string DockerRuntime::own_files(const model::TaskKey& key) {
  const auto answer = client_.get("/containers/" + container_name(key) + "/json");
  const auto seen = answer ? parsed(*answer) : Result<json::value>(json::object());
  return seen ? text_at(*seen, {"GraphDriver", "Data", "UpperDir"}) : std::string();
}

std::optional<model::Ending> DockerRuntime::cause_of_end(const model::TaskKey& key, bool is_dead) {
  const std::string about = "/containers/" + container_name(key) + "/json";
  auto answer = client_.get(about);
  // The kernel tells us of a death some milliseconds before Docker has heard of it.
  for (int round = 0; is_dead && answer && round < kNoticeRounds && says_running(*answer);
       ++round) {
    ::usleep(20'000);
    answer = client_.get(about);
  }
  if (!answer) {
    if (answer.error().code == Errc::NotFound) return model::lost(say::container_removed());
    return model::lost(say::container_gone({.why = answer.error().message}));
  }
  const auto seen = parsed(*answer);
  if (!seen || flag_at(*seen, {"State", "Running"}, false)) return std::nullopt;
  if (text_at(*seen, {"State", "Status"}) == "created") return std::nullopt;
  if (flag_at(*seen, {"State", "OOMKilled"}, false)) {
    const json::value* limit = find(*seen, {"HostConfig", "Memory"});
    // Everything in it died, with whoever could have read the peak: it was the limit.
    const std::int64_t bytes = limit != nullptr && limit->is_int64() ? limit->as_int64() : 0;
    return model::out_of_memory(bytes, bytes);
  }
  const std::string said = text_at(*seen, {"State", "Error"});
  Message why = plain(said);
  const json::value* code = find(*seen, {"State", "ExitCode"});
  if (said.empty() && code != nullptr && code->is_int64())
    why = model::say::exit_code({.code = code->as_int64()});
  return model::lost(say::container_killed({.why = std::move(why)}));
}

Result<void> DockerRuntime::remove_container(const std::string& name) {
  for (int round = 0;; ++round) {
    auto removed = client_.remove("/containers/" + name + "?force=true&v=true");
    if (removed || removed.error().code == Errc::NotFound) return {};
    // "removal … is already in progress": of a moment ago.
    const bool is_busy = removed.error().code == Errc::Conflict;
    if (!is_busy || round >= 100) return removed;
    ::usleep(50'000);
  }
}

void DockerRuntime::reap(const model::TaskKey& key) {
  bool has_network = false;
  {
    const std::lock_guard lock(mutex_);
    unreaped_.erase(key);
    has_network = with_network_.erase(key) > 0;
  }
  if (!has_network || !networks_.release(key.job)) return;
  const std::lock_guard lock(mutex_);
  std::erase_if(pulled_, [&](const auto& pulled) { return std::get<0>(pulled) == key.job; });
}

Result<void> DockerRuntime::remove(const model::TaskKey& key) {
  if (auto removed = remove_container(container_name(key)); removed) {
    reap(key);
  } else {
    // Docker is away: the daemon watch tries again, and the next server's sweep after it.
    const std::lock_guard lock(mutex_);
    unreaped_.insert(key);
  }
  return recycler_.remove(run_folder(options_.data_dir, key));
}

void DockerRuntime::sweep(const std::set<model::TaskKey>& wanted) {
  std::map<std::string, model::TaskKey> kept;
  std::set<std::string> folders;
  for (const model::TaskKey& key : wanted) {
    folders.insert(run_folder(options_.data_dir, key));
    kept[cgroup_name(key)] = key;
  }
  if (const auto list = own_containers()) {
    for (const json::value& item : *list) {
      const auto key = kept.find(text_at(item, {"Labels", kTaskLabel}));
      const std::string network = text_at(item, {"HostConfig", "NetworkMode"});
      if (key == kept.end() || network == "host") continue;
      networks_.adopt(key->second.job, network);
      const std::lock_guard lock(mutex_);
      with_network_.insert(key->second);
    }
  }
  std::set<std::string> labels;
  for (const auto& [label, key] : kept) labels.insert(label);
  if (!remove_all_but(labels)) {
    const std::lock_guard lock(mutex_);
    wanted_of_sweep_ = std::move(labels);
  }
  engine::sweep(options_.data_dir, CgroupTree{}, folders, recycler_);
}

Result<json::array> DockerRuntime::own_containers() {
  const std::string filter = fmt::format(R"({{"label":["{}={}"]}})", kOwnerLabel, setup_.owner);
  TY_TRY(const std::string answer,
         client_.get("/containers/json?all=true&filters=" + Client::encode(filter)));
  TY_TRY(json::value list, parsed(answer));
  return list.is_array() ? std::move(list.as_array()) : json::array();
}

bool DockerRuntime::remove_all_but(const std::set<std::string>& wanted) {
  const auto list = own_containers();
  bool is_done = list.has_value();
  for (const json::value& item : list ? *list : json::array()) {
    const bool is_own = text_at(item, {"Labels", kServerLabel}) == setup_.server;
    if (is_own || wanted.contains(text_at(item, {"Labels", kTaskLabel}))) continue;
    is_done &= remove_container(text_at(item, {"Id"})).has_value();
  }
  networks_.take_leftovers();
  return is_done;
}

void DockerRuntime::watch_daemon() {
  std::unique_lock lock(mutex_);
  while (!is_closing_) {
    const bool is_known = is_known_;
    const std::set<model::TaskKey> unreaped = unreaped_;
    const std::optional<std::set<std::string>> wanted = wanted_of_sweep_;
    lock.unlock();
    const Result<void> answers = is_known ? client_.ping() : inspect_daemon();
    bool is_swept = false;
    if (answers) {
      for (const model::TaskKey& key : unreaped) {
        if (remove_container(container_name(key))) reap(key);
      }
      is_swept = wanted && remove_all_but(*wanted);
      networks_.trim(kNetworkRest);
    }
    lock.lock();
    if (is_swept) wanted_of_sweep_.reset();
    if (!answers) is_known_ = false;  // it may come back with another configuration
    const Message problem = answers ? Message{} : answers.error().message;
    const bool has_changed = problem != problem_;
    problem_ = problem;
    if (has_changed && options_.on_nodes_changed) {
      lock.unlock();
      options_.on_nodes_changed();
      lock.lock();
    }
    changed_.wait_for(lock, kLookEvery, [this] { return is_closing_; });
  }
}

}  // namespace ty::engine::docker
