#pragma once
// Written by tools/gen-client from contract/openapi.yaml; change that, then run make gen-api.
#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/generated/records.h"
#include "client/transport.h"

namespace ty::client {

struct ListJobsOptions {
  /// Repeat or separate by commas for several
  std::optional<std::string> state;
  /// A user's name, or me
  std::optional<std::string> owner;
  std::optional<std::string> workspace;
  /// Part of the name; capitals do not count
  std::optional<std::string> name;
  /// KEY or KEY=VALUE
  std::optional<std::string> label;
  std::optional<std::string> dialect;
  std::optional<std::string> created_from;
  std::optional<std::string> created_to;
  std::optional<std::string> sort;
  std::optional<std::int64_t> limit;
  /// next_cursor of the page before
  std::optional<std::string> cursor;
};

struct SubmitJobOptions {
  /// Only check and say when it would start; nothing is stored
  std::optional<bool> dry_run;
  /// The file's dialect; found out when absent
  std::optional<std::string> format;
  /// NAME=VALUE for ${{ NAME }}; may be repeated
  std::vector<std::string> param;
  /// The same key and body again answer the same job
  std::optional<std::string> idempotency_key;
};

struct DeleteJobOptions {
  /// Stop it first if it has not ended
  std::optional<bool> force;
};

struct ReadJobLogsOptions {
  /// worker-1, or a role with one task
  std::optional<std::string> task;
  /// From 0; the last one when absent
  std::optional<std::int64_t> attempt;
  std::optional<bool> merged;
  /// Go on until the job has ended
  std::optional<bool> follow;
  /// The last so many lines
  std::optional<std::int64_t> tail;
  /// A-B, counted from 1
  std::optional<std::string> lines;
  /// A time, or a duration before now (10m)
  std::optional<std::string> since;
  std::optional<std::string> until;
  /// Only lines that match this RE2 expression
  std::optional<std::string> grep;
  std::optional<bool> ignore_case;
  /// Offer it as a file
  std::optional<bool> download;
  /// bytes=A-B, of one task's log
  std::optional<std::string> range;
};

struct ListJobLogLinesOptions {
  /// worker-1, or a role with one task
  std::optional<std::string> task;
  /// From 0; the last one when absent
  std::optional<std::int64_t> attempt;
  /// Counted from 1
  std::optional<std::int64_t> first;
  /// A time, or a duration before now (10m)
  std::optional<std::string> at;
  std::optional<std::int64_t> count;
};

struct SearchJobLogOptions {
  /// An RE2 expression
  std::string q;
  std::optional<bool> ignore_case;
  /// worker-1, or a role with one task
  std::optional<std::string> task;
  /// From 0; the last one when absent
  std::optional<std::int64_t> attempt;
  /// next of the page before
  std::optional<std::int64_t> from;
  std::optional<std::int64_t> limit;
};

struct ListJobEventsOptions {
  /// Only events after this id
  std::optional<std::int64_t> after;
  std::optional<std::int64_t> limit;
};

struct ShowJobSpecOptions {
  /// original: as it was handed in; native: as YAML; json: what it means
  std::optional<std::string> format;
};

struct ShowJobMetricsOptions {
  /// `worker-1`, or a role's name when it has one task
  std::optional<std::string> task;
  std::optional<std::int64_t> attempt;
  /// Only what was measured from then on
  std::optional<std::string> since;
  /// Most points of the curve of each task; without it only what is used now
  std::optional<std::int64_t> points;
};

struct CheckJobFileOptions {
  std::optional<std::string> format;
  std::vector<std::string> param;
};

struct ConvertJobFileOptions {
  /// pumpkin is another name of octopus
  std::string to;
  std::optional<bool> lossy;
  /// The file's dialect; found out when absent
  std::optional<std::string> format;
  std::vector<std::string> param;
};

struct FollowEventsOptions {
  /// Only this job's
  std::optional<std::string> job;
  /// Begin after this event; now when absent
  std::optional<std::int64_t> after;
  std::optional<std::string> last_event_id;
};

struct ListQueueOptions {
  std::optional<std::int64_t> offset;
  std::optional<std::int64_t> limit;
};

struct DeleteRegistryOptions {
  std::optional<std::string> workspace;
};

/// Every operation of the contract as a function: paths, parameters and encoding are made here and
/// nowhere else. Blocks; one thread at a time.
class Operations {
 public:
  explicit Operations(Transport& transport) : transport_(transport) {}

