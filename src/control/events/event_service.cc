#include "control/events/event_service.h"

#include "control/cluster/queue_move.h"
#include "control/event_hub.h"
#include "control/jobs/job_finder.h"
#include "store/event_store.h"

namespace ty::control {

namespace asio = boost::asio;

asio::awaitable<Result<EventPage>> EventService::list(auth::Principal who, EventFilter filter) {
  const bool sees_all = who.acts_as_administrator();
  store::EventQuery query{
      .after = filter.after, .workspaces = who.visible_workspaces(), .limit = filter.limit};
  if (!filter.job.empty()) {
    TY_CO_TRY(
        const model::Job job,
        co_await p_.finder.find(std::move(who), std::move(filter.job), auth::Action::ReadEvents));
    query.job = job.seq;
  }
  TY_CO_TRY(store::EventPage page, co_await p_.events.after(std::move(query)));
  // Where in the queue a job was put says which other job it was put before.
  if (!sees_all) {
    for (model::Event& event : page.events) {
      if (event.kind == kMoved) event.data = "{}";
    }
  }
  co_return EventPage{.events = std::move(page.events), .seen = page.seen, .more = page.more};
}

asio::awaitable<bool> EventService::wait_beyond(EventId seen, Millis patience) {
  co_await p_.hub.wait_beyond(seen, patience);
  co_return !p_.hub.closed();
}

asio::awaitable<Result<EventId>> EventService::last() { return p_.events.last(); }

}  // namespace ty::control
