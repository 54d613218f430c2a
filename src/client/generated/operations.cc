#include "client/generated/operations.h"

// Written by tools/gen-client from contract/openapi.yaml; change that, then run make gen-api.
namespace ty::client {

Result<Answer<JobPage>> Operations::list_jobs(const ListJobsOptions& options) {
  Request request("GET", "/api/v1/jobs");
  request.query("state", options.state);
  request.query("owner", options.owner);
  request.query("workspace", options.workspace);
  request.query("name", options.name);
  request.query("label", options.label);
  request.query("dialect", options.dialect);
  request.query("created_from", options.created_from);
  request.query("created_to", options.created_to);
  request.query("sort", options.sort);
  request.query("limit", options.limit);
  request.query("cursor", options.cursor);
  return transport_.fetch<JobPage>(std::move(request));
}

Result<Answer<Submitted>> Operations::submit_job(const Payload& body,
                                                 const SubmitJobOptions& options) {
  Request request("POST", "/api/v1/jobs");
  request.query("dry_run", options.dry_run);
  request.query("format", options.format);
  request.query("param", options.param);
  request.header("Idempotency-Key", options.idempotency_key);
  request.payload(body);
  return transport_.fetch<Submitted>(std::move(request));
}

Result<Answer<JobCounts>> Operations::count_jobs() {
  Request request("GET", "/api/v1/jobs/counts");
  return transport_.fetch<JobCounts>(std::move(request));
}

Result<Answer<Job>> Operations::show_job(std::string_view id) {
  Request request("GET", "/api/v1/jobs/", id);
  return transport_.fetch<Job>(std::move(request));
}

Result<void> Operations::delete_job(std::string_view id, const DeleteJobOptions& options) {
  Request request("DELETE", "/api/v1/jobs/", id);
  request.query("force", options.force);
  return transport_.send(std::move(request));
}

Result<Answer<JobSummary>> Operations::stop_job(std::string_view id) {
  Request request("POST", "/api/v1/jobs/", id, "/stop");
  return transport_.fetch<JobSummary>(std::move(request));
}

Result<Answer<JobSummary>> Operations::pause_job(std::string_view id) {
  Request request("POST", "/api/v1/jobs/", id, "/pause");
  return transport_.fetch<JobSummary>(std::move(request));
}

Result<Answer<JobSummary>> Operations::resume_job(std::string_view id) {
  Request request("POST", "/api/v1/jobs/", id, "/resume");
  return transport_.fetch<JobSummary>(std::move(request));
}

Result<Answer<JobSummary>> Operations::move_job(std::string_view id, const MoveJobFields& body) {
  Request request("POST", "/api/v1/jobs/", id, "/move");
  request.json(to_json(body));
  return transport_.fetch<JobSummary>(std::move(request));
}

Result<Answer<JobSummary>> Operations::set_job_limit(std::string_view id,
                                                     const SetJobLimitFields& body) {
  Request request("POST", "/api/v1/jobs/", id, "/limit");
  request.json(to_json(body));
  return transport_.fetch<JobSummary>(std::move(request));
}

Result<Answer<Submitted>> Operations::clone_job(std::string_view id, const CloneJobFields& body) {
  Request request("POST", "/api/v1/jobs/", id, "/clone");
  request.json(to_json(body));
  return transport_.fetch<Submitted>(std::move(request));
}

Result<Answer<Submitted>> Operations::retry_job(std::string_view id) {
  Request request("POST", "/api/v1/jobs/", id, "/retry");
  return transport_.fetch<Submitted>(std::move(request));
}

Result<void> Operations::read_job_logs(std::string_view id,
                                       const Piece& piece,
                                       const ReadJobLogsOptions& options) {
  Request request("GET", "/api/v1/jobs/", id, "/logs");
  request.query("task", options.task);
  request.query("attempt", options.attempt);
  request.query("merged", options.merged);
  request.query("follow", options.follow);
  request.query("tail", options.tail);
  request.query("lines", options.lines);
  request.query("since", options.since);
  request.query("until", options.until);
  request.query("grep", options.grep);
  request.query("ignore_case", options.ignore_case);
  request.query("download", options.download);
  request.header("Range", options.range);
  return transport_.stream(std::move(request), piece);
}

Result<Answer<LogLines>> Operations::list_job_log_lines(std::string_view id,
                                                        const ListJobLogLinesOptions& options) {
  Request request("GET", "/api/v1/jobs/", id, "/logs/lines");
  request.query("task", options.task);
  request.query("attempt", options.attempt);
  request.query("first", options.first);
  request.query("at", options.at);
  request.query("count", options.count);
  return transport_.fetch<LogLines>(std::move(request));
}

Result<Answer<LogHits>> Operations::search_job_log(std::string_view id,
                                                   const SearchJobLogOptions& options) {
  Request request("GET", "/api/v1/jobs/", id, "/logs/search");
  request.query("q", options.q);
  request.query("ignore_case", options.ignore_case);
  request.query("task", options.task);
  request.query("attempt", options.attempt);
  request.query("from", options.from);
  request.query("limit", options.limit);
  return transport_.fetch<LogHits>(std::move(request));
}

Result<Answer<EventPage>> Operations::list_job_events(std::string_view id,
                                                      const ListJobEventsOptions& options) {
  Request request("GET", "/api/v1/jobs/", id, "/events");
  request.query("after", options.after);
  request.query("limit", options.limit);
  return transport_.fetch<EventPage>(std::move(request));
}

Result<std::string> Operations::show_job_spec(std::string_view id,
                                              const ShowJobSpecOptions& options) {
  Request request("GET", "/api/v1/jobs/", id, "/spec");
  request.query("format", options.format);
  return transport_.text(std::move(request));
}

Result<Answer<TryList>> Operations::list_job_tries(std::string_view id) {
  Request request("GET", "/api/v1/jobs/", id, "/tasks");
  return transport_.fetch<TryList>(std::move(request));
}

Result<Answer<AttemptList>> Operations::list_job_attempts(std::string_view id) {
  Request request("GET", "/api/v1/jobs/", id, "/attempts");
  return transport_.fetch<AttemptList>(std::move(request));
}

Result<Answer<JobMetrics>> Operations::show_job_metrics(std::string_view id,
                                                        const ShowJobMetricsOptions& options) {
  Request request("GET", "/api/v1/jobs/", id, "/metrics");
  request.query("task", options.task);
  request.query("attempt", options.attempt);
  request.query("since", options.since);
  request.query("points", options.points);
  return transport_.fetch<JobMetrics>(std::move(request));
}

Result<Answer<Why>> Operations::explain_job(std::string_view id) {
  Request request("GET", "/api/v1/jobs/", id, "/why");
  return transport_.fetch<Why>(std::move(request));
}

Result<Answer<Checked>> Operations::check_job_file(std::string_view body,
                                                   const CheckJobFileOptions& options) {
  Request request("POST", "/api/v1/check");
  request.query("format", options.format);
  request.query("param", options.param);
  request.text(body);
  return transport_.fetch<Checked>(std::move(request));
}

Result<Answer<Converted>> Operations::convert_job_file(std::string_view body,
                                                       const ConvertJobFileOptions& options) {
  Request request("POST", "/api/v1/convert");
  request.query("to", options.to);
  request.query("lossy", options.lossy);
  request.query("format", options.format);
  request.query("param", options.param);
  request.text(body);
  return transport_.fetch<Converted>(std::move(request));
}

Result<void> Operations::follow_events(const Piece& piece, const FollowEventsOptions& options) {
  Request request("GET", "/api/v1/events");
  request.query("job", options.job);
  request.query("after", options.after);
  request.header("Last-Event-ID", options.last_event_id);
  return transport_.stream(std::move(request), piece);
}

Result<Answer<NodeList>> Operations::list_nodes() {
  Request request("GET", "/api/v1/nodes");
  return transport_.fetch<NodeList>(std::move(request));
}

Result<void> Operations::set_node_draining(std::string_view name,
                                           const SetNodeDrainingFields& body) {
  Request request("PUT", "/api/v1/nodes/", name, "/draining");
  request.json(to_json(body));
  return transport_.send(std::move(request));
}

Result<Answer<Scheduling>> Operations::show_scheduling() {
  Request request("GET", "/api/v1/scheduling");
  return transport_.fetch<Scheduling>(std::move(request));
}

Result<Answer<Scheduling>> Operations::set_scheduling(const boost::json::value& body) {
  Request request("PUT", "/api/v1/scheduling");
  request.json(body);
  return transport_.fetch<Scheduling>(std::move(request));
}

Result<Answer<Queue>> Operations::list_queue(const ListQueueOptions& options) {
  Request request("GET", "/api/v1/queue");
  request.query("offset", options.offset);
  request.query("limit", options.limit);
  return transport_.fetch<Queue>(std::move(request));
}

Result<Answer<SignedIn>> Operations::sign_in(const SignInFields& body) {
  Request request("POST", "/api/v1/login");
  request.json(to_json(body));
  return transport_.fetch<SignedIn>(std::move(request));
}

Result<void> Operations::sign_out() {
  Request request("POST", "/api/v1/logout");
  return transport_.send(std::move(request));
}

Result<void> Operations::change_password(const ChangePasswordFields& body) {
  Request request("POST", "/api/v1/password");
  request.json(to_json(body));
  return transport_.send(std::move(request));
}

Result<Answer<Me>> Operations::show_me() {
  Request request("GET", "/api/v1/users/me");
  return transport_.fetch<Me>(std::move(request));
}

Result<Answer<TokenList>> Operations::list_tokens() {
  Request request("GET", "/api/v1/tokens");
  return transport_.fetch<TokenList>(std::move(request));
}

Result<Answer<NewToken>> Operations::create_token(const CreateTokenFields& body) {
  Request request("POST", "/api/v1/tokens");
  request.json(to_json(body));
  return transport_.fetch<NewToken>(std::move(request));
}

Result<void> Operations::delete_token(std::int64_t token) {
  Request request("DELETE", "/api/v1/tokens/", token);
  return transport_.send(std::move(request));
}

Result<Answer<RegistryList>> Operations::list_registries() {
  Request request("GET", "/api/v1/registries");
  return transport_.fetch<RegistryList>(std::move(request));
}

Result<void> Operations::set_registry(std::string_view server, const SetRegistryFields& body) {
  Request request("PUT", "/api/v1/registries/", server);
  request.json(to_json(body));
  return transport_.send(std::move(request));
}

Result<void> Operations::delete_registry(std::string_view server,
                                         const DeleteRegistryOptions& options) {
  Request request("DELETE", "/api/v1/registries/", server);
  request.query("workspace", options.workspace);
  return transport_.send(std::move(request));
}

Result<Answer<UserList>> Operations::list_users() {
  Request request("GET", "/api/v1/users");
  return transport_.fetch<UserList>(std::move(request));
}

Result<Answer<NewUser>> Operations::create_user(const CreateUserFields& body) {
  Request request("POST", "/api/v1/users");
  request.json(to_json(body));
  return transport_.fetch<NewUser>(std::move(request));
}

Result<void> Operations::set_user_disabled(std::string_view name,
                                           const SetUserDisabledFields& body) {
  Request request("PUT", "/api/v1/users/", name, "/disabled");
  request.json(to_json(body));
  return transport_.send(std::move(request));
}

Result<Answer<SignInLink>> Operations::make_sign_in_link(std::string_view name) {
  Request request("POST", "/api/v1/users/", name, "/link");
  return transport_.fetch<SignInLink>(std::move(request));
}

Result<Answer<WorkspaceList>> Operations::list_workspaces() {
  Request request("GET", "/api/v1/workspaces");
  return transport_.fetch<WorkspaceList>(std::move(request));
}

Result<Answer<Workspace>> Operations::create_workspace(const CreateWorkspaceFields& body) {
  Request request("POST", "/api/v1/workspaces");
  request.json(to_json(body));
  return transport_.fetch<Workspace>(std::move(request));
}

Result<void> Operations::delete_workspace(std::string_view name) {
  Request request("DELETE", "/api/v1/workspaces/", name);
  return transport_.send(std::move(request));
}

Result<void> Operations::set_workspace_member(std::string_view name,
                                              std::string_view user,
                                              const SetWorkspaceMemberFields& body) {
  Request request("PUT", "/api/v1/workspaces/", name, "/members/", user);
  request.json(to_json(body));
  return transport_.send(std::move(request));
}

Result<void> Operations::remove_workspace_member(std::string_view name, std::string_view user) {
  Request request("DELETE", "/api/v1/workspaces/", name, "/members/", user);
  return transport_.send(std::move(request));
}

Result<Answer<Version>> Operations::show_version() {
  Request request("GET", "/api/v1/version");
  return transport_.fetch<Version>(std::move(request));
}

}  // namespace ty::client
