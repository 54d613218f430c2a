#pragma once
// Written by tools/gen-client from contract/openapi.yaml; change that, then run make gen-api.
#include <boost/json/value.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ty::client {

/// A message as a value: its code (docs/reference/messages.md) and what stands in its sentence; the
/// English sentence is beside it. Compare codes, not sentences.
struct Says {
  std::string code;
  boost::json::value data;
};

struct JobSummary {
  std::string id;
  std::string name;
  /// Unique among the owner's jobs
  std::string handle;
  std::string owner;
  std::string workspace;
  std::string dialect;
  std::string state;
  /// While stopping
  std::optional<std::string> ending_as;
  /// Why it waits, failed or was stopped; empty when there is nothing to say
  std::string reason;
  std::optional<Says> reason_says;
  /// The kind of that reason, one word: exit, oom, time_limit, user_stop, …; empty while it waits
  /// or when there is none
  std::string reason_code;
  /// Once ended: 0, or the deciding task's
  std::optional<std::int64_t> exit_code;
  std::int64_t priority = 0;
  /// From 0
  std::int64_t attempt = 0;
  std::int64_t tasks = 0;
  std::int64_t gpus = 0;
  std::string created_at;
  std::string queued_at;
  /// Waits until then before it is tried again
  std::optional<std::string> not_before;
  std::optional<std::string> started_at;
  std::optional<std::string> decided_at;
  std::optional<std::string> ended_at;
  /// Seconds
  std::optional<std::int64_t> time_limit;
};

struct JobPage {
  std::vector<JobSummary> jobs;
  /// Empty: this was the last page
  std::string next_cursor;
};

struct Issue {
  std::string severity;
  std::string code;
  std::string pointer;
  std::string path;
  std::int64_t line = 0;
  std::int64_t column = 0;
  std::string message;
  std::optional<Says> says;
};

struct Statement {
  std::string code;
  std::string text;
  boost::json::value data;
};

struct ForecastEstimate {
  std::string early;
  std::string likely;
  std::string late;
};

/// How the scheduler sees a job that waits
struct Forecast {
  /// One line that says it all
  std::string text;
  std::optional<Says> text_says;
  std::string verdict;
  std::vector<Statement> reasons;
  std::int64_t position = 0;
  std::int64_t waiting = 0;
  std::optional<ForecastEstimate> estimate;
  /// The smallest change that would start it now
  std::optional<Statement> change;
};

struct Submitted {
  /// Empty after a dry run
  std::string id;
  std::string name;
  std::string handle;
  std::vector<Issue> warnings;
  /// After a dry run: what would become of it if it were handed in now
  std::optional<Forecast> forecast;
  /// When the file made several, all of them; the fields above are the first one's
  std::vector<Submitted> jobs;
};

struct JobCounts {
  /// By JobState
  std::map<std::string, std::int64_t> states;
};

struct JobRetries {
  std::int64_t counted = 0;
  std::int64_t platform = 0;
  std::int64_t conflict = 0;
  std::int64_t preempted = 0;
};

struct Decision {
  std::string rule;
  std::string message;
  std::optional<Says> says;
  /// worker-1
  std::optional<std::string> task;
  std::string reason;
  /// Whose failure it is: user, platform, conflict, permanent; empty when it is none
  std::string class_;
  std::optional<std::int64_t> exit_code;
};

struct Task {
  /// worker-1
  std::string name;
  std::int64_t index = 0;
  std::string state;
  /// Number of the present try, from 0
  std::int64_t tries = 0;
  std::optional<std::string> node;
  std::optional<std::string> address;
  std::vector<std::int64_t> gpus;
  std::map<std::string, std::vector<std::int64_t>> ports;
  std::optional<std::string> started_at;
  std::optional<std::string> ended_at;
  std::optional<std::int64_t> exit_code;
  std::optional<std::int64_t> signal;
  std::string reason;
  /// exit code 1; out of memory: limit 2 GB, peak 2 GB; while starting: what it waits for, as
  /// pulling python:3.12, 3 of 8 layers
  std::string message;
  std::optional<Says> says;
  std::optional<std::string> hold_until;
};

struct Role {
  std::string name;
  std::int64_t count = 0;
  std::string image;
  double cpus = 0;
  /// Bytes
  std::int64_t memory = 0;
  std::int64_t shm = 0;
  std::int64_t gpus = 0;
  std::vector<std::string> gpu_types;
  std::vector<Task> tasks;
};

