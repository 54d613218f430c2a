#include "store/impl/job_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <tuple>

#include "base/encoding.h"
#include "store/impl/handles.h"
#include "store/messages.h"

namespace ty::store {

using model::JobQuery;
using model::JobSort;

namespace {

char letter_of(const JobQuery& query) {
  if (query.sort == JobSort::Name && query.owner) return 'h';
  return "noae"[static_cast<int>(query.sort)];
}

char fold(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

std::optional<std::int64_t> read_number(std::string_view& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

}  // namespace

JobFilter::JobFilter(const model::JobQuery& query) : query_(query), name_part_(query.name_part) {
  std::transform(name_part_.begin(), name_part_.end(), name_part_.begin(), fold);
  for (const model::JobState state : query.states) states_ |= 1u << static_cast<int>(state);
  if (query.states.empty()) states_ = ~0u;
  by_cell_ = query.owner || query.dialect || !query.workspaces.empty() || !query.states.empty();
}

bool JobFilter::wants_workspace(WorkspaceId workspace) const {
  const auto& wanted = query_.workspaces;
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), workspace) != wanted.end();
}

bool JobFilter::wants_name(std::string_view name) const {
  if (name_part_.empty()) return true;
  const auto same = [](char in_name, char wanted) { return fold(in_name) == wanted; };
  return std::search(name.begin(), name.end(), name_part_.begin(), name_part_.end(), same) !=
         name.end();
}

bool JobFilter::wants(const model::Job& job) const {
  return wants_owner(job.owner) && wants_workspace(job.workspace) && wants_dialect(job.dialect) &&
         wants_state(job.life.state) &&
         (!query_.created_from || job.created_at >= *query_.created_from) &&
         (!query_.created_to || job.created_at < *query_.created_to) && wants_name(job.name);
}

namespace {

/// The first seq whose job was created at or after `time`.
Result<std::int64_t> first_created_at_or_after(Tx& tx, Time time) {
  TY_TRY(auto newest, tx.value<std::int64_t>("select seq from jobs order by seq desc limit 1"));
  std::int64_t low = 1;
  std::int64_t high = newest.value_or(0) + 1;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    auto rows = tx.query(
        "select seq, created_at from jobs where seq >= :middle order by seq limit 1", middle);
    if (!rows.next()) {
      TY_DO(rows.status());
      high = middle;
    } else if (rows.get<Time>(1) >= time) {
      high = middle;
    } else {
      low = rows.integer(0) + 1;
    }
  }
  return low;
}

}  // namespace

Result<CreatedRange> created_range(Tx& tx, const JobQuery& query) {
  CreatedRange range;
  if (!query.created_from && !query.created_to) return range;
  TY_TRY(auto jumped,
         tx.value<std::int64_t>("select 1 from meta where name = 'clock_jumped_back'"));
  if (jumped) return range;
  if (query.created_from) {
    TY_TRY(range.low, first_created_at_or_after(tx, *query.created_from));
  }
  if (query.created_to) {
    TY_TRY(const std::int64_t end, first_created_at_or_after(tx, *query.created_to));
    range.high = end - 1;
  }
  return range;
}

std::string write_cursor(const JobQuery& query, const Position& position) {
  std::string cursor = fmt::format("{}{}", letter_of(query), position.tie);
  if (query.sort == JobSort::Ended && position.ended_at) {
    cursor += fmt::format(".{}", *position.ended_at);
  }
  if (query.sort == JobSort::Name) {
    cursor += '.';
    for (const unsigned char c : position.name) cursor += fmt::format("{:02x}", c);
  }
  return cursor;
}

Result<std::optional<Position>> read_cursor(const JobQuery& query) {
  std::string_view cursor = query.cursor;
  if (cursor.empty()) return std::nullopt;
  const auto bad = [] {
    return fail(Errc::Invalid,
                say::wrong_cursor(),
                {{.pointer = "/cursor", .message = say::not_a_cursor(), .code = "cursor"}});
  };
  if (cursor.front() != letter_of(query)) return bad();
  cursor.remove_prefix(1);
  Position position;
  const auto tie = read_number(cursor);
  if (!tie) return bad();
  position.tie = *tie;
  const bool more = cursor.starts_with('.');
  if (more) cursor.remove_prefix(1);
  if (query.sort == JobSort::Name) {
    auto name = more ? from_hex(cursor) : std::nullopt;
    if (!name) return bad();
    position.name = *std::move(name);
    cursor = {};
  } else if (query.sort == JobSort::Ended && more) {
    position.ended_at = read_number(cursor);
    if (!position.ended_at) return bad();
  } else if (more) {
    return bad();
  }
  if (!cursor.empty()) return bad();
  return position;
}

Position position_of(const JobQuery& query, const model::Job& job) {
  Position position{.tie = job.seq.value};
  if (query.sort == JobSort::Name) {
    position.name = job.name;
    if (query.owner) position.tie = handle_number(job.handle, job.name);
  }
  if (query.sort == JobSort::Ended && job.life.ended_at) {
    position.ended_at = to_millis(*job.life.ended_at);
  }
  return position;
}

bool is_after(const JobQuery& query, const Position& a, const Position& b) {
  switch (query.sort) {
    case JobSort::Newest:
      return b.tie < a.tie;
    case JobSort::Oldest:
      return b.tie > a.tie;
    case JobSort::Name:
      return std::tie(b.name, b.tie) > std::tie(a.name, a.tie);
    case JobSort::Ended:
      if (!a.ended_at || !b.ended_at) {
        if (a.ended_at.has_value() != b.ended_at.has_value()) return b.ended_at.has_value();
        return b.tie < a.tie;
      }
      return std::tie(*b.ended_at, b.tie) < std::tie(*a.ended_at, a.tie);
  }
  return false;
}

}  // namespace ty::store
