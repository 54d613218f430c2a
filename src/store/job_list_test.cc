#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "base/text.h"
#include "store/impl/name_index.h"
#include "store/impl/test_fixture.h"

namespace ty::store::testing {
namespace {

using model::Dialect;
using model::JobQuery;
using model::JobSort;
using model::JobState;

/// What the test itself remembers of a job.
struct Known {
  model::Job job;
  model::TextMap labels;
};

bool wanted(const JobQuery& query, const Known& known) {
  const model::Job& job = known.job;
  const auto among = [](const auto& list, const auto& value) {
    return list.empty() || std::find(list.begin(), list.end(), value) != list.end();
  };
  if (!among(query.workspaces, job.workspace) || !among(query.states, job.life.state)) return false;
  if (query.owner && *query.owner != job.owner) return false;
  if (query.dialect && *query.dialect != job.dialect) return false;
  if (query.created_from && job.created_at < *query.created_from) return false;
  if (query.created_to && job.created_at >= *query.created_to) return false;
  if (to_lower(job.name).find(to_lower(query.name_part)) == std::string::npos) return false;
  if (!query.label) return true;
  const auto found = known.labels.find(query.label->first);
  return found != known.labels.end() &&
         (!query.label->second || found->second == *query.label->second);
}

bool comes_before(const JobQuery& query, const model::Job& a, const model::Job& b) {
  switch (query.sort) {
    case JobSort::Newest:
      return a.seq > b.seq;
    case JobSort::Oldest:
      return a.seq < b.seq;
    case JobSort::Name: {
      const auto key = [&](const model::Job& job) {
        const std::string number = job.handle.substr(job.name.size());
        const std::int64_t handle = number.empty() ? 1 : std::stoll(number.substr(1));
        return std::pair(job.name, query.owner ? handle : job.seq.value);
      };
      return key(a) < key(b);
    }
    case JobSort::Ended: {
      const auto key = [](const model::Job& job) {
        return std::pair(job.life.ended_at.value_or(from_millis(INT64_MAX)), job.seq);
      };
      return key(a) > key(b);
    }
  }
  return false;
}

class JobListTest : public OnBoth {
 protected:
  /// More than fits the small-set way on SQLite; PostgreSQL has only one way.
  int size() const { return GetParam() == Kind::Sqlite ? 2600 : 300; }

  void fill(unsigned seed) {
    random.seed(seed);
    for (int i = 0; i < 3; ++i) {
      workspaces.push_back(run(stores().workspaces.create({.name = "w" + std::to_string(i)})).id);
      owners.push_back(world.user("owner" + std::to_string(i)));
    }
    add_jobs(size() * 2 / 3);
    // The names up to here are in the index, the later ones may not be.
    ok(world.db->write_now([](Tx& tx) -> Result<void> {
      NameIndex names;
      do {
        TY_DO(names.advance(tx));
      } while (tx.memory().more_names);
      return {};
    }));
    add_jobs(size() - size() * 2 / 3);
  }

  int pick(int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); }

  NewJob random_job() {
    static const char* words[] = {"bert", "ResNet", "训练", "mnist_v2", "a%b", "\"q\"", "x-y"};
    now += Millis{pick(5)};
    NewJob fresh =
        new_job(std::string(words[pick(7)]) + "-" + words[pick(7)] + std::to_string(pick(30)),
                owners[static_cast<std::size_t>(pick(3))],
                workspaces[static_cast<std::size_t>(pick(3))],
                now);
    fresh.job.dialect = static_cast<Dialect>(pick(3));
    if (pick(3) == 0) fresh.labels["team"] = pick(2) ? "nlp" : "vision";
    if (pick(20) == 0) fresh.labels["rare"] = std::to_string(pick(10));
    return fresh;
  }

  /// All at once, so that they share commits.
  void add_jobs(int count) {
    boost::asio::io_context io;
    const std::size_t first = all.size();
    for (int i = 0; i < count; ++i) {
      auto insert = [this, fresh = random_job()]() -> boost::asio::awaitable<void> {
        const auto inserted = co_await stores().jobs.insert(fresh);
        all.push_back({.job = ok(inserted).job, .labels = fresh.labels});
      };
      boost::asio::co_spawn(io, std::move(insert), [](std::exception_ptr thrown) {
        if (thrown) std::rethrow_exception(thrown);
      });
    }
    io.run();
    std::vector<std::size_t> some;
    for (std::size_t i = first; i < all.size(); ++i) {
      if (pick(4) != 0) some.push_back(i);
    }
    change(some);
  }

