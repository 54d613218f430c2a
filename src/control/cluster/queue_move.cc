#include "control/cluster/queue_move.h"

#include <boost/json.hpp>

namespace ty::control {

namespace json = boost::json;

std::string moved_to_json(const sched::Place& place, const std::optional<JobId>& before) {
  return json::serialize(
      json::object{{"before", before ? json::value(before->str()) : json::value(nullptr)},
                   {"place",
                    {{"front", place.front},
                     {"priority", place.priority},
                     {"workspace", place.workspace.value},
                     {"queued_at", to_millis(place.queued_at)},
                     {"number", place.number}}}});
}

std::optional<sched::Place> moved_from_json(std::string_view data) try {
  const json::value all = json::parse(json::string_view(data.data(), data.size()));
  const json::object& place = all.at("place").as_object();
  return sched::Place{.front = place.at("front").to_number<std::int64_t>(),
                      .priority = place.at("priority").to_number<std::int64_t>(),
                      .workspace = {place.at("workspace").to_number<std::int64_t>()},
                      .queued_at = from_millis(place.at("queued_at").to_number<std::int64_t>()),
                      .number = place.at("number").to_number<double>()};
} catch (const std::exception&) {
  return std::nullopt;
}

}  // namespace ty::control
