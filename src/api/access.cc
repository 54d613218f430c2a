#include "api/access.h"

#include <fmt/format.h>

namespace ty::api {

namespace {

using net::Method;
using enum Caller;
using enum auth::Scope;

constexpr Operation kOperations[] = {
    {"list_jobs", Method::Get, "/api/v1/jobs", SignedIn, Read},
    {"submit_job", Method::Post, "/api/v1/jobs", SignedIn, Write},
    {"count_jobs", Method::Get, "/api/v1/jobs/counts", SignedIn, Read},
    {"show_job", Method::Get, "/api/v1/jobs/{id}", SignedIn, Read},
    {"delete_job", Method::Delete, "/api/v1/jobs/{id}", JobOwner, Write},
    {"stop_job", Method::Post, "/api/v1/jobs/{id}/stop", JobOwner, Write},
    {"pause_job", Method::Post, "/api/v1/jobs/{id}/pause", JobOwner, Write},
    {"resume_job", Method::Post, "/api/v1/jobs/{id}/resume", JobOwner, Write},
    {"set_job_limit", Method::Post, "/api/v1/jobs/{id}/limit", JobOwner, Write},
    {"clone_job", Method::Post, "/api/v1/jobs/{id}/clone", SignedIn, Write},
    {"retry_job", Method::Post, "/api/v1/jobs/{id}/retry", SignedIn, Write},
    {"read_job_logs", Method::Get, "/api/v1/jobs/{id}/logs", SignedIn, Read},
    {"list_job_events", Method::Get, "/api/v1/jobs/{id}/events", SignedIn, Read},
    {"show_job_spec", Method::Get, "/api/v1/jobs/{id}/spec", SignedIn, Read},
    {"list_job_tries", Method::Get, "/api/v1/jobs/{id}/tasks", SignedIn, Read},
    {"list_job_attempts", Method::Get, "/api/v1/jobs/{id}/attempts", SignedIn, Read},
    {"explain_job", Method::Get, "/api/v1/jobs/{id}/why", SignedIn, Read},
    {"check_job_file", Method::Post, "/api/v1/check", SignedIn, Read},
    {"follow_events", Method::Get, "/api/v1/events", SignedIn, Read},
    {"list_nodes", Method::Get, "/api/v1/nodes", SignedIn, Read},
    {"list_queue", Method::Get, "/api/v1/queue", SignedIn, Read},
    {"sign_in", Method::Post, "/api/v1/login", Anyone, Read},
    {"sign_out", Method::Post, "/api/v1/logout", SignedIn, Read},
    {"change_password", Method::Post, "/api/v1/password", SignedIn, Write},
    {"show_me", Method::Get, "/api/v1/users/me", SignedIn, Read},
    {"list_tokens", Method::Get, "/api/v1/tokens", SignedIn, Write},
    {"create_token", Method::Post, "/api/v1/tokens", SignedIn, Write},
    {"delete_token", Method::Delete, "/api/v1/tokens/{token}", SignedIn, Write},
    {"list_users", Method::Get, "/api/v1/users", Administrator, Admin},
    {"create_user", Method::Post, "/api/v1/users", Administrator, Admin},
    {"set_user_disabled", Method::Put, "/api/v1/users/{name}/disabled", Administrator, Admin},
    {"make_sign_in_link", Method::Post, "/api/v1/users/{name}/link", Administrator, Admin},
    {"list_workspaces", Method::Get, "/api/v1/workspaces", SignedIn, Read},
    {"show_version", Method::Get, "/api/v1/version", Anyone, Read},
    {"show_contract", Method::Get, "/api/openapi.yaml", Anyone, Read},
    {"show_job_schema", Method::Get, "/schema/job.v1.json", Anyone, Read},
    {"check_alive", Method::Get, "/healthz", Anyone, Read},
    {"check_ready", Method::Get, "/readyz", Anyone, Read},
    {"show_metrics", Method::Get, "/metrics", SignedIn, Read},
    {"show_page", Method::Get, "/", Anyone, Read},
    {"show_sign_in", Method::Get, "/signin", Anyone, Read},
};

}  // namespace

std::span<const Operation> operations() { return kOperations; }

Result<void> may_call(const Operation& operation, const auth::Principal& who) {
  if (operation.caller == Anyone) return {};
  if (operation.caller == Administrator && !who.administrator)
    return fail(Errc::Forbidden, "only administrators may do this");
  if (!who.scopes.has(operation.scope)) {
    return fail(Errc::Forbidden,
                fmt::format("this token allows {}; {} needs the scope {}",
                            who.scopes.str(),
                            operation.id,
                            auth::to_word(operation.scope)));
  }
  return {};
}

}  // namespace ty::api
