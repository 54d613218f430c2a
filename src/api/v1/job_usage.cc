#include <algorithm>
#include <limits>

#include "api/context.h"
#include "api/query_reader.h"
#include "api/v1/encode.h"

/// GET /jobs/{id}/metrics
namespace ty::api {

namespace asio = boost::asio;

namespace {

void write_point(JsonWriter& out, const telemetry::UsagePoint& point) {
  const model::TaskUsage& usage = point.usage;
  std::optional<double> cpu_seconds;
  if (usage.cpu_us) cpu_seconds = static_cast<double>(*usage.cpu_us) / 1e6;
  out.object()
      .field("at", usage.at)
      .field("cpus", point.cpus)
      .field("cpu_seconds", cpu_seconds)
      .field("memory", usage.memory)
      .field("memory_peak", usage.memory_peak)
      .field("processes", usage.processes)
      .field("disk_read", usage.disk_read)
      .field("disk_written", usage.disk_written)
      .field("network_received", usage.network_received)
      .field("network_sent", usage.network_sent)
      .key("gpus")
      .array();
  for (const model::GpuUsage& gpu : usage.gpus) {
    out.object()
        .field("index", gpu.index)
        .field("load_percent", gpu.load_percent)
        .field("memory_used", gpu.memory_used)
        .end_object();
  }
  out.end_array().end_object();
}

void write_task(JsonWriter& out, const control::TaskUsageView& view) {
  out.object()
      .field("task", view.task)
      .field("attempt", view.key.attempt)
      .field("try", view.key.tries)
      .field("cpus", static_cast<double>(view.limits.cpu_milli) / 1000)
      .field("memory", view.limits.memory)
      .key("latest");
  view.latest ? write_point(out, *view.latest) : void(out.null());
  out.key("points").array();
  for (const telemetry::UsagePoint& point : view.points) write_point(out, point);
  out.end_array().end_object();
}

asio::awaitable<Result<net::Response>> show_job_metrics(Context& context, Call& call) {
  control::UsageQuery query;
  std::optional<std::int64_t> attempt;
  std::int64_t points = 0;
  TY_CO_DO(QueryReader(call.request)
               .opt("task", query.task)
               .opt("attempt", attempt, 0)
               .opt("since", query.since)
               .opt("points", points, 0, 1000)
               .done());
  if (attempt) {
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    query.attempt = static_cast<int>(std::min(*attempt, most));
  }
  query.points = static_cast<std::size_t>(points);
  std::string job(call.request.param("id"));
  TY_CO_TRY(const std::vector<control::TaskUsageView> views,
            co_await context.services.usage.of_job(call.who, std::move(job), std::move(query)));
  co_return json(200, [&](JsonWriter& out) {
    out.object().key("tasks").array();
    for (const control::TaskUsageView& view : views) write_task(out, view);
    out.end_array().end_object();
  });
}

constexpr Binding kBindings[] = {{"show_job_metrics", show_job_metrics}};

}  // namespace

std::span<const Binding> job_usage_bindings() { return kBindings; }

}  // namespace ty::api
