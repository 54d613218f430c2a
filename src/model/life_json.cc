#include "model/life_json.h"

#include "model/impl/life_fields.h"

namespace ty::model {

std::string to_json(const Placement& placement) { return json_fields::print(placement); }
std::string to_json(const Ending& ending) { return json_fields::print(ending); }
std::string to_json(const Decision& decision) { return json_fields::print(decision); }
std::string to_json(const RetryCount& retries) { return json_fields::print(retries); }

Result<Placement> placement_from_json(std::string_view text) {
  return json_fields::parse<Placement>(text, "placement");
}
Result<Ending> ending_from_json(std::string_view text) {
  return json_fields::parse<Ending>(text, "ending");
}
Result<Decision> decision_from_json(std::string_view text) {
  return json_fields::parse<Decision>(text, "decision");
}
Result<RetryCount> retry_count_from_json(std::string_view text) {
  return json_fields::parse<RetryCount>(text, "retry count");
}

}  // namespace ty::model
