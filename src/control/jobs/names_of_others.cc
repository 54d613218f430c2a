#include "control/jobs/names_of_others.h"

#include <algorithm>
#include <utility>

#include "control/messages.h"

namespace ty::control {

namespace {

// Messages that name one job carry its id beside the name, those that name several a list of each.
constexpr std::string_view kJob = "job";
constexpr std::string_view kJobId = "job_id";
constexpr std::string_view kJobs = "jobs";
constexpr std::string_view kJobIds = "job_ids";

Param* param(Message& message, std::string_view name) {
  const auto at = std::ranges::find(message.params, name, &Param::name);
  return at == message.params.end() ? nullptr : &*at;
}

void erase_param(Message& message, std::string_view name) {
  std::erase_if(message.params, [&](const Param& one) { return one.name == name; });
}

void set_param(Message& message, std::string_view name, Value value) {
  if (Param* found = param(message, name)) found->value = std::move(value);
}

template <class T>
const T* value_of(const Message& message, std::string_view name) {
  const Value* found = message.find(name);
  return found == nullptr ? nullptr : std::get_if<T>(&found->any());
}

void visit(const Message& message, const std::function<void(const Message&)>& look) {
  look(message);
  for (const Param& one : message.params) {
    if (const auto* inner = std::get_if<Value::Messages>(&one.value.any())) {
      for (const Message& part : *inner) visit(part, look);
    }
  }
}

void hide_one(Message& message, const MaySee& may_see) {
  const auto* id = value_of<std::string>(message, kJobId);
  if (id == nullptr || may_see(JobId(*id))) return;
  erase_param(message, kJobId);
  set_param(message, kJob, say::job_of_others());
}

void hide_some(Message& message, const MaySee& may_see) {
  const auto* ids = value_of<Value::Texts>(message, kJobIds);
  const auto* names = value_of<Value::Texts>(message, kJobs);
  if (ids == nullptr) return;
  Value::Texts seen_ids, seen_names;
  for (std::size_t i = 0; i < ids->size(); ++i) {
    if (!may_see(JobId((*ids)[i]))) continue;
    seen_ids.push_back((*ids)[i]);
    if (names != nullptr && i < names->size()) seen_names.push_back((*names)[i]);
  }
  const std::size_t hidden = ids->size() - seen_ids.size();
  if (hidden == 0) return;
  Message told = seen_names.empty()
                     ? say::jobs_of_others({.count = hidden})
                     : say::and_jobs_of_others({.jobs = std::move(seen_names), .count = hidden});
  set_param(message, kJobs, std::move(told));
  if (seen_ids.empty())
    erase_param(message, kJobIds);
  else
    set_param(message, kJobIds, std::move(seen_ids));
}

}  // namespace

std::vector<JobId> jobs_named_in(const std::vector<Message>& messages) {
  std::vector<JobId> found;
  const auto look = [&](const Message& message) {
    if (const auto* id = value_of<std::string>(message, kJobId)) found.emplace_back(*id);
    if (const auto* ids = value_of<Value::Texts>(message, kJobIds)) {
      for (const std::string& id : *ids) found.emplace_back(id);
    }
  };
  for (const Message& message : messages) visit(message, look);
  std::ranges::sort(found);
  const auto twice = std::ranges::unique(found);
  found.erase(twice.begin(), twice.end());
  return found;
}

Message without_names_of_others(Message message, const MaySee& may_see) {
  hide_one(message, may_see);
  hide_some(message, may_see);
  for (Param& one : message.params) {
    const auto* inner = std::get_if<Value::Messages>(&one.value.any());
    if (inner == nullptr) continue;
    Value::Messages parts;
    for (const Message& part : *inner) parts.push_back(without_names_of_others(part, may_see));
    one.value = Value(std::move(parts));
  }
  return message;
}

Forecast without_names_of_others(Forecast forecast, const MaySee& may_see) {
  for (Message& reason : forecast.reasons)
    reason = without_names_of_others(std::move(reason), may_see);
  forecast.change = without_names_of_others(std::move(forecast.change), may_see);
  return forecast;
}

Message preempted_for_others(Message why) {
  // It names the other workspace too.
  if (why.find("workspace") != nullptr) return say::gave_back_guarantee_of_others();
  erase_param(why, kJobId);
  set_param(why, kJob, say::job_of_others());
  return why;
}

}  // namespace ty::control