  /// Moves these jobs on to some state, unless they have ended.
  void change(const std::vector<std::size_t>& which) {
    std::vector<JobChange> changes;
    std::vector<Known*> changed;
    for (const std::size_t at : which) {
      Known& known = all[at];
      if (model::is_final(known.job.life.state)) continue;
      changes.push_back(
          change_of(known.job, static_cast<JobState>(pick(8)), now + Millis{pick(1000)}));
      changed.push_back(&known);
    }
    const auto answers = run(stores().jobs.save(changes));
    for (std::size_t i = 0; i < changed.size(); ++i) {
      changed[i]->job.version = ok(answers[i]).version;
      changed[i]->job.life = changes[i].life;
    }
  }

  JobQuery random_query() {
    JobQuery query;
    query.sort = static_cast<JobSort>(pick(4));
    query.limit = std::array{1, 7, 50, 500}[static_cast<std::size_t>(pick(4))];
    if (query.limit < 50 && all.size() > 1000) query.limit = 100;
    if (pick(3) == 0) query.owner = owners[static_cast<std::size_t>(pick(3))];
    for (int i = pick(3); i > 0; --i)
      query.workspaces.push_back(workspaces[static_cast<std::size_t>(pick(3))]);
    for (int i = pick(3); i > 0; --i) query.states.push_back(static_cast<JobState>(pick(8)));
    if (pick(4) == 0) query.dialect = static_cast<Dialect>(pick(4));
    if (pick(3) == 0) {
      static const char* parts[] = {
          "BERT", "e", "net", "练", "训练-", "%", "_v", "\"q\"", "x-y1", "nothing", "-2"};
      query.name_part = parts[pick(11)];
    }
    if (pick(4) == 0) {
      query.label = std::pair(pick(2) ? "team" : "rare", std::optional<std::string>());
      if (pick(2)) query.label->second = query.label->first == "team" ? "nlp" : "3";
    }
    if (pick(5) == 0) query.created_from = kStart + Millis{pick(2 * size())};
    if (pick(5) == 0) query.created_to = kStart + Millis{pick(2 * size())};
    return query;
  }

  std::vector<JobId> expected(const JobQuery& query) const {
    std::vector<const model::Job*> jobs;
    for (const Known& known : all) {
      if (wanted(query, known)) jobs.push_back(&known.job);
    }
    std::sort(
        jobs.begin(), jobs.end(), [&](auto* a, auto* b) { return comes_before(query, *a, *b); });
    std::vector<JobId> ids;
    for (const auto* job : jobs) ids.push_back(job->id);
    return ids;
  }

  std::vector<JobId> listed(JobQuery query) {
    std::vector<JobId> ids;
    for (;;) {
      const auto page = run(stores().jobs.list(query));
      EXPECT_LE(page.jobs.size(), static_cast<std::size_t>(query.limit));
      for (const model::Job& job : page.jobs) ids.push_back(job.id);
      if (page.next_cursor.empty()) return ids;
      query.cursor = page.next_cursor;
    }
  }

  static std::string describe(const JobQuery& query) {
    return fmt::format(
        "sort {} owner {} workspaces {} states {} dialect {} name '{}' label {} from {} to {} "
        "limit {}",
        static_cast<int>(query.sort),
        query.owner ? query.owner->value : 0,
        query.workspaces.size(),
        query.states.size(),
        query.dialect ? static_cast<int>(*query.dialect) : -1,
        query.name_part,
        query.label ? query.label->first + "=" + query.label->second.value_or("*") : "-",
        query.created_from ? to_millis(*query.created_from) : 0,
        query.created_to ? to_millis(*query.created_to) : 0,
        query.limit);
  }

  std::mt19937 random;
  std::vector<UserId> owners;
  std::vector<WorkspaceId> workspaces;
  std::vector<Known> all;
  Time now = kStart;
};
TY_ON_BOTH(JobListTest);

TEST_P(JobListTest, EveryCombinationOfFiltersAndSortsShowsExactlyTheJobsAskedFor) {
  fill(7);
  for (int i = 0; i < 400; ++i) {
    const JobQuery query = random_query();
    ASSERT_EQ(listed(query), expected(query)) << describe(query);
  }
}

TEST_P(JobListTest, CountsAreRightAfterWhateverHappened) {
  fill(11);
  for (int round = 0; round < 20; ++round) {
    std::set<std::size_t> some;
    for (int i = 0; i < size() / 20; ++i) some.insert(random() % all.size());
    change({some.begin(), some.end()});
    for (int i = 0; i < 4; ++i) {
      const std::size_t at = random() % all.size();
      if (!model::is_final(all[at].job.life.state)) continue;
      run(stores().jobs.remove(all[at].job.seq, "ann", now));
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(at));
    }
    add_jobs(5);
  }
  for (const std::optional<UserId> owner : {std::optional<UserId>(), std::optional(owners[1])}) {
    std::map<std::pair<WorkspaceId, JobState>, std::int64_t> counted;
    for (const Known& known : all) {
      if (!owner || known.job.owner == *owner)
        ++counted[{known.job.workspace, known.job.life.state}];
    }
    std::map<std::pair<WorkspaceId, JobState>, std::int64_t> answered;
    for (const JobCount& count : run(stores().jobs.counts({}, owner))) {
      answered[{count.workspace, count.state}] += count.jobs;
    }
    EXPECT_EQ(answered, counted);
  }
  for (int i = 0; i < 50; ++i) {
    const JobQuery query = random_query();
    ASSERT_EQ(listed(query), expected(query)) << describe(query);
  }
}

