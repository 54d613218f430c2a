// How fast the store is, beside raw SQLite on the same disk in the same run:
//   store_bench [--jobs N] [--dir DIR] [--keep yes] [--submits N] [--postgres URL]
// `--keep yes` leaves the filled databases in DIR and finds them there the next time.
// Prints durable submissions a second against batches of 50 through the bare SQLite API, and for
// every filter of the job list p50 and p99 with 10,000 and with N jobs kept.

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "model/spec_json.h"
#include "store/database.h"
#include "store/job_store.h"
#include "store/user_store.h"
#include "store/workspace_store.h"

using namespace ty;
using namespace ty::store;
namespace asio = boost::asio;
using Clock_ = std::chrono::steady_clock;

namespace {

double seconds_since(Clock_::time_point start) {
  return std::chrono::duration<double>(Clock_::now() - start).count();
}

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

template <class T>
T must(Result<T> result) {
  if (!result) {
    fmt::print(stderr, "{}\n", result.error().message);
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

template <class T>
T run(asio::awaitable<Result<T>> task) {
  asio::io_context io;
  std::optional<Result<T>> answer;
  auto body = [&]() -> asio::awaitable<void> { answer.emplace(co_await std::move(task)); };
  asio::co_spawn(io, body, [](std::exception_ptr thrown) {
    if (thrown) std::rethrow_exception(thrown);
  });
  io.run();
  return must(std::move(*answer));
}

std::string job_file() {
  std::string text = "name: bert-large-pretraining\nimage: registry.example/vision/train:2024.11\n";
  for (int i = 0; text.size() < 3000; ++i) {
    text += fmt::format("  - name: PARAM_{}\n    value: {}\n", i, (i * 7919) % 100'003);
  }
  return text;
}

// The peer: what feasibility measured, batches of 50 in one transaction.
double raw_submissions(const std::string& path, int count) {
  sqlite3* db = nullptr;
  sqlite3_open(path.c_str(), &db);
  const auto exec = [&](const char* sql) {
    char* message = nullptr;
    if (sqlite3_exec(db, sql, nullptr, nullptr, &message) != SQLITE_OK) {
      fmt::print(stderr, "{}: {}\n", sql, message);
      std::exit(1);
    }
  };
  exec(
      "pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -65536;"
      "create table jobs (id integer primary key, uuid text, name text, project_id integer, "
      "owner_id integer, "
      "queue_id integer, state integer, priority integer, created_at integer, updated_at integer);"
      "create unique index u on jobs (uuid); create index p on jobs (project_id, id desc);"
      "create index o on jobs (owner_id, id desc); create index s on jobs (state, id desc);"
      "create index ps on jobs (project_id, state, id desc);"
      "create table configs (job_id integer primary key, config text);"
      "create table job_events (id integer primary key, job_id integer, at integer, kind text, "
      "data text);"
      "create index e on job_events (job_id)");
  sqlite3_stmt *job = nullptr, *config = nullptr, *event = nullptr;
  sqlite3_prepare_v2(db, "insert into jobs values (?,?,?,?,?,?,?,?,?,?)", -1, &job, nullptr);
  sqlite3_prepare_v2(db, "insert into configs values (?,?)", -1, &config, nullptr);
  sqlite3_prepare_v2(db, "insert into job_events values (?,?,?,?,?)", -1, &event, nullptr);
  const std::string file = job_file();
  const double cpu = cpu_seconds();
  const auto start = Clock_::now();
  for (int i = 1; i <= count;) {
    exec("begin immediate");
    for (int k = 0; k < 50 && i <= count; ++k, ++i) {
      const std::string id = random_job_id().str();
      sqlite3_bind_int64(job, 1, i);
      sqlite3_bind_text(job, 2, id.data(), static_cast<int>(id.size()), SQLITE_STATIC);
      sqlite3_bind_text(job, 3, "bert-large-pretraining", -1, SQLITE_STATIC);
      for (int c = 4; c <= 8; ++c) sqlite3_bind_int64(job, c, i % 7);
      sqlite3_bind_int64(job, 9, 1'700'000'000'000 + i);
      sqlite3_bind_int64(job, 10, 1'700'000'000'000 + i);
      sqlite3_step(job);
      sqlite3_reset(job);
      sqlite3_bind_int64(config, 1, i);
      sqlite3_bind_text(config, 2, file.data(), static_cast<int>(file.size()), SQLITE_STATIC);
      sqlite3_step(config);
      sqlite3_reset(config);
      sqlite3_bind_int64(event, 1, i);
      sqlite3_bind_int64(event, 2, i);
      sqlite3_bind_int64(event, 3, 1'700'000'000'000 + i);
      sqlite3_bind_text(event, 4, "job.submitted", -1, SQLITE_STATIC);
      sqlite3_bind_text(event, 5, "{}", -1, SQLITE_STATIC);
      sqlite3_step(event);
      sqlite3_reset(event);
    }
    exec("commit");
  }
  const double rate = count / seconds_since(start);
  fmt::print("    {:.1f} us CPU a submission, raw\n", 1e6 * (cpu_seconds() - cpu) / count);
  for (sqlite3_stmt* statement : {job, config, event}) sqlite3_finalize(statement);
  sqlite3_close(db);
  return rate;
}

NewJob submission(const std::string& file, UserId owner) {
  NewJob fresh;
  fresh.job.id = random_job_id();
  fresh.job.name = "bert-large-pretraining";
  fresh.job.owner = owner;
  fresh.job.workspace = WorkspaceId{1};
  fresh.job.created_at = SystemClock{}.now();
  fresh.job.life.queued_at = fresh.job.created_at;
  fresh.job.life.tasks = {model::Task{.ref = {0, 0}}};
  fresh.spec_json = file;
  fresh.original = {
      .media_type = "application/yaml", .bytes = file, .sha256 = std::string(64, 'a')};
  fresh.actor = "ann";
  return fresh;
}

double our_submissions(Database& db, UserId owner, int count, int writers) {
  JobStore jobs(db);
  const std::string file = job_file();
  asio::io_context io(1);
  int left = count;
  const double cpu = cpu_seconds();
  const auto start = Clock_::now();
  for (int w = 0; w < writers; ++w) {
    auto writer = [&]() -> asio::awaitable<void> {
      while (left-- > 0) must(co_await jobs.insert(submission(file, owner)));
    };
    asio::co_spawn(io, writer, [](std::exception_ptr thrown) {
      if (thrown) std::rethrow_exception(thrown);
    });
  }
  io.run();
  const double rate = count / seconds_since(start);
  fmt::print("    {:.1f} us CPU a submission, caller included\n",
             1e6 * (cpu_seconds() - cpu) / count);
  return rate;
}

double our_saves(Database& db, int count, int batch) {
  JobStore jobs(db);
  std::vector<model::Job> some;
  must(jobs.active([&](model::Job job) -> Result<void> {
    if (static_cast<int>(some.size()) < count) some.push_back(std::move(job));
    return {};
  }));
  const auto start = Clock_::now();
  for (const model::JobState state : {model::JobState::Starting, model::JobState::Running}) {
    for (std::size_t i = 0; i < some.size();) {
      std::vector<JobChange> changes;
      for (int k = 0; k < batch && i < some.size(); ++k, ++i) {
        JobChange change{.job = some[i].seq, .version = some[i].version++, .life = some[i].life};
        change.life.state = state;
        change.tasks = {model::Task{.ref = {0, 0}, .state = model::TaskState::Running}};
        change.tasks[0].placement =
            model::Placement{.node = "n1", .address = "127.0.0.1", .ports = {{20000}, {20001}}};
        change.notes = {{.kind = "job.placed"}, {.kind = "task.started"}};
        changes.push_back(std::move(change));
      }
      for (auto& answer : run(jobs.save(std::move(changes)))) must(std::move(answer));
    }
  }
  return 2.0 * static_cast<double>(some.size()) / seconds_since(start);
}

// A store full of jobs.

constexpr int kOwners = 200;
constexpr int kWorkspaces = 20;
constexpr int kWaiting = 200;
const char* const kWords[] = {
    "bert", "resnet", "gpt", "vit", "llama", "unet", "yolo", "whisper", "clip", "mamba"};

std::string job_name(std::int64_t i) {
  return fmt::format("{}-{}-{:x}",
                     kWords[i % 10],
                     kWords[(i / 10) % 10],
                     static_cast<unsigned>(i * 2654435761u) >> 8);
}

void fill(Database& db, std::int64_t from, std::int64_t to) {
  std::mt19937 random(static_cast<unsigned>(from));
  for (std::int64_t i = from; i < to;) {
    must(db.write_now([&](Tx& tx) -> Result<void> {
      std::map<std::array<std::int64_t, 4>, std::int64_t> counts;
      std::int64_t n = i;
      for (; n < to && n < i + 20'000; ++n) {
        const std::int64_t owner = 1 + static_cast<std::int64_t>(random() % kOwners);
        const std::int64_t workspace = 1 + static_cast<std::int64_t>(random() % kWorkspaces);
        const std::int64_t dialect = random() % 3;
        const unsigned luck = random() % 1000;
        const int state = luck < 850 ? 5 : luck < 990 ? 6 : 7;
        const std::int64_t created = 1'700'000'000'000 + n * 1000;
        const std::int64_t ended = created + static_cast<std::int64_t>(random() % 3'600'000);
        TY_TRY(const std::int64_t seq, tx.next_id(Sequence::Jobs));
        const std::string name = job_name(n);
        TY_DO(
            tx.exec("insert into jobs (seq, id, name, handle, handle_number, owner_id, "
                    "workspace_id, dialect, priority, created_at, role_counts, gpus_total, "
                    "version, state, attempt, decision, queued_at, placed_at, started_at, "
                    "decided_at, ended_at, ran) values (:seq, :id, :name, :handle, 1, :owner, "
                    ":workspace, :dialect, 10, :created, '1,4', 8, 5, :state, 0, :decision, "
                    ":created, :created, :created, :ended, :ended, 0)",
                    seq,
                    random_job_id(),
                    name,
                    name,
                    owner,
                    workspace,
                    dialect,
                    created,
                    state,
                    state == 6 ? std::optional<std::string_view>(
                                     R"({"rule":"min_failed","message":"exit code 1"})")
                               : std::nullopt,
                    ended));
        TY_DO(
            tx.exec("insert into job_files (job_seq, media_type, sha256, secret_ranges, "
                    "original_size, body) "
                    "values (:seq, 'application/yaml', '', '', 0, :body)",
                    seq,
                    Blob{"0123456789012345678901234567890123456789"}));
        if (luck % 5 == 0) {
          TY_DO(
              tx.exec("insert into job_labels (job_seq, key, value, owner_id) "
                      "values (:seq, 'team', :team, :owner)",
                      seq,
                      fmt::format("t{}", luck % 50),
                      owner));
        }
        for (int e = 0; e < 4; ++e) {
          TY_TRY(const std::int64_t id, tx.next_id(Sequence::Events));
          TY_DO(tx.exec(
              "insert into events (id, job_seq, workspace_id, owner_id, at, kind, actor, data) "
              "values (:id, :seq, :workspace, :owner, :at, 'job.running', 'trainyard', '{}')",
              id,
              seq,
              workspace,
              owner,
              created));
        }
        ++counts[{0, workspace, dialect, state}];
        ++counts[{owner, workspace, dialect, state}];
      }
      for (const auto& [cell, jobs] : counts) {
        TY_DO(
            tx.exec("insert into job_counts (owner_id, workspace_id, dialect, state, jobs) "
                    "values (:owner, :workspace, :dialect, :state, :jobs) "
                    "on conflict (owner_id, workspace_id, dialect, state) "
                    "do update set jobs = job_counts.jobs + excluded.jobs",
                    cell[0],
                    cell[1],
                    cell[2],
                    cell[3],
                    jobs));
      }
      return {};
    }));
    i = std::min<std::int64_t>(to, i + 20'000);
  }
}

/// Jobs that no machine is large enough for: a server that finds them takes them back, and they
/// wait.
void fill_waiting(Database& db) {
  model::JobSpec spec;
  spec.name = "waiting";
  spec.roles = {model::RoleSpec{.name = "main", .system_name = "main"}};
  spec.roles[0].command.script = "true";
  spec.roles[0].resources.cpu_milli = 100'000'000;
  JobStore jobs(db);
  for (int i = 0; i < kWaiting; ++i) {
    NewJob fresh = submission("run: \"true\"\n", UserId{1 + i % kOwners});
    fresh.spec_json = model::to_json(spec);
    run(jobs.insert(std::move(fresh)));
  }
}

void wait_for_names(Database& db) {
  if (db.is_postgres()) return;
  for (;;) {
    const bool done = must(db.read_now([](Tx& tx) -> Result<bool> {
      TY_TRY(auto to,
             tx.value<std::int64_t>(
                 "select cast(value as integer) from meta where name = 'names_indexed_to'"));
      TY_TRY(auto newest, tx.value<std::int64_t>("select max(seq) from jobs"));
      return to.value_or(0) >= newest.value_or(0);
    }));
    if (done) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

struct Case {
  const char* name;
  std::function<void(model::JobQuery&, std::mt19937&, std::int64_t jobs)> set;
};

UserId some_owner(std::mt19937& r) { return {1 + static_cast<std::int64_t>(r() % kOwners)}; }
WorkspaceId some_workspace(std::mt19937& r) {
  return {1 + static_cast<std::int64_t>(r() % kWorkspaces)};
}
Time some_time(std::mt19937& r, std::int64_t jobs) {
  return from_millis(1'700'000'000'000 +
                     static_cast<std::int64_t>(r() % static_cast<unsigned>(jobs)) * 1000);
}

const std::vector<Case>& cases() {
  using model::JobSort;
  using model::JobState;
  static const std::vector<Case> all{
      {"newest", [](auto&, auto&, auto) {}},
      {"deep page",
       [](auto& q, auto& r, auto n) {
         q.cursor = fmt::format("n{}", 1 + r() % static_cast<unsigned>(n));
       }},
      {"workspace", [](auto& q, auto& r, auto) { q.workspaces = {some_workspace(r)}; }},
      {"owner", [](auto& q, auto& r, auto) { q.owner = some_owner(r); }},
      {"owner + workspace",
       [](auto& q, auto& r, auto) {
         q.owner = some_owner(r);
         q.workspaces = {some_workspace(r)};
       }},
      {"state failed", [](auto& q, auto&, auto) { q.states = {JobState::Failed}; }},
      {"state queued", [](auto& q, auto&, auto) { q.states = {JobState::Queued}; }},
      {"3 states, workspace",
       [](auto& q, auto& r, auto) {
         q.states = {JobState::Running, JobState::Failed, JobState::Cancelled};
         q.workspaces = {some_workspace(r)};
       }},
      {"owner + cancelled",
       [](auto& q, auto& r, auto) {
         q.owner = some_owner(r);
         q.states = {JobState::Cancelled};
       }},
      {"dialect", [](auto& q, auto& r, auto) { q.dialect = static_cast<model::Dialect>(r() % 3); }},
      {"10 workspaces, dialect",
       [](auto& q, auto& r, auto) {
         for (int i = 0; i < 10; ++i) q.workspaces.push_back(some_workspace(r));
         q.dialect = model::Dialect::Native;
       }},
      {"time range",
       [](auto& q, auto& r, auto n) {
         q.created_to = some_time(r, n);
         q.created_from = *q.created_to - 10min;
       }},
      {"time range + owner",
       [](auto& q, auto& r, auto n) {
         q.created_to = some_time(r, n);
         q.owner = some_owner(r);
       }},
      {"label",
       [](auto& q, auto& r, auto) {
         q.label = std::pair("team", fmt::format("t{}", r() % 10 * 5));
       }},
      {"label key", [](auto& q, auto&, auto) { q.label = std::pair("team", std::nullopt); }},
      {"label + failed",
       [](auto& q, auto& r, auto) {
         q.label = std::pair("team", fmt::format("t{}", r() % 10 * 5));
         q.states = {JobState::Failed};
       }},
      {"label + owner",
       [](auto& q, auto& r, auto) {
         q.label = std::pair("team", fmt::format("t{}", r() % 10 * 5));
         q.owner = some_owner(r);
       }},
      {"oldest, workspace",
       [](auto& q, auto& r, auto) {
         q.sort = JobSort::Oldest;
         q.workspaces = {some_workspace(r)};
       }},
      {"by name", [](auto& q, auto&, auto) { q.sort = JobSort::Name; }},
      {"by name, workspace",
       [](auto& q, auto& r, auto) {
         q.sort = JobSort::Name;
         q.workspaces = {some_workspace(r)};
       }},
      {"by name, owner",
       [](auto& q, auto& r, auto) {
         q.sort = JobSort::Name;
         q.owner = some_owner(r);
       }},
      {"by end", [](auto& q, auto&, auto) { q.sort = JobSort::Ended; }},
      {"by end, failed, workspace",
       [](auto& q, auto& r, auto) {
         q.sort = JobSort::Ended;
         q.states = {JobState::Failed};
         q.workspaces = {some_workspace(r)};
       }},
      {"name: common part", [](auto& q, auto& r, auto) { q.name_part = kWords[r() % 10]; }},
      {"name: rare part",
       [](auto& q, auto& r, auto n) {
         q.name_part =
             job_name(static_cast<std::int64_t>(r() % static_cast<unsigned>(n))).substr(6);
       }},
      {"name: no such",
       [](auto& q, auto& r, auto) { q.name_part = fmt::format("zzq{}", r() % 1000); }},
      {"name + owner",
       [](auto& q, auto& r, auto) {
         q.name_part = kWords[r() % 10];
         q.owner = some_owner(r);
       }},
      {"name: 2 characters, none", [](auto& q, auto&, auto) { q.name_part = "qq"; }},
  };
  return all;
}

struct Times {
  double p50, p99;
};

Times measure(Database& db, const Case& one, std::int64_t jobs, int rounds) {
  JobStore store(db);
  std::mt19937 random(42);
  std::vector<double> times;
  asio::io_context io(1);
  auto body = [&]() -> asio::awaitable<void> {
    for (int i = 0; i < rounds; ++i) {
      model::JobQuery query;
      one.set(query, random, jobs);
      const auto start = Clock_::now();
      must(co_await store.list(std::move(query)));
      times.push_back(1000 * seconds_since(start));
    }
  };
  asio::co_spawn(io, body, [](std::exception_ptr thrown) {
    if (thrown) std::rethrow_exception(thrown);
  });
  io.run();
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times[times.size() * 99 / 100]};
}

/// The peer of the list: its newest page through the bare SQLite API, with owners and workspaces.
double raw_page(const std::string& path) {
  sqlite3* db = nullptr;
  sqlite3_open_v2(path.c_str(), &db, SQLITE_OPEN_READONLY, nullptr);
  sqlite3_stmt* page = nullptr;
  sqlite3_prepare_v2(db,
                     "select j.*, u.name, w.name from jobs j join users u on u.id = j.owner_id "
                     "join workspaces w on w.id = j.workspace_id order by j.seq desc limit 50",
                     -1,
                     &page,
                     nullptr);
  std::vector<double> times;
  std::size_t bytes = 0;
  for (int i = 0; i < 300; ++i) {
    const auto start = Clock_::now();
    while (sqlite3_step(page) == SQLITE_ROW) {
      for (int column = 0; column < sqlite3_column_count(page); ++column) {
        sqlite3_column_text(page, column);
        bytes += static_cast<std::size_t>(sqlite3_column_bytes(page, column));
      }
    }
    sqlite3_reset(page);
    times.push_back(1000 * seconds_since(start));
  }
  sqlite3_finalize(page);
  sqlite3_close(db);
  if (bytes == 0) fmt::print(stderr, "the bare query found nothing\n");
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void make_people(Database& db) {
  UserStore users(db);
  WorkspaceStore workspaces(db);
  for (int i = 1; i <= kOwners; ++i) run(users.create({.name = fmt::format("user{}", i)}));
  for (int i = 2; i <= kWorkspaces; ++i) run(workspaces.create({.name = fmt::format("w{}", i)}));
}

long resident_kb() {
  long pages = 0, resident = 0;
  if (FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
    std::fclose(file);
  }
  return resident * 4;
}

}  // namespace

int main(int argc, char** argv) {
  std::int64_t jobs = 1'000'000;
  int submits = 20'000;
  std::string dir = (std::filesystem::temp_directory_path() / "store-bench").string();
  std::string postgres;
  bool keep = false;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view flag = argv[i];
    if (flag == "--jobs") jobs = std::atoll(argv[i + 1]);
    if (flag == "--submits") submits = std::atoi(argv[i + 1]);
    if (flag == "--dir") dir = argv[i + 1];
    if (flag == "--postgres") postgres = argv[i + 1];
    if (flag == "--keep") keep = std::string_view(argv[i + 1]) == "yes";
  }
  if (!keep) std::filesystem::remove_all(dir);
  std::filesystem::create_directories(dir);
  const auto path = [&](const char* name) { return dir + "/" + name; };

  if (submits > 0) {
    fmt::print("durable submissions a second, 3 KB job file, {} of them\n", submits);
    std::vector<double> ratios;
    for (int round = 0; round < 3; ++round) {
      const double raw = raw_submissions(path("raw.db"), submits);
      auto db = must(Database::open({.url = postgres.empty() ? path("ours.db") : postgres}));
      const UserId owner = run(UserStore(*db).create({.name = fmt::format("ann{}", round)})).id;
      const double ours = our_submissions(*db, owner, submits, 64);
      ratios.push_back(ours / raw);
      fmt::print("  raw SQLite, batches of 50: {:.0f}; ours, 64 writers: {:.0f}; ratio {:.2f}\n",
                 raw,
                 ours,
                 ours / raw);
      if (round == 2) {
        fmt::print("  ours, 1 writer: {:.0f}\n", our_submissions(*db, owner, submits / 10, 1));
        fmt::print("  saved changes a second, batches of 20: {:.0f}\n",
                   our_saves(*db, submits / 2, 20));
      }
      db.reset();
      for (const char* end : {"", "-wal", "-shm"}) {
        std::filesystem::remove(path("raw.db") + end);
        std::filesystem::remove(path("ours.db") + end);
      }
    }
    std::sort(ratios.begin(), ratios.end());
    fmt::print("  median ratio {:.2f} (goal 0.70)\n\n", ratios[1]);
  }

  std::vector<std::vector<Times>> columns;
  for (const std::int64_t size : {std::int64_t{10'000}, jobs}) {
    const std::string url = postgres.empty() ? dir + fmt::format("/list-{}.db", size) : postgres;
    const bool there = std::filesystem::exists(url);
    auto db = must(Database::open({.url = url}));
    if (!there) {
      const auto start = Clock_::now();
      if (columns.empty() || postgres.empty()) make_people(*db);
      fill(*db, postgres.empty() || columns.empty() ? 0 : 10'000, size);
      fill_waiting(*db);
      const double filled = seconds_since(start);
      wait_for_names(*db);
      fmt::print("{} jobs: filled in {:.1f} s, names indexed after {:.1f} s\n",
                 size,
                 filled,
                 seconds_since(start));
    }
    db.reset();
    const auto start = Clock_::now();
    db = must(Database::open({.url = url}));
    std::size_t active = 0;
    must(JobStore(*db).active([&](model::Job) -> Result<void> {
      ++active;
      return {};
    }));
    fmt::print("{} jobs: opened, with {} active ones, in {:.0f} ms",
               size,
               active,
               1000 * seconds_since(start));
    std::vector<Times>& column = columns.emplace_back();
    for (const Case& one : cases()) {
      measure(*db, one, size, 20);
      column.push_back(measure(*db, one, size, 300));
    }
    fmt::print("; resident memory after the lists {} MB\n", resident_kb() / 1024);
    if (postgres.empty())
      fmt::print("{} jobs: bare SQLite, newest page: {:.4f} ms\n", size, raw_page(url));
  }
  fmt::print("\n{:28} {:>21} {:>21} {:>7}\n",
             "list page of 50, ms",
             "10000: p50     p99",
             fmt::format("{}: p50     p99", jobs),
             "ratio");
  for (std::size_t i = 0; i < cases().size(); ++i) {
    const Times small = columns[0][i];
    const Times large = columns[1][i];
    fmt::print("{:28} {:>12.3f} {:>8.3f} {:>12.3f} {:>8.3f} {:>7.2f}\n",
               cases()[i].name,
               small.p50,
               small.p99,
               large.p50,
               large.p99,
               large.p50 / small.p50);
  }
  if (!keep) std::filesystem::remove_all(dir);
}
