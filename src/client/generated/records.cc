#include "client/generated/records.h"

// Written by tools/gen-client from contract/openapi.yaml; change that, then run make gen-api.
#include <boost/json.hpp>

#include "client/json_fields.h"

namespace ty::client {

void read(const boost::json::value& from, Says& into) {
  read_field(from, "code", into.code);
  read_field(from, "data", into.data);
}

void read(const boost::json::value& from, JobSummary& into) {
  read_field(from, "id", into.id);
  read_field(from, "name", into.name);
  read_field(from, "handle", into.handle);
  read_field(from, "owner", into.owner);
  read_field(from, "workspace", into.workspace);
  read_field(from, "dialect", into.dialect);
  read_field(from, "state", into.state);
  read_field(from, "ending_as", into.ending_as);
  read_field(from, "reason", into.reason);
  read_field(from, "reason_says", into.reason_says);
  read_field(from, "reason_code", into.reason_code);
  read_field(from, "exit_code", into.exit_code);
  read_field(from, "priority", into.priority);
  read_field(from, "attempt", into.attempt);
  read_field(from, "tasks", into.tasks);
  read_field(from, "gpus", into.gpus);
  read_field(from, "created_at", into.created_at);
  read_field(from, "queued_at", into.queued_at);
  read_field(from, "not_before", into.not_before);
  read_field(from, "started_at", into.started_at);
  read_field(from, "decided_at", into.decided_at);
  read_field(from, "ended_at", into.ended_at);
  read_field(from, "time_limit", into.time_limit);
}

void read(const boost::json::value& from, JobPage& into) {
  read_field(from, "jobs", into.jobs);
  read_field(from, "next_cursor", into.next_cursor);
}

void read(const boost::json::value& from, Issue& into) {
  read_field(from, "severity", into.severity);
  read_field(from, "code", into.code);
  read_field(from, "pointer", into.pointer);
  read_field(from, "path", into.path);
  read_field(from, "line", into.line);
  read_field(from, "column", into.column);
  read_field(from, "message", into.message);
  read_field(from, "says", into.says);
}

void read(const boost::json::value& from, Statement& into) {
  read_field(from, "code", into.code);
  read_field(from, "text", into.text);
  read_field(from, "data", into.data);
}

void read(const boost::json::value& from, ForecastEstimate& into) {
  read_field(from, "early", into.early);
  read_field(from, "likely", into.likely);
  read_field(from, "late", into.late);
}

void read(const boost::json::value& from, Forecast& into) {
  read_field(from, "text", into.text);
  read_field(from, "text_says", into.text_says);
  read_field(from, "verdict", into.verdict);
  read_field(from, "reasons", into.reasons);
  read_field(from, "position", into.position);
  read_field(from, "waiting", into.waiting);
  read_field(from, "estimate", into.estimate);
  read_field(from, "change", into.change);
}

void read(const boost::json::value& from, Submitted& into) {
  read_field(from, "id", into.id);
  read_field(from, "name", into.name);
  read_field(from, "handle", into.handle);
  read_field(from, "warnings", into.warnings);
  read_field(from, "forecast", into.forecast);
  read_field(from, "jobs", into.jobs);
}

void read(const boost::json::value& from, JobCounts& into) {
  read_field(from, "states", into.states);
}

void read(const boost::json::value& from, JobRetries& into) {
  read_field(from, "counted", into.counted);
  read_field(from, "platform", into.platform);
  read_field(from, "conflict", into.conflict);
  read_field(from, "preempted", into.preempted);
}

void read(const boost::json::value& from, Decision& into) {
  read_field(from, "rule", into.rule);
  read_field(from, "message", into.message);
  read_field(from, "says", into.says);
  read_field(from, "task", into.task);
  read_field(from, "reason", into.reason);
  read_field(from, "class", into.class_);
  read_field(from, "exit_code", into.exit_code);
}

void read(const boost::json::value& from, Task& into) {
  read_field(from, "name", into.name);
  read_field(from, "index", into.index);
  read_field(from, "state", into.state);
  read_field(from, "tries", into.tries);
  read_field(from, "node", into.node);
  read_field(from, "address", into.address);
  read_field(from, "gpus", into.gpus);
  read_field(from, "ports", into.ports);
  read_field(from, "started_at", into.started_at);
  read_field(from, "ended_at", into.ended_at);
  read_field(from, "exit_code", into.exit_code);
  read_field(from, "signal", into.signal);
  read_field(from, "reason", into.reason);
  read_field(from, "message", into.message);
  read_field(from, "says", into.says);
  read_field(from, "hold_until", into.hold_until);
}

void read(const boost::json::value& from, Role& into) {
  read_field(from, "name", into.name);
  read_field(from, "count", into.count);
  read_field(from, "image", into.image);
  read_field(from, "cpus", into.cpus);
  read_field(from, "memory", into.memory);
  read_field(from, "shm", into.shm);
  read_field(from, "gpus", into.gpus);
  read_field(from, "gpu_types", into.gpu_types);
  read_field(from, "tasks", into.tasks);
}

void read(const boost::json::value& from, Job& into) {
  read_field(from, "id", into.id);
  read_field(from, "name", into.name);
  read_field(from, "handle", into.handle);
  read_field(from, "owner", into.owner);
  read_field(from, "workspace", into.workspace);
  read_field(from, "dialect", into.dialect);
  read_field(from, "state", into.state);
  read_field(from, "ending_as", into.ending_as);
  read_field(from, "reason", into.reason);
  read_field(from, "reason_says", into.reason_says);
  read_field(from, "reason_code", into.reason_code);
  read_field(from, "exit_code", into.exit_code);
  read_field(from, "priority", into.priority);
  read_field(from, "attempt", into.attempt);
  read_field(from, "tasks", into.tasks);
  read_field(from, "gpus", into.gpus);
  read_field(from, "created_at", into.created_at);
  read_field(from, "queued_at", into.queued_at);
  read_field(from, "not_before", into.not_before);
  read_field(from, "started_at", into.started_at);
  read_field(from, "decided_at", into.decided_at);
  read_field(from, "ended_at", into.ended_at);
  read_field(from, "time_limit", into.time_limit);
  read_field(from, "description", into.description);
  read_field(from, "labels", into.labels);
  read_field(from, "retries", into.retries);
  read_field(from, "decision", into.decision);
  read_field(from, "roles", into.roles);
}

boost::json::value to_json(const MoveJobFields& from) {
  boost::json::object out;
  write_field(out, "before", from.before);
  return out;
}

boost::json::value to_json(const SetJobLimitFields& from) {
  boost::json::object out;
  write_field(out, "time_limit", from.time_limit);
  return out;
}

boost::json::value to_json(const CloneJobFields& from) {
  boost::json::object out;
  write_given(out, "name", from.name);
  return out;
}

void read(const boost::json::value& from, LogLinesLine& into) {
  read_field(from, "at", into.at);
  read_field(from, "text", into.text);
  read_field(from, "cut", into.cut);
}

void read(const boost::json::value& from, LogLines& into) {
  read_field(from, "task", into.task);
  read_field(from, "attempt", into.attempt);
  read_field(from, "total", into.total);
  read_field(from, "first", into.first);
  read_field(from, "lines", into.lines);
}

void read(const boost::json::value& from, LogHitsHit& into) {
  read_field(from, "line", into.line);
  read_field(from, "at", into.at);
  read_field(from, "text", into.text);
  read_field(from, "cut", into.cut);
}

void read(const boost::json::value& from, LogHits& into) {
  read_field(from, "hits", into.hits);
  read_field(from, "next", into.next);
  read_field(from, "searched", into.searched);
}

void read(const boost::json::value& from, Event& into) {
  read_field(from, "id", into.id);
  read_field(from, "at", into.at);
  read_field(from, "kind", into.kind);
  read_field(from, "job", into.job);
  read_field(from, "actor", into.actor);
  read_field(from, "data", into.data);
}

void read(const boost::json::value& from, EventPage& into) {
  read_field(from, "events", into.events);
  read_field(from, "seen", into.seen);
  read_field(from, "more", into.more);
}

void read(const boost::json::value& from, Try& into) {
  read_field(from, "name", into.name);
  read_field(from, "index", into.index);
  read_field(from, "state", into.state);
  read_field(from, "tries", into.tries);
  read_field(from, "node", into.node);
  read_field(from, "address", into.address);
  read_field(from, "gpus", into.gpus);
  read_field(from, "ports", into.ports);
  read_field(from, "started_at", into.started_at);
  read_field(from, "ended_at", into.ended_at);
  read_field(from, "exit_code", into.exit_code);
  read_field(from, "signal", into.signal);
  read_field(from, "reason", into.reason);
  read_field(from, "message", into.message);
  read_field(from, "says", into.says);
  read_field(from, "hold_until", into.hold_until);
  read_field(from, "attempt", into.attempt);
}

void read(const boost::json::value& from, TryList& into) { read_field(from, "tries", into.tries); }

void read(const boost::json::value& from, Attempt& into) {
  read_field(from, "attempt", into.attempt);
  read_field(from, "queued_at", into.queued_at);
  read_field(from, "placed_at", into.placed_at);
  read_field(from, "started_at", into.started_at);
  read_field(from, "decided_at", into.decided_at);
  read_field(from, "ended_at", into.ended_at);
  read_field(from, "rule", into.rule);
  read_field(from, "message", into.message);
  read_field(from, "says", into.says);
}

void read(const boost::json::value& from, AttemptList& into) {
  read_field(from, "attempts", into.attempts);
}

void read(const boost::json::value& from, UsagePointGpu& into) {
  read_field(from, "index", into.index);
  read_field(from, "load_percent", into.load_percent);
  read_field(from, "memory_used", into.memory_used);
}

void read(const boost::json::value& from, UsagePoint& into) {
  read_field(from, "at", into.at);
  read_field(from, "cpus", into.cpus);
  read_field(from, "cpu_seconds", into.cpu_seconds);
  read_field(from, "memory", into.memory);
  read_field(from, "memory_peak", into.memory_peak);
  read_field(from, "processes", into.processes);
  read_field(from, "disk_read", into.disk_read);
  read_field(from, "disk_written", into.disk_written);
  read_field(from, "network_received", into.network_received);
  read_field(from, "network_sent", into.network_sent);
  read_field(from, "gpus", into.gpus);
}

void read(const boost::json::value& from, TaskMetrics& into) {
  read_field(from, "task", into.task);
  read_field(from, "attempt", into.attempt);
  read_field(from, "try", into.try_);
  read_field(from, "cpus", into.cpus);
  read_field(from, "memory", into.memory);
  read_field(from, "latest", into.latest);
  read_field(from, "points", into.points);
}

void read(const boost::json::value& from, JobMetrics& into) {
  read_field(from, "tasks", into.tasks);
}

void read(const boost::json::value& from, WhyEstimate& into) {
  read_field(from, "early", into.early);
  read_field(from, "likely", into.likely);
  read_field(from, "late", into.late);
}

void read(const boost::json::value& from, WhyClue& into) {
  read_field(from, "code", into.code);
  read_field(from, "text", into.text);
  read_field(from, "text_says", into.text_says);
  read_field(from, "task", into.task);
  read_field(from, "line", into.line);
  read_field(from, "said", into.said);
}

void read(const boost::json::value& from, Why& into) {
  read_field(from, "text", into.text);
  read_field(from, "text_says", into.text_says);
  read_field(from, "verdict", into.verdict);
  read_field(from, "reasons", into.reasons);
  read_field(from, "position", into.position);
  read_field(from, "waiting", into.waiting);
  read_field(from, "estimate", into.estimate);
  read_field(from, "change", into.change);
  read_field(from, "state", into.state);
  read_field(from, "decision", into.decision);
  read_field(from, "clue", into.clue);
}

void read(const boost::json::value& from, Checked& into) {
  read_field(from, "ok", into.ok);
  read_field(from, "dialect", into.dialect);
  read_field(from, "jobs", into.jobs);
  read_field(from, "issues", into.issues);
}

void read(const boost::json::value& from, Converted& into) {
  read_field(from, "ok", into.ok);
  read_field(from, "dialect", into.dialect);
  read_field(from, "to", into.to);
  read_field(from, "text", into.text);
  read_field(from, "issues", into.issues);
}

void read(const boost::json::value& from, Gpu& into) {
  read_field(from, "index", into.index);
  read_field(from, "type", into.type);
  read_field(from, "used", into.used);
  read_field(from, "model", into.model);
  read_field(from, "uuid", into.uuid);
  read_field(from, "link_group", into.link_group);
  read_field(from, "healthy", into.healthy);
  read_field(from, "problem", into.problem);
  read_field(from, "problem_says", into.problem_says);
  read_field(from, "memory", into.memory);
  read_field(from, "memory_used", into.memory_used);
  read_field(from, "load_percent", into.load_percent);
  read_field(from, "celsius", into.celsius);
  read_field(from, "watts", into.watts);
}

void read(const boost::json::value& from, Node& into) {
  read_field(from, "name", into.name);
  read_field(from, "address", into.address);
  read_field(from, "healthy", into.healthy);
  read_field(from, "draining", into.draining);
  read_field(from, "problem", into.problem);
  read_field(from, "problem_says", into.problem_says);
  read_field(from, "runtime", into.runtime);
  read_field(from, "images", into.images);
  read_field(from, "warnings", into.warnings);
  read_field(from, "warnings_says", into.warnings_says);
  read_field(from, "labels", into.labels);
  read_field(from, "cpus", into.cpus);
  read_field(from, "cpus_used", into.cpus_used);
  read_field(from, "memory", into.memory);
  read_field(from, "memory_used", into.memory_used);
  read_field(from, "gpus", into.gpus);
  read_field(from, "jobs", into.jobs);
}

void read(const boost::json::value& from, NodeList& into) { read_field(from, "nodes", into.nodes); }

boost::json::value to_json(const SetNodeDrainingFields& from) {
  boost::json::object out;
  write_field(out, "draining", from.draining);
  return out;
}

void read(const boost::json::value& from, Amounts& into) {
  read_field(from, "gpus", into.gpus);
  read_field(from, "cpus", into.cpus);
  read_field(from, "memory", into.memory);
}

void read(const boost::json::value& from, Quota& into) {
  read_field(from, "workspace", into.workspace);
  read_field(from, "guarantee", into.guarantee);
  read_field(from, "limit", into.limit);
  read_field(from, "user_limit", into.user_limit);
  read_field(from, "weight", into.weight);
}

void read(const boost::json::value& from, Reservation& into) {
  read_field(from, "name", into.name);
  read_field(from, "nodes", into.nodes);
  read_field(from, "workspaces", into.workspaces);
  read_field(from, "users", into.users);
  read_field(from, "from", into.from);
  read_field(from, "to", into.to);
}

void read(const boost::json::value& from, Scheduling& into) {
  read_field(from, "version", into.version);
  read_field(from, "policy", into.policy);
  read_field(from, "backfill", into.backfill);
  read_field(from, "preemption", into.preemption);
  read_field(from, "moves", into.moves);
  read_field(from, "half_life_hours", into.half_life_hours);
  read_field(from, "starvation_hours", into.starvation_hours);
  read_field(from, "quantum_minutes", into.quantum_minutes);
  read_field(from, "quotas", into.quotas);
  read_field(from, "reservations", into.reservations);
  read_field(from, "draining", into.draining);
}

void read(const boost::json::value& from, QueueEntry& into) {
  read_field(from, "position", into.position);
  read_field(from, "id", into.id);
  read_field(from, "name", into.name);
  read_field(from, "priority", into.priority);
  read_field(from, "tasks", into.tasks);
  read_field(from, "gpus", into.gpus);
  read_field(from, "queued_at", into.queued_at);
}

void read(const boost::json::value& from, Queue& into) { read_field(from, "queue", into.queue); }

boost::json::value to_json(const SignInFields& from) {
  boost::json::object out;
  write_given(out, "user", from.user);
  write_given(out, "password", from.password);
  write_given(out, "link", from.link);
  return out;
}

void read(const boost::json::value& from, SignedIn& into) {
  read_field(from, "token", into.token);
  read_field(from, "expires_at", into.expires_at);
  read_field(from, "user", into.user);
  read_field(from, "has_password", into.has_password);
}

boost::json::value to_json(const ChangePasswordFields& from) {
  boost::json::object out;
  write_given(out, "old_password", from.old_password);
  write_field(out, "new_password", from.new_password);
  return out;
}

void read(const boost::json::value& from, Membership& into) {
  read_field(from, "name", into.name);
  read_field(from, "role", into.role);
}

void read(const boost::json::value& from, Me& into) {
  read_field(from, "name", into.name);
  read_field(from, "display_name", into.display_name);
  read_field(from, "email", into.email);
  read_field(from, "administrator", into.administrator);
  read_field(from, "has_password", into.has_password);
  read_field(from, "scopes", into.scopes);
  read_field(from, "workspaces", into.workspaces);
}

void read(const boost::json::value& from, Token& into) {
  read_field(from, "id", into.id);
  read_field(from, "name", into.name);
  read_field(from, "scopes", into.scopes);
  read_field(from, "created_at", into.created_at);
  read_field(from, "expires_at", into.expires_at);
  read_field(from, "last_used_at", into.last_used_at);
}

void read(const boost::json::value& from, TokenList& into) {
  read_field(from, "tokens", into.tokens);
}

boost::json::value to_json(const CreateTokenFields& from) {
  boost::json::object out;
  write_field(out, "name", from.name);
  write_given(out, "scopes", from.scopes);
  write_given(out, "expires_in", from.expires_in);
  return out;
}

void read(const boost::json::value& from, NewToken& into) {
  read_field(from, "id", into.id);
  read_field(from, "name", into.name);
  read_field(from, "scopes", into.scopes);
  read_field(from, "created_at", into.created_at);
  read_field(from, "expires_at", into.expires_at);
  read_field(from, "last_used_at", into.last_used_at);
  read_field(from, "token", into.token);
}

void read(const boost::json::value& from, RegistryLogin& into) {
  read_field(from, "server", into.server);
  read_field(from, "username", into.username);
  read_field(from, "workspace", into.workspace);
}

void read(const boost::json::value& from, RegistryList& into) {
  read_field(from, "registries", into.registries);
}

boost::json::value to_json(const SetRegistryFields& from) {
  boost::json::object out;
  write_field(out, "username", from.username);
  write_field(out, "password", from.password);
  write_given(out, "workspace", from.workspace);
  return out;
}

void read(const boost::json::value& from, User& into) {
  read_field(from, "name", into.name);
  read_field(from, "display_name", into.display_name);
  read_field(from, "email", into.email);
  read_field(from, "administrator", into.administrator);
  read_field(from, "disabled", into.disabled);
  read_field(from, "created_at", into.created_at);
  read_field(from, "last_seen_at", into.last_seen_at);
}

void read(const boost::json::value& from, UserList& into) { read_field(from, "users", into.users); }

boost::json::value to_json(const CreateUserFields& from) {
  boost::json::object out;
  write_field(out, "name", from.name);
  write_given(out, "display_name", from.display_name);
  write_given(out, "email", from.email);
  write_given(out, "administrator", from.administrator);
  return out;
}

void read(const boost::json::value& from, NewUser& into) {
  read_field(from, "name", into.name);
  read_field(from, "display_name", into.display_name);
  read_field(from, "email", into.email);
  read_field(from, "administrator", into.administrator);
  read_field(from, "disabled", into.disabled);
  read_field(from, "created_at", into.created_at);
  read_field(from, "last_seen_at", into.last_seen_at);
  read_field(from, "link", into.link);
}

boost::json::value to_json(const SetUserDisabledFields& from) {
  boost::json::object out;
  write_field(out, "disabled", from.disabled);
  return out;
}

void read(const boost::json::value& from, SignInLink& into) { read_field(from, "link", into.link); }

void read(const boost::json::value& from, WorkspaceList& into) {
  read_field(from, "workspaces", into.workspaces);
}

boost::json::value to_json(const CreateWorkspaceFields& from) {
  boost::json::object out;
  write_field(out, "name", from.name);
  write_given(out, "description", from.description);
  return out;
}

void read(const boost::json::value& from, Workspace& into) {
  read_field(from, "name", into.name);
  read_field(from, "description", into.description);
  read_field(from, "created_at", into.created_at);
}

boost::json::value to_json(const SetWorkspaceMemberFields& from) {
  boost::json::object out;
  write_field(out, "role", from.role);
  return out;
}

void read(const boost::json::value& from, Version& into) {
  read_field(from, "version", into.version);
  read_field(from, "engine", into.engine);
  read_field(from, "api", into.api);
}

}  // namespace ty::client
