#include <fmt/format.h>

#include <algorithm>

#include "auth/permission.h"
#include "base/text.h"
#include "control/cluster/capacity.h"
#include "control/controller.h"
#include "control/disk_space.h"
#include "control/event_hub.h"
#include "control/jobs/job_finder.h"
#include "control/jobs/job_line.h"
#include "control/jobs/job_service.h"
#include "control/jobs/site_check.h"
#include "control/messages.h"
#include "control/secret_box.h"
#include "control/storages/mount_sources.h"
#include "control/uploads/sha256.h"
#include "control/uploads/uploads.h"
#include "jobspec/job_name.h"
#include "model/spec_json.h"
#include "model/state_words.h"
#include "rt/blocking_pool.h"
#include "rt/log.h"
#include "store/job_store.h"
#include "store/workspace_store.h"

/// How a job file becomes a job.
namespace ty::control {

namespace asio = boost::asio;

namespace {

/// Larger files are read on the pool: a reader may take its time with a hostile one.
constexpr std::size_t kReadInline = 64 * 1024;

/// SHA-256 of the uploaded code that the job's tasks mount.
std::set<std::string> uploads_of(const model::JobSpec& spec) {
  constexpr std::string_view kUpload = "upload:";
  std::set<std::string> found;
  for (const model::RoleSpec& role : spec.roles) {
    for (const model::Mount& mount : role.mounts) {
      if (mount.source.starts_with(kUpload)) found.insert(mount.source.substr(kUpload.size()));
    }
  }
  return found;
}

std::unexpected<Error> no_workspace(const std::string& name,
                                    const std::vector<model::Workspace>& open) {
  constexpr std::size_t most = 10;
  std::vector<std::string> names;
  for (const model::Workspace& one : open) names.push_back(one.name);
  if (names.size() > most) {
    names.resize(most);
    names.emplace_back("…");
  }
  return fail(Errc::NotFound,
              names.empty()
                  ? say::no_workspace_for_you({.name = shorten(name)})
                  : say::no_workspace_for_you_among({.name = shorten(name), .names = names}),
              {{"/workspace", say::write_your_workspace(), "reference"}});
}

/// Where two jobs of one name cannot be told apart, the second is refused.
bool names_are_unique(model::Dialect dialect) {
  return dialect == model::Dialect::GpuManager || dialect == model::Dialect::Volcano ||
         dialect == model::Dialect::Pumpkin;
}

/// What must be the same for a repetition to count as one: the file and everything that changes its
/// meaning.
std::string body_hash(const SubmitRequest& request) {
  std::string all = request.body;
  for (const auto* map : {&request.params, &request.uploads}) {
    for (const auto& [key, value] : *map) all += '\0' + key + '=' + value;
  }
  return sha256(all);
}

/// An archive called `code` stands for whatever folder the file names as its code.
void spread_code(std::string_view body, jobspec::ReadOptions& options) {
  const auto code = options.uploads.find("code");
  if (code == options.uploads.end()) return;
  const std::string source = code->second;
  jobspec::ReadOptions as_written = options;
  as_written.uploads.clear();
  as_written.local_sources = jobspec::LocalSources::Keep;
  for (const jobspec::ReadJob& job : jobspec::read(body, as_written).jobs) {
    for (const model::RoleSpec& role : job.spec.roles) {
      for (const model::Mount& mount : role.mounts) {
        if (mount.kind == model::MountKind::Code && mount.source.starts_with("local:"))
          options.uploads.try_emplace(mount.source.substr(6), source);
      }
    }
  }
}

}  // namespace

struct JobService::Prepared {
  store::NewJob row;
  std::shared_ptr<const model::JobSpec> spec;
  std::vector<jobspec::Issue> warnings;
  std::vector<sched::Request> needs;  ///< what it will ask the scheduler for first
};

jobspec::ReadOptions JobService::read_options(
    std::optional<model::Dialect> dialect, const std::map<std::string, std::string>& params) const {
  jobspec::ReadOptions options;
  options.dialect = dialect;
  options.params = params;
  options.defaults.cpu_milli = p_.config.jobs.default_cpu_milli;
  options.defaults.memory = p_.config.jobs.default_memory;
  options.now = p_.clock.now();
  options.resource_specs = resource_specs_;
  return options;
}

jobspec::ReadResult JobService::check(std::string_view body,
                                      std::optional<model::Dialect> dialect,
                                      const std::map<std::string, std::string>& params) const {
  jobspec::ReadOptions options = read_options(dialect, params);
  // A folder beside the file is fine here: the command that submits it packs it.
  options.local_sources = jobspec::LocalSources::Keep;
  return jobspec::read(body, options);
}

jobspec::Converted JobService::convert(std::string_view body,
                                       std::optional<model::Dialect> dialect,
                                       const std::map<std::string, std::string>& params,
                                       model::Dialect to) const {
  jobspec::ReadOptions options = read_options(dialect, params);
  options.local_sources = jobspec::LocalSources::Keep;
  return jobspec::convert(body, options, to);
}

Result<std::string> JobService::new_upload() const {
  TY_DO(p_.space.has_room());
  return p_.uploads.new_file();
}

void JobService::discard_upload(const std::string& file) const { p_.uploads.discard(file); }

asio::awaitable<Result<std::string>> JobService::keep_upload(auth::Principal who,
                                                             std::string file) {
  if (!who.scopes.has(auth::Scope::Write)) {
    p_.uploads.discard(file);
    co_return fail(Errc::Forbidden, say::token_only_reads());
  }
  auto keep = [this, file = std::move(file)] { return p_.uploads.keep(file); };
  co_return co_await p_.pool.run(std::move(keep));
}

asio::awaitable<Result<std::vector<Submitted>>> JobService::submit(SubmitRequest request) {
  jobspec::ReadOptions options = read_options(request.dialect, request.params);
  options.uploads = std::move(request.uploads);
  auto read_file = [&] {
    spread_code(request.body, options);
    return jobspec::read(request.body, options);
  };
  jobspec::ReadResult read;
  if (request.body.size() <= kReadInline)
    read = read_file();
  else
    read = co_await p_.pool.run(read_file);
  request.uploads = std::move(options.uploads);
  if (!read.ok()) co_return std::unexpected(jobspec::to_error(read.errors, ""));

  // What is stored and shown from here on has no secret in it.
  request.body = jobspec::cover(request.body, read.secret_ranges);
  std::vector<Prepared> prepared;
  for (jobspec::ReadJob& job : read.jobs) {
    const bool unique = names_are_unique(job.spec.dialect);
    TY_CO_TRY(Prepared one, co_await prepare(request, std::move(job)));
    one.row.unique_name = unique;
    prepared.push_back(std::move(one));
  }
  std::vector<Submitted> answers;
  if (request.dry_run) {
    for (Prepared& one : prepared) {
      Submitted answer{.name = one.row.job.name, .warnings = std::move(one.warnings)};
      if (!one.needs.empty())
        answer.forecast = co_await for_reader(
            request.who,
            to_forecast(co_await p_.controller.forecast(std::move(one.needs.front()), p_.pool)));
      answers.push_back(std::move(answer));
    }
    co_return answers;
  }
  TY_CO_DO(check_waiting(request.who, prepared.size()));
  co_return co_await insert(std::move(prepared));
}

/// One person must not fill the queue, which everybody's decisions and the server's memory pay for.
Result<void> JobService::check_waiting(const auth::Principal& who, std::size_t more) const {
  const std::int64_t limit = p_.config.jobs.max_waiting_per_user;
  const std::int64_t count = p_.controller.waiting_of(who.user);
  if (limit == 0 || who.acts_as_administrator()) return {};
  if (count + static_cast<std::int64_t>(more) <= limit) return {};
  return fail(Errc::Exhausted, say::too_many_waiting({.count = count, .limit = limit}));
}

/// Code is its sender's: whoever knows its SHA-256 has it here only by a job that they may see.
asio::awaitable<Result<void>> JobService::check_uploads(const SubmitRequest& request,
                                                        const model::JobSpec& spec) {
  if (request.who.acts_as_administrator()) co_return Result<void>{};
  for (const std::string& sha256 : uploads_of(spec)) {
    const bool is_sent_along = std::ranges::any_of(
        request.uploads, [&](const auto& sent) { return sent.second == "upload:" + sha256; });
    if (is_sent_along) continue;
    TY_CO_TRY(
        const bool is_visible,
        co_await p_.jobs.is_upload_visible(
            sha256, {.owner = request.who.user, .workspaces = request.who.visible_workspaces()}));
    // The same words as for code that was never sent.
    if (!is_visible) co_return fail(Errc::Invalid, say::upload_gone({.sha256 = shorten(sha256)}));
  }
  co_return Result<void>{};
}

/// Where the job goes. Files from elsewhere name the namespaces, queues and virtual clusters of
/// another site: where there is nothing to choose from, nobody ends up in the wrong place.
asio::awaitable<Result<model::Workspace>> JobService::choose_workspace(const auth::Principal& who,
                                                                       jobspec::ReadJob& read) {
  model::JobSpec& spec = read.spec;
  const auto is_open = [&who](const model::Workspace& one) {
    return auth::may(who, auth::Action::ShowWorkspace, {.workspace = one.id}).has_value();
  };
  Result<model::Workspace> named = co_await p_.workspaces.find_by_name(spec.workspace);
  if (named && is_open(*named)) co_return named;
  if (!named && named.error().code != Errc::NotFound) co_return named;

  // A workspace one does not belong to does not exist for one.
  TY_CO_TRY(std::vector<model::Workspace> open, co_await p_.workspaces.list());
  std::erase_if(open, [&](const model::Workspace& one) { return !is_open(one); });
  const bool is_foreign = spec.dialect != model::Dialect::Native;
  if (!is_foreign || open.size() != 1) co_return no_workspace(spec.workspace, open);
  read.warnings.push_back(
      warning("changed",
              "workspace",
              say::stored_in_only_workspace(
                  {.workspace = open.front().name, .name = shorten(spec.workspace)})));
  spec.workspace = open.front().name;
  co_return std::move(open.front());
}

asio::awaitable<Result<JobService::Prepared>> JobService::prepare(const SubmitRequest& request,
                                                                  jobspec::ReadJob read) {
  model::JobSpec& spec = read.spec;
  TY_CO_TRY(const model::Workspace workspace, co_await choose_workspace(request.who, read));
  TY_CO_DO(auth::may(request.who,
                     auth::Action::SubmitJob,
                     {.workspace = workspace.id, .owner = request.who.user}));
  if (spec.priority > 100) {
    TY_CO_DO(
        auth::may(request.who, auth::Action::UsePriorityAboveHigh, {.workspace = workspace.id}));
  }
  fill_names(spec, request.who.name, spec.name);
  TY_CO_DO(co_await check_uploads(request, spec));

  Prepared out;
  out.warnings = std::move(read.warnings);
  TY_CO_DO(fit_to_site(
      spec, {.engine = p_.engine, .config = p_.config, .able = *p_.capabilities}, out.warnings));
  if (std::ranges::any_of(spec.secrets,
                          [](const auto& s) { return s.second.stored_name.has_value(); })) {
    co_return fail(Errc::Invalid,
                   say::no_secrets_here(),
                   {{"/secrets", say::pass_secret_in_env(), "reference"}});
  }
  TY_CO_DO(p_.secrets.seal(spec, read.secrets));

  model::Job& job = out.row.job;
  job.id = random_job_id();
  if (spec.name.empty()) spec.name = "job-" + job.id.str().substr(0, 7);
  job.name = spec.name;
  job.owner = request.who.user;
  job.owner_name = request.who.name;
  job.workspace = workspace.id;
  job.workspace_name = workspace.name;
  job.dialect = spec.dialect;
  job.priority = spec.priority;
  job.created_at = p_.clock.now();
  job.tasks_total = model::task_count(spec);
  job.gpus_total = model::gpu_count(spec);
  job.life = model::JobProgress::begin(spec, job.created_at);

  const std::vector<model::TaskRef> tasks =
      model::JobProgress(spec, job.life, {}, 0).to_place(job.created_at);
  out.needs = sched::requests_for(job, spec, tasks, p_.capabilities->host_ports);
  for (const sched::Request& needs : out.needs) {
    if (auto fits = p_.capacity.fits_ever(needs); !fits) {
      out.warnings.push_back(
          warning("impossible",
                  "roles",
                  joined(std::move(fits).error().message, say::waits_for_such_a_machine())));
    }
  }
  out.row.spec_json = model::to_json(spec);
  out.row.original = {
      .media_type = request.media_type, .bytes = request.body, .sha256 = sha256(request.body)};
  out.row.labels = spec.labels;
  out.row.uploads = uploads_of(spec);
  out.row.ttl = spec.ttl;
  out.row.idempotency_key = request.idempotency_key;
  out.row.body_hash = request.idempotency_key.empty() ? std::string() : body_hash(request);
  out.row.actor = request.who.name;
  out.spec = std::make_shared<const model::JobSpec>(std::move(spec));
  co_return out;
}

asio::awaitable<Result<std::vector<Submitted>>> JobService::insert(std::vector<Prepared> prepared) {
  TY_CO_DO(p_.space.has_room());
  std::vector<store::NewJob> rows;
  std::vector<std::vector<model::Task>> tasks;
  for (Prepared& one : prepared) {
    tasks.push_back(one.row.job.life.tasks);
    rows.push_back(std::move(one.row));
  }
  TY_CO_TRY(std::vector<store::Inserted> inserted, co_await p_.jobs.insert(std::move(rows)));
  std::vector<Submitted> answers;
  EventId last;
  for (std::size_t i = 0; i < inserted.size(); ++i) {
    store::Inserted& stored = inserted[i];
    answers.push_back({.id = stored.job.id,
                       .name = stored.job.name,
                       .handle = stored.job.handle,
                       .warnings = std::move(prepared[i].warnings),
                       .repeated = stored.repeated});
    if (stored.repeated) continue;
    last = std::max(last, stored.event);
    stored.job.life.tasks = std::move(tasks[i]);
    HeldSpec spec(std::move(prepared[i].spec), std::move(stored.spec));
    p_.controller.admit(std::move(stored.job), std::move(spec));
  }
  p_.hub.announce(last);
  co_return answers;
}

asio::awaitable<Result<Submitted>> JobService::clone(auth::Principal who,
                                                     std::string job,
                                                     std::string name) {
  TY_CO_TRY(const model::Job old,
            co_await p_.finder.find(who, std::move(job), auth::Action::ShowJob));
  co_return co_await again(std::move(who), old, std::move(name), false);
}

asio::awaitable<Result<Submitted>> JobService::retry(auth::Principal who, std::string job) {
  TY_CO_TRY(const model::Job old,
            co_await p_.finder.find(who, std::move(job), auth::Action::RetryJob));
  if (!model::is_final(old.life.state)) {
    co_return fail(Errc::Conflict,
                   say::only_ended_run_again({.job = old.name, .state = in_words(old.life.state)}));
  }
  co_return co_await again(std::move(who), old, "", true);
}

asio::awaitable<Result<Submitted>> JobService::again(auth::Principal who,
                                                     model::Job old,
                                                     std::string name,
                                                     bool is_retry) {
  // From the stored spec, not from the file: parameters, uploads and defaults are what they were
  // then.
  TY_CO_TRY(const std::string json, co_await p_.jobs.spec(old.seq));
  TY_CO_TRY(store::Original original, co_await p_.jobs.original(old.seq));
  jobspec::ReadJob read;
  TY_CO_TRY(read.spec, model::spec_from_json(json));
  if (!name.empty()) {
    TY_CO_DO(jobspec::accept_job_name(name, read.spec.dialect));
    read.spec.name = std::move(name);
  }
  SubmitRequest request{
      .who = std::move(who), .body = std::move(original.bytes), .media_type = original.media_type};
  TY_CO_TRY(Prepared prepared, co_await prepare(request, std::move(read)));
  TY_CO_DO(check_waiting(request.who, 1));
  prepared.row.event =
      fmt::format(R"({{"{}":"{}"}})", is_retry ? "retry_of" : "clone_of", old.id.str());
  std::vector<Prepared> one;
  one.push_back(std::move(prepared));
  TY_CO_TRY(std::vector<Submitted> answers, co_await insert(std::move(one)));
  co_return std::move(answers.front());
}

}  // namespace ty::control
