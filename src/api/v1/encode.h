#pragma once
#include <string>
#include <string_view>

#include "api/json_writer.h"
#include "control/jobs/job_service.h"
#include "control/logs/log_service.h"
#include "control/registries/registry_service.h"
#include "net/http.h"

/// From our nouns to the contract's: one function per schema of contract/openapi.yaml. Each writes
/// one JSON value.
namespace ty::api {

/// `waiting_for`: why it waits, where the caller asked the scheduler.
void write_summary(JsonWriter& out, const model::Job& job, std::string_view waiting_for = {});
void write_job(JsonWriter& out, const control::JobView& view);
void write_try(JsonWriter& out, const model::JobSpec& spec, int attempt, const model::Task& task);
void write_attempt(JsonWriter& out, const store::Attempt& attempt);
void write_event(JsonWriter& out, const model::Event& event);
void write_log_lines(JsonWriter& out, const control::LogLines& lines);
void write_log_hits(JsonWriter& out, const telemetry::SearchPage& page);
void write_why(JsonWriter& out, const control::Why& why);
void write_submitted(JsonWriter& out, const std::vector<control::Submitted>& jobs);
void write_issue(JsonWriter& out, const jobspec::Issue& issue);
void write_node(JsonWriter& out, const control::NodeView& node);
void write_user(JsonWriter& out, const model::User& user, const std::string* link = nullptr);
void write_registry(JsonWriter& out, const control::RegistryService::Shown& login);
void write_token(JsonWriter& out, const model::Token& token, const Secret* text = nullptr);

/// `worker-1`
std::string task_name(const model::JobSpec& spec, model::TaskRef task);
std::string_view role_word(model::WorkspaceRole role);

/// A whole answer of one value: `json(200, [&](JsonWriter& out) { write_summary(out, job); })`.
template <class Write>
net::Response json(int status, Write write) {
  JsonWriter out;
  write(out);
  return net::json_response(status, std::move(out).finish());
}

}  // namespace ty::api
