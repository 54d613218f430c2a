#include "api/access.h"

#include <fmt/format.h>

namespace ty::api {

namespace {

using net::Method;
using enum Caller;
using enum auth::Scope;

constexpr Operation kOperations[] = {
    {"list_jobs", "/api/v1/jobs", Method::Get, SignedIn, Read},
    {"submit_job", "/api/v1/jobs", Method::Post, SignedIn, Write},
    {"count_jobs", "/api/v1/jobs/counts", Method::Get, SignedIn, Read},
    {"show_job", "/api/v1/jobs/{id}", Method::Get, SignedIn, Read},
    {"delete_job", "/api/v1/jobs/{id}", Method::Delete, JobOwner, Write},
    {"stop_job", "/api/v1/jobs/{id}/stop", Method::Post, JobOwner, Write},
    {"pause_job", "/api/v1/jobs/{id}/pause", Method::Post, JobOwner, Write},
    {"resume_job", "/api/v1/jobs/{id}/resume", Method::Post, JobOwner, Write},
    {"move_job", "/api/v1/jobs/{id}/move", Method::Post, Administrator, Admin},
    {"set_job_limit", "/api/v1/jobs/{id}/limit", Method::Post, JobOwner, Write},
    {"clone_job", "/api/v1/jobs/{id}/clone", Method::Post, SignedIn, Write},
    {"retry_job", "/api/v1/jobs/{id}/retry", Method::Post, SignedIn, Write},
    {"read_job_logs", "/api/v1/jobs/{id}/logs", Method::Get, SignedIn, Read},
    {"list_job_log_lines", "/api/v1/jobs/{id}/logs/lines", Method::Get, SignedIn, Read},
    {"search_job_log", "/api/v1/jobs/{id}/logs/search", Method::Get, SignedIn, Read},
    {"show_job_metrics", "/api/v1/jobs/{id}/metrics", Method::Get, SignedIn, Read},
    {"list_job_events", "/api/v1/jobs/{id}/events", Method::Get, SignedIn, Read},
    {"show_job_spec", "/api/v1/jobs/{id}/spec", Method::Get, SignedIn, Read},
    {"list_job_tries", "/api/v1/jobs/{id}/tasks", Method::Get, SignedIn, Read},
    {"list_job_attempts", "/api/v1/jobs/{id}/attempts", Method::Get, SignedIn, Read},
    {"explain_job", "/api/v1/jobs/{id}/why", Method::Get, SignedIn, Read},
    {"check_job_file", "/api/v1/check", Method::Post, SignedIn, Read},
    {"convert_job_file", "/api/v1/convert", Method::Post, SignedIn, Read},
    {"follow_events", "/api/v1/events", Method::Get, SignedIn, Read},
    {"list_nodes", "/api/v1/nodes", Method::Get, SignedIn, Read},
    {"set_node_draining", "/api/v1/nodes/{name}/draining", Method::Put, Administrator, Admin},
    {"list_queue", "/api/v1/queue", Method::Get, SignedIn, Read},
    {"show_scheduling", "/api/v1/scheduling", Method::Get, SignedIn, Read},
    {"set_scheduling", "/api/v1/scheduling", Method::Put, Administrator, Admin},
    {"sign_in", "/api/v1/login", Method::Post, Anyone, Read},
    {"sign_out", "/api/v1/logout", Method::Post, SignedIn, Read},
    {"change_password", "/api/v1/password", Method::Post, SignedIn, Write},
    {"show_me", "/api/v1/users/me", Method::Get, SignedIn, Read},
    {"list_tokens", "/api/v1/tokens", Method::Get, SignedIn, Write},
    {"create_token", "/api/v1/tokens", Method::Post, SignedIn, Write},
    {"delete_token", "/api/v1/tokens/{token}", Method::Delete, SignedIn, Write},
    {"list_registries", "/api/v1/registries", Method::Get, SignedIn, Write},
    {"set_registry", "/api/v1/registries/{server}", Method::Put, SignedIn, Write},
    {"delete_registry", "/api/v1/registries/{server}", Method::Delete, SignedIn, Write},
    {"list_users", "/api/v1/users", Method::Get, Administrator, Admin},
    {"create_user", "/api/v1/users", Method::Post, Administrator, Admin},
    {"set_user_disabled", "/api/v1/users/{name}/disabled", Method::Put, Administrator, Admin},
    {"make_sign_in_link", "/api/v1/users/{name}/link", Method::Post, Administrator, Admin},
    {"list_workspaces", "/api/v1/workspaces", Method::Get, SignedIn, Read},
    {"create_workspace", "/api/v1/workspaces", Method::Post, Administrator, Admin},
    {"delete_workspace", "/api/v1/workspaces/{name}", Method::Delete, Administrator, Admin},
    {"set_workspace_member",
     "/api/v1/workspaces/{name}/members/{user}",
     Method::Put,
     SignedIn,
     Write},
    {"remove_workspace_member",
     "/api/v1/workspaces/{name}/members/{user}",
     Method::Delete,
     SignedIn,
     Write},
    {"show_version", "/api/v1/version", Method::Get, Anyone, Read},
    {"show_contract", "/api/openapi.yaml", Method::Get, Anyone, Read},
    {"show_job_schema", "/schema/job.v1.json", Method::Get, Anyone, Read},
    {"show_format_schema", "/schema/{file}", Method::Get, Anyone, Read},
    {"check_alive", "/healthz", Method::Get, Anyone, Read},
    {"check_ready", "/readyz", Method::Get, Anyone, Read},
    {"show_metrics", "/metrics", Method::Get, SignedIn, Read},
    {"show_page", "/", Method::Get, Anyone, Read},
    {"show_sign_in", "/signin", Method::Get, Anyone, Read},
    {"show_asset", "/assets/{file}", Method::Get, Anyone, Read},
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
