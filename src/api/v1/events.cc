#include "api/v1/encode/events.h"

#include <charconv>
#include <limits>
#include <memory>

#include "api/context.h"
#include "api/messages.h"
#include "api/query_reader.h"
#include "api/v1/handlers.h"
#include "net/sse.h"

/// GET /events: the stream that pages and programs follow.
namespace ty::api::v1 {

namespace asio = boost::asio;

namespace {

constexpr Millis kHeartbeat{15'000};
constexpr Millis kCheckEvery{5'000};
constexpr int kPage = 500;

/// Where one follower stands.
struct Follower {
  Context& context;
  auth::Principal who;
  Secret token;
  std::string job;
  EventId seen;
  std::chrono::steady_clock::time_point checked = std::chrono::steady_clock::now();

  asio::awaitable<Result<control::EventPage>> next_page() {
    control::EventFilter filter{.job = job, .after = seen, .limit = kPage};
    return context.services.events.list(who, std::move(filter));
  }

  /// A stream may live for days: a token that was revoked meanwhile, or a workspace that was left,
  /// counts from the next check on, however busy the stream is.
  asio::awaitable<bool> still_allowed() {
    const auto now = std::chrono::steady_clock::now();
    if (now - checked < kCheckEvery) co_return true;
    checked = now;
    auto known = co_await context.services.authenticator.authenticate(token);
    if (known) who = *std::move(known);
    co_return known.has_value();
  }
};

std::string wire_of(const control::EventPage& page) {
  std::string wire;
  for (const model::Event& event : page.events) {
    JsonWriter out;
    write_event(out, event);
    std::string data = std::move(out).finish();
    data.pop_back();
    wire += net::to_wire(
        {.id = std::to_string(event.id.value), .event = event.kind, .data = std::move(data)});
  }
  return wire;
}

asio::awaitable<void> follow(std::shared_ptr<Follower> follower,
                             control::EventPage page,
                             net::BodyWriter& out) {
  // Says at once that the stream stands, before anything happens.
  if (!co_await out.write(net::kSseHeartbeat)) co_return;
  for (;;) {
    if (!page.events.empty()) {
      const std::string wire = wire_of(page);
      if (!co_await out.write(wire)) co_return;
    }
    follower->seen = page.seen;
    if (!page.more) {
      const auto before = std::chrono::steady_clock::now();
      const bool open =
          co_await follower->context.services.events.wait_beyond(follower->seen, kHeartbeat);
      if (!open || out.gone()) co_return;
      if (std::chrono::steady_clock::now() - before >= kHeartbeat) {
        if (!co_await out.write(net::kSseHeartbeat)) co_return;
      }
    }
    if (!co_await follower->still_allowed()) co_return;
    auto next = co_await follower->next_page();
    // The job is gone, or the store is: the client comes back and hears it as an answer.
    if (!next) co_return;
    page = *std::move(next);
  }
}

/// Where to begin: after the event the client saw last, else where it says, else now.
Result<std::optional<EventId>> first_event(const net::Request& request, QueryReader& reader) {
  std::optional<std::int64_t> after;
  reader.opt("after", after, 0);
  const std::string_view last = request.headers.get("Last-Event-ID");
  if (last.empty()) {
    return after ? std::optional<EventId>(EventId{*after}) : std::nullopt;
  }
  std::int64_t id = 0;
  const auto [end, ec] = std::from_chars(last.data(), last.data() + last.size(), id);
  if (ec != std::errc{} || end != last.data() + last.size() || id < 0)
    return fail(Errc::Invalid, say::not_an_event_id());
  return EventId{id};
}

}  // namespace

Answer follow_events(Context& context, Call& call) {
  auto follower = std::make_shared<Follower>(
      Follower{.context = context, .who = call.who, .token = call.token});
  QueryReader reader(call.request);
  reader.opt("job", follower->job);
  TY_CO_TRY(const std::optional<EventId> first, first_event(call.request, reader));
  TY_CO_DO(reader.done());
  if (first) {
    follower->seen = *first;
  } else {
    TY_CO_TRY(follower->seen, co_await context.services.events.last());
  }
  // The first page now, while a fault can still be answered as one.
  TY_CO_TRY(control::EventPage page, co_await follower->next_page());
  net::Response response = net::stream_response(
      "text/event-stream", [follower, page = std::move(page)](net::BodyWriter& out) {
        return follow(follower, page, out);
      });
  std::get<net::StreamBody>(response.body).endless = true;
  // Some proxies collect answers before they pass them on, unless told.
  response.headers.add("X-Accel-Buffering", "no");
  co_return response;
}

}  // namespace ty::api::v1
