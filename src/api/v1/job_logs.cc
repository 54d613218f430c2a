#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "api/context.h"
#include "api/messages.h"
#include "api/query_reader.h"
#include "api/v1/byte_range.h"
#include "api/v1/encode/answer.h"
#include "api/v1/encode/logs.h"
#include "api/v1/handlers.h"
#include "base/text.h"

/// GET /jobs/{id}/logs, /logs/lines, /logs/search
namespace ty::api::v1 {

namespace asio = boost::asio;

namespace {

constexpr std::string_view kType = "text/plain; charset=utf-8";
constexpr Millis kRightCheckedEvery{5'000};
constexpr std::size_t kLongestPattern = control::LogSearchQuery::kLongestPattern;

struct LogRequest {
  control::LogQuery query;
  bool download = false;
};

/// A moment: a time, or how long before now.
std::optional<Time> read_moment(QueryReader& reader, std::string_view name, std::string_view text) {
  if (text.empty()) return std::nullopt;
  if (const auto time = parse_rfc3339(text)) return *time;
  if (const auto ago = parse_duration(text)) return SystemClock{}.now() - *ago;
  reader.wrong(name, say::not_a_moment({.value = shorten(text)}));
  return std::nullopt;
}

template <class Number>
bool read_number(std::string_view text, Number& into) {
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), into);
  return ec == std::errc{} && end == text.data() + text.size();
}

Result<LogRequest> read_log_request(const net::Request& request) {
  LogRequest wanted;
  control::LogQuery& query = wanted.query;
  QueryReader reader(request);
  std::optional<std::int64_t> attempt;
  std::optional<std::int64_t> tail;
  std::string lines;
  std::string since;
  std::string until;
  reader.opt("task", query.task)
      .opt("attempt", attempt, 0)
      .opt("merged", query.merged)
      .opt("follow", query.follow)
      .opt("tail", tail, 0)
      .opt("lines", lines)
      .opt("since", since)
      .opt("until", until)
      .opt("grep", query.grep)
      .opt("ignore_case", query.ignore_case)
      .opt("download", wanted.download);
  if (attempt) {
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    query.attempt = static_cast<int>(std::min(*attempt, most));
  }
  if (tail) query.tail = static_cast<std::uint64_t>(*tail);
  query.since = read_moment(reader, "since", since);
  query.until = read_moment(reader, "until", until);
  if (!lines.empty()) {
    const std::size_t dash = std::min(lines.find('-'), lines.size());
    std::pair<std::uint64_t, std::uint64_t> range;
    if (read_number(std::string_view(lines).substr(0, dash), range.first) && dash < lines.size() &&
        read_number(std::string_view(lines).substr(dash + 1), range.second))
      query.lines = range;
    else
      reader.wrong("lines", say::not_a_range_of_lines({.value = shorten(lines)}));
  }
  if (query.grep.size() > kLongestPattern)
    reader.wrong("grep", say::pattern_at_most({.most = kLongestPattern}));
  TY_DO(reader.done());
  query.bytes = parse_byte_range(request.headers.get("Range"));
  return wanted;
}

/// A name for a saved file that no shell and no file system minds.
std::string file_name(const std::string& job, const std::string& task) {
  std::string name = task.empty() ? job : job + "." + task;
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '-' || c == '_';
    if (!plain) c = '_';
  }
  return name + ".log";
}

/// Whoever follows a log may lose the right to it meanwhile; looked up again now and then, before
/// more is sent.
struct FollowerRight {
  Context& context;
  Secret token;
  std::string job;
  std::chrono::steady_clock::time_point checked = std::chrono::steady_clock::now();

  asio::awaitable<bool> still_there() {
    const auto now = std::chrono::steady_clock::now();
    if (now - checked < kRightCheckedEvery) co_return true;
    checked = now;
    auto who = co_await context.services.authenticator.authenticate(token);
    if (!who) co_return false;
    const auto found = co_await context.services.logs.find(*std::move(who), job);
    co_return found.has_value();
  }
};

net::StreamBody stream_of(std::shared_ptr<control::LogText> text,
                          bool follow,
                          std::shared_ptr<FollowerRight> right) {
  auto write = [text, right](net::BodyWriter& out) -> asio::awaitable<void> {
    for (;;) {
      const auto piece = co_await text->next_piece();
      const bool allowed = co_await right->still_there();
      if (!allowed) throw std::runtime_error("may not be read any more");
      // The status is long gone: all we can do is not to end the answer as if it were whole.
      if (!piece) throw std::runtime_error(piece.error().message.text());
      if (piece->empty()) co_return;
      const bool sent = piece->file < 0
                            ? bool{co_await out.write(piece->bytes)}
                            : bool{co_await out.write_file(piece->file, piece->begin, piece->size)};
      if (!sent) co_return;
    }
  };
  return {.write = std::move(write), .length = text->length, .endless = follow};
}

}  // namespace