struct Job {
  std::string id;
  std::string name;
  /// Unique among the owner's jobs
  std::string handle;
  std::string owner;
  std::string workspace;
  std::string dialect;
  std::string state;
  /// While stopping
  std::optional<std::string> ending_as;
  /// Why it waits, failed or was stopped; empty when there is nothing to say
  std::string reason;
  std::optional<Says> reason_says;
  /// The kind of that reason, one word: exit, oom, time_limit, user_stop, …; empty while it waits
  /// or when there is none
  std::string reason_code;
  /// Once ended: 0, or the deciding task's
  std::optional<std::int64_t> exit_code;
  std::int64_t priority = 0;
  /// From 0
  std::int64_t attempt = 0;
  std::int64_t tasks = 0;
  std::int64_t gpus = 0;
  std::string created_at;
  std::string queued_at;
  /// Waits until then before it is tried again
  std::optional<std::string> not_before;
  std::optional<std::string> started_at;
  std::optional<std::string> decided_at;
  std::optional<std::string> ended_at;
  /// Seconds
  std::optional<std::int64_t> time_limit;
  std::string description;
  std::map<std::string, std::string> labels;
  JobRetries retries;
  /// What ended it
  std::optional<Decision> decision;
  std::vector<Role> roles;
};

struct MoveJobFields {
  /// The waiting job to go right before, by id or owner~name; null for the very front
  std::optional<std::string> before;
};

struct SetJobLimitFields {
  /// A duration such as 90s, 30m, 12h, 1h30m; null for none
  std::optional<std::string> time_limit;
};

struct CloneJobFields {
  /// Instead of the old name
  std::optional<std::string> name;
};

struct LogLinesLine {
  /// When its end arrived
  std::optional<std::string> at;
  std::string text;
  /// There was more of it
  bool cut = false;
};

struct LogLines {
  std::string task;
  std::int64_t attempt = 0;
  /// Lines there are now
  std::int64_t total = 0;
  /// Number of the first line below
  std::int64_t first = 0;
  std::vector<LogLinesLine> lines;
};

struct LogHitsHit {
  std::int64_t line = 0;
  std::optional<std::string> at;
  std::string text;
  bool cut = false;
};

struct LogHits {
  std::vector<LogHitsHit> hits;
  /// Go on from here; null: this was all
  std::optional<std::int64_t> next;
  /// Bytes looked at
  std::int64_t searched = 0;
};

struct Event {
  std::int64_t id = 0;
  std::string at;
  std::string kind;
  std::string job;
  std::string actor;
  /// Depends on the kind; where it has a sentence, `says` is its value
  boost::json::value data;
};

struct EventPage {
  std::vector<Event> events;
  /// Go on after this id
  std::int64_t seen = 0;
  bool more = false;
};

struct Try {
  /// worker-1
  std::string name;
  std::int64_t index = 0;
  std::string state;
  /// Number of the present try, from 0
  std::int64_t tries = 0;
  std::optional<std::string> node;
  std::optional<std::string> address;
  std::vector<std::int64_t> gpus;
  std::map<std::string, std::vector<std::int64_t>> ports;
  std::optional<std::string> started_at;
  std::optional<std::string> ended_at;
  std::optional<std::int64_t> exit_code;
  std::optional<std::int64_t> signal;
  std::string reason;
  /// exit code 1; out of memory: limit 2 GB, peak 2 GB; while starting: what it waits for, as
  /// pulling python:3.12, 3 of 8 layers
  std::string message;
  std::optional<Says> says;
  std::optional<std::string> hold_until;
  std::int64_t attempt = 0;
};

struct TryList {
  std::vector<Try> tries;
};

struct Attempt {
  std::int64_t attempt = 0;
  std::string queued_at;
  std::optional<std::string> placed_at;
  std::optional<std::string> started_at;
  std::optional<std::string> decided_at;
  std::optional<std::string> ended_at;
  std::string rule;
  std::string message;
  std::optional<Says> says;
};

struct AttemptList {
  std::vector<Attempt> attempts;
};

struct UsagePointGpu {
  std::int64_t index = 0;
  std::optional<std::int64_t> load_percent;
  std::int64_t memory_used = 0;
};