  /// Jobs you may see, newest first
  Result<Answer<JobPage>> list_jobs(const ListJobsOptions& options = {});
  /// Hand in a job
  Result<Answer<Submitted>> submit_job(const Payload& body, const SubmitJobOptions& options = {});
  /// How many jobs you can see in each state
  Result<Answer<JobCounts>> count_jobs();
  /// One job with its roles and tasks
  Result<Answer<Job>> show_job(std::string_view id);
  /// Forget a job; its record, logs and output folder go
  Result<void> delete_job(std::string_view id, const DeleteJobOptions& options = {});
  /// Ask its tasks to end, and kill them after their grace
  Result<Answer<JobSummary>> stop_job(std::string_view id);
  /// Take it out of the queue, or stop its tasks, until it is resumed
  Result<Answer<JobSummary>> pause_job(std::string_view id);
  /// Queue a paused job again
  Result<Answer<JobSummary>> resume_job(std::string_view id);
  /// Move a waiting job in the queue
  Result<Answer<JobSummary>> move_job(std::string_view id, const MoveJobFields& body);
  /// Change or remove the time limit, also while it runs
  Result<Answer<JobSummary>> set_job_limit(std::string_view id, const SetJobLimitFields& body);
  /// The same job again as a new one of yours
  Result<Answer<Submitted>> clone_job(std::string_view id, const CloneJobFields& body);
  /// Run a job that has ended once more, as a new job
  Result<Answer<Submitted>> retry_job(std::string_view id);
  /// What its tasks wrote
  Result<void> read_job_logs(std::string_view id,
                             const Piece& piece,
                             const ReadJobLogsOptions& options = {});
  /// Lines of one task by number, each with its time
  Result<Answer<LogLines>> list_job_log_lines(std::string_view id,
                                              const ListJobLogLinesOptions& options = {});
  /// Lines of one task that match, with their numbers
  Result<Answer<LogHits>> search_job_log(std::string_view id, const SearchJobLogOptions& options);
  /// Its timeline
  Result<Answer<EventPage>> list_job_events(std::string_view id,
                                            const ListJobEventsOptions& options = {});
  /// The job file
  Result<std::string> show_job_spec(std::string_view id, const ShowJobSpecOptions& options = {});
  /// Every try of every task, also of earlier attempts
  Result<Answer<TryList>> list_job_tries(std::string_view id);
  /// Every attempt of the job
  Result<Answer<AttemptList>> list_job_attempts(std::string_view id);
  /// What its tasks use and have used
  Result<Answer<JobMetrics>> show_job_metrics(std::string_view id,
                                              const ShowJobMetricsOptions& options = {});
  /// Why it waits, or why it ended as it did
  Result<Answer<Why>> explain_job(std::string_view id);
  /// What a job file means, or every fault in it
  Result<Answer<Checked>> check_job_file(std::string_view body,
                                         const CheckJobFileOptions& options = {});
  /// A job file in another dialect, and what could not be carried over
  Result<Answer<Converted>> convert_job_file(std::string_view body,
                                             const ConvertJobFileOptions& options);
  /// Everything that happens to jobs you can see, as server-sent events
  Result<void> follow_events(const Piece& piece, const FollowEventsOptions& options = {});
  /// Machines and how much of them is in use
  Result<Answer<NodeList>> list_nodes();
  /// Let nothing new start on a machine, or let it again (administrators)
  Result<void> set_node_draining(std::string_view name, const SetNodeDrainingFields& body);
  /// How this site shares its machines
  Result<Answer<Scheduling>> show_scheduling();
  /// Replace these rules (administrators)
  Result<Answer<Scheduling>> set_scheduling(const boost::json::value& body);
  /// What waits, in the order of decisions
  Result<Answer<Queue>> list_queue(const ListQueueOptions& options = {});
  /// Sign in by password or by a one-time link
  Result<Answer<SignedIn>> sign_in(const SignInFields& body);
  /// End this session
  Result<void> sign_out();
  /// Set or change your password; ends your other sessions
  Result<void> change_password(const ChangePasswordFields& body);
  /// Who you are
  Result<Answer<Me>> show_me();
  /// Your access tokens
  Result<Answer<TokenList>> list_tokens();
  /// Make an access token
  Result<Answer<NewToken>> create_token(const CreateTokenFields& body);
  /// Revoke a token of yours
  Result<void> delete_token(std::int64_t token);
  /// Image registries that jobs of yours are signed in to
  Result<Answer<RegistryList>> list_registries();
  /// Sign your jobs in to an image registry, or those of a workspace (its managers)
  Result<void> set_registry(std::string_view server, const SetRegistryFields& body);
  /// Forget how to sign in to an image registry
  Result<void> delete_registry(std::string_view server, const DeleteRegistryOptions& options = {});
  /// All users (administrators)
  Result<Answer<UserList>> list_users();
  /// Make a user (administrators)
  Result<Answer<NewUser>> create_user(const CreateUserFields& body);
  /// Disable or enable an account (administrators)
  Result<void> set_user_disabled(std::string_view name, const SetUserDisabledFields& body);
  /// A new one-time sign-in link for somebody (administrators)
  Result<Answer<SignInLink>> make_sign_in_link(std::string_view name);
  /// Workspaces you belong to
  Result<Answer<WorkspaceList>> list_workspaces();
  /// Make a workspace (administrators); you become its manager
  Result<Answer<Workspace>> create_workspace(const CreateWorkspaceFields& body);
  /// Delete a workspace in which no job is kept (administrators)
  Result<void> delete_workspace(std::string_view name);
  /// Add somebody to a workspace, or change their role (its managers)
  Result<void> set_workspace_member(std::string_view name,
                                    std::string_view user,
                                    const SetWorkspaceMemberFields& body);
  /// Somebody belongs to a workspace no longer (its managers)
  Result<void> remove_workspace_member(std::string_view name, std::string_view user);
  /// What runs here
  Result<Answer<Version>> show_version();

 private:
  Transport& transport_;
};

}  // namespace ty::client