Answer read_job_logs(Context& context, Call& call) {
  TY_CO_TRY(LogRequest wanted, read_log_request(call.request));
  const std::string job(call.request.param("id"));
  const auto bytes = wanted.query.bytes;
  const bool follow = wanted.query.follow;
  const std::string task = wanted.query.task;
  TY_CO_TRY(std::unique_ptr<control::LogText> text,
            co_await context.services.logs.open(call.who, job, std::move(wanted.query)));
  net::Response response;
  response.headers.add("Content-Type", kType);
  if (bytes) {
    const std::uint64_t total = text->total.value_or(0);
    const std::uint64_t length = text->length.value_or(0);
    if (length == 0) {
      const net::Problem problem{
          .status = 416, .code = "invalid", .message = say::log_is_shorter({.size = total})};
      net::Response refused = net::problem_response(problem, call.request.id);
      refused.headers.add("Content-Range", fmt::format("bytes */{}", total));
      co_return refused;
    }
    response.status = 206;
    response.headers.add(
        "Content-Range",
        fmt::format("bytes {}-{}/{}", bytes->first, bytes->first + length - 1, total));
  }
  response.headers.add("Accept-Ranges", "bytes");
  if (wanted.download) {
    TY_CO_TRY(const control::JobView view, co_await context.services.jobs.show(call.who, job));
    response.headers.add(
        "Content-Disposition",
        fmt::format("attachment; filename=\"{}\"", file_name(view.job.handle, task)));
  }
  auto right = std::make_shared<FollowerRight>(
      FollowerRight{.context = context, .token = call.token, .job = job});
  response.body = stream_of(std::move(text), follow, std::move(right));
  co_return response;
}

namespace {

/// `task` and `attempt`, which all three share.
void read_place(QueryReader& reader, control::LogPlace& place) {
  std::optional<std::int64_t> attempt;
  reader.opt("task", place.task).opt("attempt", attempt, 0);
  if (attempt) {
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    place.attempt = static_cast<int>(std::min(*attempt, most));
  }
}

}  // namespace

Answer list_job_log_lines(Context& context, Call& call) {
  control::LogLinesQuery query;
  QueryReader reader(call.request);
  read_place(reader, query.place);
  std::optional<std::int64_t> first;
  std::int64_t count = 200;
  std::string at;
  reader.opt("first", first, 1).opt("count", count, 1, 2000).opt("at", at);
  if (first) query.first = static_cast<std::uint64_t>(*first);
  query.count = static_cast<std::uint64_t>(count);
  query.at = read_moment(reader, "at", at);
  TY_CO_DO(reader.done());
  TY_CO_TRY(const control::LogLines answer,
            co_await context.services.logs.lines(
                call.who, std::string(call.request.param("id")), std::move(query)));
  co_return json(200, [&](JsonWriter& out) { write_log_lines(out, answer); });
}

Answer search_job_log(Context& context, Call& call) {
  control::LogSearchQuery query;
  QueryReader reader(call.request);
  read_place(reader, query.place);
  std::optional<std::int64_t> from;
  std::int64_t limit = 100;
  reader.opt("q", query.pattern)
      .opt("ignore_case", query.ignore_case)
      .opt("from", from, 0)
      .opt("limit", limit, 1, 500);
  if (from) query.from = static_cast<std::uint64_t>(*from);
  query.limit = static_cast<std::size_t>(limit);
  if (query.pattern.empty()) reader.wrong("q", say::say_what_to_look_for());
  if (query.pattern.size() > kLongestPattern)
    reader.wrong("q", say::pattern_at_most({.most = kLongestPattern}));
  TY_CO_DO(reader.done());
  TY_CO_TRY(const control::LogHits page,
            co_await context.services.logs.search(
                call.who, std::string(call.request.param("id")), std::move(query)));
  co_return json(200, [&](JsonWriter& out) { write_log_hits(out, page); });
}

std::optional<std::pair<std::uint64_t, std::uint64_t>> parse_byte_range(std::string_view header) {
  if (!header.starts_with("bytes=")) return std::nullopt;
  const std::string_view range = trim(header.substr(6));
  const std::size_t dash = range.find('-');
  if (dash == std::string_view::npos || dash == 0) return std::nullopt;
  constexpr std::uint64_t end = std::numeric_limits<std::int64_t>::max();
  std::uint64_t first = 0;
  std::uint64_t last = end - 1;
  if (!read_number(range.substr(0, dash), first)) return std::nullopt;
  if (dash + 1 < range.size() && !read_number(range.substr(dash + 1), last)) return std::nullopt;
  if (last < first || last >= end) return std::nullopt;
  return std::pair(first, last + 1);
}

}  // namespace ty::api::v1