/// Of a stretch its end; memory, processes and GPUs the highest in it, CPUs the average
struct UsagePoint {
  std::string at;
  /// Used on average since the point before
  std::optional<double> cpus;
  /// Since the start
  std::optional<double> cpu_seconds;
  /// Bytes, without caches of files that could be dropped
  std::optional<std::int64_t> memory;
  /// The most since the start, with such caches
  std::optional<std::int64_t> memory_peak;
  /// Threads counted
  std::optional<std::int64_t> processes;
  /// Bytes since the start
  std::optional<std::int64_t> disk_read;
  std::optional<std::int64_t> disk_written;
  /// Bytes since the start, where the task has a network of its own
  std::optional<std::int64_t> network_received;
  std::optional<std::int64_t> network_sent;
  std::vector<UsagePointGpu> gpus;
};

struct TaskMetrics {
  std::string task;
  std::int64_t attempt = 0;
  std::int64_t try_ = 0;
  /// Its limit
  double cpus = 0;
  /// Its limit, bytes
  std::int64_t memory = 0;
  /// Now, or right before its end
  std::optional<UsagePoint> latest;
  std::vector<UsagePoint> points;
};

struct JobMetrics {
  std::vector<TaskMetrics> tasks;
};

struct WhyEstimate {
  std::string early;
  std::string likely;
  std::string late;
};

/// What the log of the task that ended a failed job says about the cause
struct WhyClue {
  std::string code;
  /// The cause and what to do
  std::string text;
  std::optional<Says> text_says;
  std::string task;
  /// Counted from 1
  std::int64_t line = 0;
  /// The line itself
  std::string said;
};

/// The parts of a forecast while it is queued
struct Why {
  /// One line that says it all
  std::string text;
  std::optional<Says> text_says;
  std::optional<std::string> verdict;
  std::vector<Statement> reasons;
  std::optional<std::int64_t> position;
  std::optional<std::int64_t> waiting;
  std::optional<WhyEstimate> estimate;
  /// The smallest change that would start it now
  std::optional<Statement> change;
  std::string state;
  /// Once it has ended
  std::optional<Decision> decision;
  /// What the log of the task that ended a failed job says about the cause
  std::optional<WhyClue> clue;
};

struct Checked {
  bool ok = false;
  std::optional<std::string> dialect;
  /// What the file means
  std::vector<boost::json::value> jobs;
  std::vector<Issue> issues;
};

struct Converted {
  bool ok = false;
  std::optional<std::string> dialect;
  std::string to;
  std::optional<std::string> text;
  std::vector<Issue> issues;
};

struct Gpu {
  std::int64_t index = 0;
  /// What jobs ask for
  std::string type;
  /// Given to a task
  bool used = false;
  std::string model;
  /// Empty for a GPU that is only configured
  std::string uuid;
  /// GPUs with the same number talk over NVLink, or over one PCIe bridge
  std::int64_t link_group = 0;
  bool healthy = false;
  std::string problem;
  std::optional<Says> problem_says;
  /// Bytes; 0 when unknown
  std::int64_t memory = 0;
  std::int64_t memory_used = 0;
  /// Share of the last moment in which it computed
  std::optional<std::int64_t> load_percent;
  std::optional<std::int64_t> celsius;
  std::optional<std::int64_t> watts;
};

struct Node {
  std::string name;
  std::string address;
  bool healthy = false;
  /// An administrator lets nothing new start there
  bool draining = false;
  std::string problem;
  std::optional<Says> problem_says;
  /// How its tasks run
  std::string runtime;
  /// Tasks run in the image they name
  bool images = false;
  /// What a user should know about this machine, in full sentences
  std::vector<std::string> warnings;
  std::vector<Says> warnings_says;
  std::map<std::string, std::string> labels;
  double cpus = 0;
  double cpus_used = 0;
  std::int64_t memory = 0;
  std::int64_t memory_used = 0;
  std::vector<Gpu> gpus;
  /// Administrators only
  std::vector<std::string> jobs;
};

struct NodeList {
  std::vector<Node> nodes;
};

struct SetNodeDrainingFields {
  bool draining = false;
};

/// What is left out is not bounded
struct Amounts {
  std::optional<std::int64_t> gpus;
  std::optional<double> cpus;
  /// Bytes
  std::optional<std::int64_t> memory;
};

