#include "store/event_store.h"

#include <algorithm>
#include <utility>

#include "store/impl/event_rows.h"

namespace ty::store {

namespace asio = boost::asio;
using model::Event;

namespace {

constexpr int kLargestEventPage = 1000;
/// How many events of others a reader passes over before it gets an answer.
constexpr int kMostLookedAt = 5000;

// One text for each way in, so that each has its index; the rest is compared here.
constexpr const char* kOfAll =
    "select e.id, e.job_seq, coalesce(j.id, e.job_id), e.workspace_id, e.owner_id, e.at, e.kind, "
    "e.actor, e.data "
    "from events e left join jobs j on j.seq = e.job_seq where e.id > :after order by e.id limit "
    ":most";
constexpr const char* kOfJob =
    "select e.id, e.job_seq, coalesce(j.id, e.job_id), e.workspace_id, e.owner_id, e.at, e.kind, "
    "e.actor, e.data "
    "from events e left join jobs j on j.seq = e.job_seq where e.id > :after and e.job_seq = :job "
    "order by e.id limit :most";

Event read_event(const Rows& rows) {
  return {.id = rows.get<EventId>(0),
          .job_seq = rows.get<JobSeq>(1),
          .job = rows.get<JobId>(2),
          .workspace = rows.get<WorkspaceId>(3),
          .owner = rows.get<UserId>(4),
          .at = rows.get<Time>(5),
          .kind = rows.get<std::string>(6),
          .actor = rows.get<std::string>(7),
          .data = rows.get<std::string>(8)};
}

bool wanted(const EventQuery& query, const Event& event) {
  const auto& workspaces = query.workspaces;
  if (!workspaces.empty() &&
      std::find(workspaces.begin(), workspaces.end(), event.workspace) == workspaces.end()) {
    return false;
  }
  return !query.owner || *query.owner == event.owner;
}

Result<EventPage> find_events(Tx& tx, const EventQuery& query) {
  const auto limit = static_cast<std::size_t>(std::clamp(query.limit, 1, kLargestEventPage));
  const bool all_wanted = query.workspaces.empty() && !query.owner;
  const int most = all_wanted ? static_cast<int>(limit) + 1 : kMostLookedAt;
  EventPage page{.seen = query.after};
  auto rows = query.job ? tx.query(kOfJob, query.after, *query.job, most)
                        : tx.query(kOfAll, query.after, most);
  int looked_at = 0;
  while (rows.next()) {
    if (page.events.size() == limit) {
      page.more = true;
      return page;
    }
    Event event = read_event(rows);
    page.seen = event.id;
    if (wanted(query, event)) page.events.push_back(std::move(event));
    ++looked_at;
  }
  TY_DO(rows.status());
  page.more = looked_at == most;
  return page;
}

template <class Id>
std::optional<Id> unless_zero(Id id) {
  return id ? std::optional(id) : std::nullopt;
}

}  // namespace

asio::awaitable<Result<EventPage>> EventStore::after(EventQuery query) {
  auto read = [&query](Tx& tx) { return find_events(tx, query); };
  co_return co_await db_.read(std::move(read));
}

asio::awaitable<Result<EventId>> EventStore::last() {
  auto read = [](Tx& tx) -> Result<EventId> {
    TY_TRY(auto id, tx.value<EventId>("select id from events order by id desc limit 1"));
    return id.value_or(EventId{});
  };
  co_return co_await db_.read(std::move(read));
}

asio::awaitable<Result<EventId>> EventStore::append(Event event) {
  auto write = [&event](Tx& tx) {
    const EventSubject subject{.job = unless_zero(event.job_seq),
                               .workspace = unless_zero(event.workspace),
                               .owner = unless_zero(event.owner)};
    return append_event(tx, subject, event.at, event.kind, event.actor, event.data);
  };
  co_return co_await db_.write(std::move(write));
}

asio::awaitable<Result<std::int64_t>> EventStore::prune(Time before, int limit) {
  auto write = [before, limit](Tx& tx) -> Result<std::int64_t> {
    // Never the newest: its number must not be given out again.
    TY_TRY(auto newest, tx.value<std::int64_t>("select id from events order by id desc limit 1"));
    std::vector<std::int64_t> old;
    auto rows = tx.query(
        "select e.id, e.at, j.ended_at, j.seq from events e left join jobs j on j.seq = e.job_seq "
        "where e.id < :newest order by e.id limit :limit",
        newest.value_or(0),
        limit);
    while (rows.next()) {
      if (rows.get<Time>(1) >= before) break;
      const bool alive = !rows.is_null(3) && rows.is_null(2);
      if (!alive) old.push_back(rows.integer(0));
    }
    TY_DO(rows.status());
    for (const std::int64_t id : old) TY_DO(tx.exec("delete from events where id = :id", id));
    return static_cast<std::int64_t>(old.size());
  };
  co_return co_await db_.write(std::move(write));
}

}  // namespace ty::store
