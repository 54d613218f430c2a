#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "base/text.h"
#include "sched/messages.h"
#include "sched/replay.h"

namespace ty::sched {
namespace {

Result<Time> read_time(std::string_view text) {
  std::string rfc(text);
  if (rfc.size() != 19 || rfc[10] != ' ') return fail(Errc::Invalid, say::trace_time());
  rfc[10] = 'T';
  return parse_rfc3339(rfc + "Z");
}

Result<double> read_number(std::string_view text) {
  double value = 0;
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) {
    return fail(Errc::Invalid, say::trace_number({.value = shorten(text)}));
  }
  return value;
}

struct Columns {
  int timestamp = -1, duration = -1, gpus = -1, tenant = -1;
};

Result<Columns> read_header(std::string_view line) {
  Columns c;
  int i = 0;
  for (const auto& name : split(line, ',')) {
    if (name == "timestamp") c.timestamp = i;
    if (name == "duration") c.duration = i;
    if (name == "num_gpus") c.gpus = i;
    if (name == "cluster") c.tenant = i;
    ++i;
  }
  if (c.timestamp < 0 || c.duration < 0 || c.gpus < 0) {
    return fail(Errc::Invalid, say::trace_columns());
  }
  return c;
}

}  // namespace

Result<Trace> read_trace(std::string_view csv) {
  Trace trace;
  std::map<std::string, int> tenants;
  Columns columns;
  int number = 0;
  while (!csv.empty()) {
    const auto end = csv.find('\n');
    auto line = trim(csv.substr(0, end));
    csv.remove_prefix(end == std::string_view::npos ? csv.size() : end + 1);
    ++number;
    if (line.empty()) continue;
    const Message context = say::trace_line({.number = number});
    if (columns.timestamp < 0) {
      auto header = read_header(line);
      if (!header) return std::unexpected(std::move(header.error()).with_context(context));
      columns = *header;
      continue;
    }
    const auto fields = split(line, ',');
    const auto field = [&](int i) -> std::string_view {
      return i >= 0 && i < static_cast<int>(fields.size()) ? std::string_view(fields[i])
                                                           : std::string_view();
    };
    auto time = read_time(field(columns.timestamp));
    if (!time) return std::unexpected(std::move(time.error()).with_context(context));
    auto seconds = read_number(field(columns.duration));
    if (!seconds) return std::unexpected(std::move(seconds.error()).with_context(context));
    auto gpus = read_number(field(columns.gpus));
    if (!gpus) return std::unexpected(std::move(gpus.error()).with_context(context));
    if (*seconds < 0 || *gpus < 0 || *gpus > 100'000) {
      return fail(Errc::Invalid, within(context, say::trace_range()));
    }
    const std::string tenant(field(columns.tenant));
    auto [known, is_new] = tenants.try_emplace(tenant, static_cast<int>(trace.tenants.size()));
    if (is_new) trace.tenants.push_back(tenant);
    trace.jobs.push_back(
        {*time,
         std::max(Millis(1000), Millis(static_cast<std::int64_t>(*seconds * 1000))),
         static_cast<int>(*gpus),
         known->second});
  }
  if (trace.jobs.empty()) return fail(Errc::Invalid, say::trace_empty());
  std::vector<std::size_t> order(trace.jobs.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(
      order, {}, [&](std::size_t i) { return std::pair(trace.jobs[i].submitted, i); });
  std::vector<TraceJob> sorted;
  sorted.reserve(order.size());
  for (auto i : order) sorted.push_back(trace.jobs[i]);
  trace.jobs = std::move(sorted);
  return trace;
}

}  // namespace ty::sched