struct Quota {
  std::string workspace;
  /// Its own: others borrow it only with jobs that may be stopped, and give it back when it is
  /// wanted
  std::optional<Amounts> guarantee;
  /// Never more than this at once
  std::optional<Amounts> limit;
  /// Nor one of its users more than this
  std::optional<Amounts> user_limit;
  /// Its part of what is left over, against other workspaces
  std::optional<double> weight;
};

struct Reservation {
  std::string name;
  std::vector<std::string> nodes;
  std::vector<std::string> workspaces;
  std::vector<std::string> users;
  std::string from;
  std::string to;
};

/// The rules as they are
struct Scheduling {
  /// Grows with every change
  std::int64_t version = 0;
  /// fair: workspaces in turn; service: who has had least goes first
  std::string policy;
  /// Jobs that end in time may pass one that waits for room
  bool backfill = false;
  /// Preemptible jobs are stopped for those that go before them
  bool preemption = false;
  /// Small preemptible jobs are moved, to free a whole machine for a large one
  bool moves = false;
  /// After so long use counts half in the fair share
  double half_life_hours = 0;
  /// Who waited so long goes before all others of their priority
  double starvation_hours = 0;
  /// service: a job may run so long on one GPU before others come first
  double quantum_minutes = 0;
  std::vector<Quota> quotas;
  std::vector<Reservation> reservations;
  /// Names of machines
  std::vector<std::string> draining;
};

struct QueueEntry {
  std::int64_t position = 0;
  /// Empty for jobs you may not see
  std::string id;
  std::string name;
  std::int64_t priority = 0;
  std::int64_t tasks = 0;
  std::int64_t gpus = 0;
  std::string queued_at;
};

struct Queue {
  std::vector<QueueEntry> queue;
};

struct SignInFields {
  std::optional<std::string> user;
  std::optional<std::string> password;
  /// The tyl_… part of a sign-in link, instead of user and password
  std::optional<std::string> link;
};

struct SignedIn {
  std::string token;
  std::string expires_at;
  std::string user;
  bool has_password = false;
};

struct ChangePasswordFields {
  std::optional<std::string> old_password;
  std::string new_password;
};

struct Membership {
  /// Of the workspace
  std::string name;
  std::string role;
};

struct Me {
  std::string name;
  std::string display_name;
  std::string email;
  bool administrator = false;
  bool has_password = false;
  std::vector<std::string> scopes;
  std::vector<Membership> workspaces;
};

struct Token {
  std::int64_t id = 0;
  std::string name;
  std::vector<std::string> scopes;
  std::string created_at;
  std::optional<std::string> expires_at;
  std::optional<std::string> last_used_at;
};

struct TokenList {
  std::vector<Token> tokens;
};

struct CreateTokenFields {
  std::string name;
  /// write when absent
  std::vector<std::string> scopes;
  /// A duration such as 90d; null or absent: endless
  std::optional<std::string> expires_in;
};

struct NewToken {
  std::int64_t id = 0;
  std::string name;
  std::vector<std::string> scopes;
  std::string created_at;
  std::optional<std::string> expires_at;
  std::optional<std::string> last_used_at;
  std::string token;
};

struct RegistryLogin {
  std::string server;
  std::string username;
  /// Null: yours
  std::optional<std::string> workspace;
};

struct RegistryList {
  std::vector<RegistryLogin> registries;
};

struct SetRegistryFields {
  std::string username;
  /// Or an access token; kept and used, never shown again
  std::string password;
  /// For all jobs of this workspace instead of yours
  std::optional<std::string> workspace;
};

struct User {
  std::string name;
  std::string display_name;
  std::string email;
  bool administrator = false;
  bool disabled = false;
  std::string created_at;
  std::optional<std::string> last_seen_at;
};

struct UserList {
  std::vector<User> users;
};

struct CreateUserFields {
  std::string name;
  std::optional<std::string> display_name;
  std::optional<std::string> email;
  std::optional<bool> administrator;
};

struct NewUser {
  std::string name;
  std::string display_name;
  std::string email;
  bool administrator = false;
  bool disabled = false;
  std::string created_at;
  std::optional<std::string> last_seen_at;
  std::string link;
};

struct SetUserDisabledFields {
  bool disabled = false;
};