TEST_P(JobListTest, PagesNeitherRepeatNorLoseAJobWhileOthersArrive) {
  std::set<JobId> there;
  for (int i = 0; i < 200; ++i)
    there.insert(world.insert(new_job("job" + std::to_string(i % 10), ann)).id);
  for (const JobSort sort : {JobSort::Newest, JobSort::Oldest, JobSort::Name, JobSort::Ended}) {
    std::atomic<bool> stop = false;
    std::thread inserter([&] {
      for (int i = 0; !stop; ++i) world.insert(new_job("job" + std::to_string(i % 10), bob));
    });
    std::multiset<JobId> seen;
    JobQuery query{.sort = sort, .limit = 7};
    for (int pages = 0; pages < 2000; ++pages) {
      const auto page = run(stores().jobs.list(query));
      for (const model::Job& job : page.jobs) seen.insert(job.id);
      if (page.next_cursor.empty()) break;
      query.cursor = page.next_cursor;
      if (pages == 30) stop = true;
    }
    stop = true;
    inserter.join();
    for (const JobId& id : there) EXPECT_EQ(seen.count(id), 1u);
    for (const JobId& id : seen) EXPECT_EQ(seen.count(id), 1u);
  }
}

TEST_P(JobListTest, ACursorOfAnotherListIsRefused) {
  for (int i = 0; i < 3; ++i) world.insert(new_job("a", ann));
  JobQuery query{.limit = 1};
  query.cursor = run(stores().jobs.list(query)).next_cursor;
  ASSERT_FALSE(query.cursor.empty());
  query.sort = JobSort::Name;
  EXPECT_EQ(error_of(stores().jobs.list(query)).code, Errc::Invalid);
  for (const char* bad : {"n", "nx", "n1.2", "n12 ", "a5.zz", "a5.6", "e1.", "garbage"}) {
    query.cursor = bad;
    query.sort = bad[0] == 'a' ? JobSort::Name : bad[0] == 'e' ? JobSort::Ended : JobSort::Newest;
    EXPECT_EQ(error_of(stores().jobs.list(query)).code, Errc::Invalid) << bad;
  }
}

TEST(JobListBudgetTest, ASearchThatFindsLittleAnswersInPiecesAndLosesNothing) {
  TempDir dir;
  World world(dir / "t.db");
  const UserId ann = world.user("ann");
  // Rows straight into the table: enough that a short fragment cannot be looked for in one go.
  ok(world.db->write_now([&](Tx& tx) -> Result<void> {
    TY_DO(
        tx.exec("with recursive n(i) as (select 1 union all select i + 1 from n where i < 30000) "
                "insert into jobs (seq, id, name, handle, handle_number, owner_id, workspace_id, "
                "dialect, priority, created_at, role_counts, gpus_total, version, state, attempt, "
                "queued_at, ran) "
                "select i, 'x' || i, case when i % 9999 = 7 then 'zq' else 'job' || i end, "
                "'h' || i, i, :owner, 1, 0, 10, i, '1', 0, 1, 0, 0, i, 0 from n",
                ann));
    TY_DO(tx.exec("insert into job_counts values (0, 1, 0, 0, 30000)"));
    TY_DO(tx.exec("insert into job_counts values (:owner, 1, 0, 0, 30000)", ann));
    return {};
  }));
  for (const JobSort sort : {JobSort::Newest, JobSort::Oldest, JobSort::Name, JobSort::Ended}) {
    JobQuery query{.name_part = "zq", .sort = sort};
    int pages = 0;
    std::set<std::string> found;
    do {
      const auto page = run(world.stores->jobs.list(query));
      for (const model::Job& job : page.jobs) found.insert(job.id.str());
      query.cursor = page.next_cursor;
      ++pages;
    } while (!query.cursor.empty() && pages < 100);
    EXPECT_EQ(found, (std::set<std::string>{"x7", "x10006", "x20005"})) << static_cast<int>(sort);
    EXPECT_GT(pages, 1);
  }
}

}  // namespace
}  // namespace ty::store::testing