struct SignInLink {
  std::string link;
};

struct WorkspaceList {
  std::vector<Membership> workspaces;
};

struct CreateWorkspaceFields {
  std::string name;
  std::optional<std::string> description;
};

struct Workspace {
  std::string name;
  std::string description;
  std::string created_at;
};

struct SetWorkspaceMemberFields {
  std::string role;
};

struct Version {
  std::string version;
  std::string engine;
  std::string api;
};

// What is missing keeps its default, so that older and newer servers can be talked to.
void read(const boost::json::value& from, Says& into);
void read(const boost::json::value& from, JobSummary& into);
void read(const boost::json::value& from, JobPage& into);
void read(const boost::json::value& from, Issue& into);
void read(const boost::json::value& from, Statement& into);
void read(const boost::json::value& from, ForecastEstimate& into);
void read(const boost::json::value& from, Forecast& into);
void read(const boost::json::value& from, Submitted& into);
void read(const boost::json::value& from, JobCounts& into);
void read(const boost::json::value& from, JobRetries& into);
void read(const boost::json::value& from, Decision& into);
void read(const boost::json::value& from, Task& into);
void read(const boost::json::value& from, Role& into);
void read(const boost::json::value& from, Job& into);
void read(const boost::json::value& from, LogLinesLine& into);
void read(const boost::json::value& from, LogLines& into);
void read(const boost::json::value& from, LogHitsHit& into);
void read(const boost::json::value& from, LogHits& into);
void read(const boost::json::value& from, Event& into);
void read(const boost::json::value& from, EventPage& into);
void read(const boost::json::value& from, Try& into);
void read(const boost::json::value& from, TryList& into);
void read(const boost::json::value& from, Attempt& into);
void read(const boost::json::value& from, AttemptList& into);
void read(const boost::json::value& from, UsagePointGpu& into);
void read(const boost::json::value& from, UsagePoint& into);
void read(const boost::json::value& from, TaskMetrics& into);
void read(const boost::json::value& from, JobMetrics& into);
void read(const boost::json::value& from, WhyEstimate& into);
void read(const boost::json::value& from, WhyClue& into);
void read(const boost::json::value& from, Why& into);
void read(const boost::json::value& from, Checked& into);
void read(const boost::json::value& from, Converted& into);
void read(const boost::json::value& from, Gpu& into);
void read(const boost::json::value& from, Node& into);
void read(const boost::json::value& from, NodeList& into);
void read(const boost::json::value& from, Amounts& into);
void read(const boost::json::value& from, Quota& into);
void read(const boost::json::value& from, Reservation& into);
void read(const boost::json::value& from, Scheduling& into);
void read(const boost::json::value& from, QueueEntry& into);
void read(const boost::json::value& from, Queue& into);
void read(const boost::json::value& from, SignedIn& into);
void read(const boost::json::value& from, Membership& into);
void read(const boost::json::value& from, Me& into);
void read(const boost::json::value& from, Token& into);
void read(const boost::json::value& from, TokenList& into);
void read(const boost::json::value& from, NewToken& into);
void read(const boost::json::value& from, RegistryLogin& into);
void read(const boost::json::value& from, RegistryList& into);
void read(const boost::json::value& from, User& into);
void read(const boost::json::value& from, UserList& into);
void read(const boost::json::value& from, NewUser& into);
void read(const boost::json::value& from, SignInLink& into);
void read(const boost::json::value& from, WorkspaceList& into);
void read(const boost::json::value& from, Workspace& into);
void read(const boost::json::value& from, Version& into);
boost::json::value to_json(const MoveJobFields& from);
boost::json::value to_json(const SetJobLimitFields& from);
boost::json::value to_json(const CloneJobFields& from);
boost::json::value to_json(const SetNodeDrainingFields& from);
boost::json::value to_json(const SignInFields& from);
boost::json::value to_json(const ChangePasswordFields& from);
boost::json::value to_json(const CreateTokenFields& from);
boost::json::value to_json(const SetRegistryFields& from);
boost::json::value to_json(const CreateUserFields& from);
boost::json::value to_json(const SetUserDisabledFields& from);
boost::json::value to_json(const CreateWorkspaceFields& from);
boost::json::value to_json(const SetWorkspaceMemberFields& from);

}  // namespace ty::client
