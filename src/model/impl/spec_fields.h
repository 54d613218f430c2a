#pragma once
#include "model/impl/json_fields.h"
#include "model/job_spec.h"

/// What a JobSpec is made of, field by field. A test compares the lists with the structs.
namespace ty::model::json_fields {

TY_FIELDS(Resources) {
  v("cpu_milli", x.cpu_milli, d.cpu_milli);
  v("memory", x.memory, d.memory);
  v("shm", x.shm, d.shm);
  v("gpus", x.gpus, d.gpus);
  v("gpu_types", x.gpu_types, d.gpu_types);
  v("devices", x.devices, d.devices);
  v("disk", x.disk, d.disk);
  v("spec_id", x.spec_id, d.spec_id);
}

TY_FIELDS(Port) {
  v("label", x.label, d.label);
  v("count", x.count, d.count);
  v("first", x.first, d.first);
}

TY_FIELDS(Mount) {
  v("kind", x.kind, d.kind);
  v("name", x.name, d.name);
  v("source", x.source, d.source);
  v("target", x.target, d.target);
  v("read_only", x.read_only, d.read_only);
  v("mode", x.mode, d.mode);
  v("size_limit", x.size_limit, d.size_limit);
  v("secret", x.secret, d.secret);
}

TY_FIELDS(Command) {
  v("shell", x.shell, d.shell);
  v("argv", x.argv, d.argv);
  v("script", x.script, d.script);
  v("args", x.args, d.args);
  v("pre", x.pre, d.pre);
  v("post", x.post, d.post);
  v("errexit", x.errexit, d.errexit);
  v("nounset", x.nounset, d.nounset);
  v("pipefail", x.pipefail, d.pipefail);
  v("entrypoint", x.entrypoint, d.entrypoint);
}

TY_FIELDS(RoleCompletion) {
  v("min_failed", x.min_failed, d.min_failed);
  v("min_succeeded", x.min_succeeded, d.min_succeeded);
  v("ends_job", x.ends_job, d.ends_job);
  v("decider", x.decider, d.decider);
  v("need", x.need, d.need);
}

TY_FIELDS(JobCompletion) {
  v("min_succeeded", x.min_succeeded, d.min_succeeded);
  v("at_end", x.at_end, d.at_end);
  v("need", x.need, d.need);
  v("linger", x.linger, d.linger);
}

TY_FIELDS(Retry) {
  v("budget", x.budget, d.budget);
  v("on", x.on, d.on);
  v("counted", x.counted, d.counted);
  v("platform_cap", x.platform_cap, d.platform_cap);
  v("backoff", x.backoff, d.backoff);
  v("max_backoff", x.max_backoff, d.max_backoff);
  v("exit_codes", x.exit_codes, d.exit_codes);
}

TY_FIELDS(Restart) {
  v("budget", x.budget, d.budget);
  v("on", x.on, d.on);
  v("lost", x.lost, d.lost);
}

TY_FIELDS(Policy) {
  v("events", x.events, d.events);
  v("exit_code", x.exit_code, d.exit_code);
  v("action", x.action, d.action);
  v("delay", x.delay, d.delay);
}

TY_FIELDS(Alert) {
  v("states", x.states, d.states);
  v("at", x.at, d.at);
  v("after", x.after, d.after);
  v("level", x.level, d.level);
  v("to", x.to, d.to);
  v("every", x.every, d.every);
}

TY_FIELDS(MetricRule) {
  v("kind", x.kind, d.kind);
  v("name", x.name, d.name);
  v("group", x.group, d.group);
  v("pattern", x.pattern, d.pattern);
  v("value", x.value, d.value);
  v("step", x.step, d.step);
  v("window", x.window, d.window);
}

TY_FIELDS(Services) {
  v("tensorboard", x.tensorboard, d.tensorboard);
  v("ssh", x.ssh, d.ssh);
  v("ssh_folder", x.ssh_folder, d.ssh_folder);
  v("ssh_port", x.ssh_port, d.ssh_port);
  v("mpi", x.mpi, d.mpi);
  v("master_port", x.master_port, d.master_port);
  v("tensorflow_port", x.tensorflow_port, d.tensorflow_port);
}

TY_FIELDS(SecretRef) {
  v("stored_name", x.stored_name, d.stored_name);
  v("sealed", x.sealed, d.sealed);
}

TY_FIELDS(ImageAuth) {
  v("server", x.server, d.server);
  v("username", x.username, d.username);
  v("password", x.password, d.password);
  v("stored_name", x.stored_name, d.stored_name);
  v("file", x.file, d.file);
}

TY_FIELDS(RunAs) {
  v("user", x.user, d.user);
  v("uid", x.uid, d.uid);
  v("gid", x.gid, d.gid);
}

TY_FIELDS(Sku) {
  v("type", x.type, d.type);
  v("count", x.count, d.count);
  v("pinned_cell", x.pinned_cell, d.pinned_cell);
  v("affinity_group", x.affinity_group, d.affinity_group);
}

TY_FIELDS(After) {
  v("role", x.role, d.role);
  v("when", x.when, d.when);
  v("any", x.any, d.any);
}

TY_FIELDS(RoleSpec) {
  v("name", x.name, d.name);
  v("system_name", x.system_name, d.system_name);
  v("count", x.count, d.count);
  v("min_available", x.min_available, d.min_available);
  v("image", x.image, d.image);
  v("pull", x.pull, d.pull);
  v("image_auth", x.image_auth, d.image_auth);
  v("command", x.command, d.command);
  v("workdir", x.workdir, d.workdir);
  v("resources", x.resources, d.resources);
  v("ports", x.ports, d.ports);
  v("mounts", x.mounts, d.mounts);
  v("env", x.env, d.env);
  v("policies", x.policies, d.policies);
  v("completion", x.completion, d.completion);
  v("restart", x.restart, d.restart);
  v("after", x.after, d.after);
  v("ranked", x.ranked, d.ranked);
  v("part", x.part, d.part);
  v("network", x.network, d.network);
  v("node_labels", x.node_labels, d.node_labels);
  v("sku", x.sku, d.sku);
  v("caps", x.caps, d.caps);
  v("task_limit", x.task_limit, d.task_limit);
}

TY_FIELDS(UnknownKey) {
  v("pointer", x.pointer, d.pointer);
  v("value", x.value, d.value);
}

TY_FIELDS(JobSpec) {
  v("dialect", x.dialect, d.dialect);
  v("name", x.name, d.name);
  v("description", x.description, d.description);
  v("workspace", x.workspace, d.workspace);
  v("priority", x.priority, d.priority);
  v("preemptible", x.preemptible, d.preemptible);
  v("labels", x.labels, d.labels);
  v("roles", x.roles, d.roles);
  v("min_available", x.min_available, d.min_available);
  v("completion", x.completion, d.completion);
  v("retry", x.retry, d.retry);
  v("policies", x.policies, d.policies);
  v("time_limit", x.time_limit, d.time_limit);
  v("wait_limit", x.wait_limit, d.wait_limit);
  v("ttl", x.ttl, d.ttl);
  v("debug_hold", x.debug_hold, d.debug_hold);
  v("stop_grace", x.stop_grace, d.stop_grace);
  v("env", x.env, d.env);
  v("secrets", x.secrets, d.secrets);
  v("params", x.params, d.params);
  v("links", x.links, d.links);
  v("extras", x.extras, d.extras);
  v("alerts", x.alerts, d.alerts);
  v("metrics", x.metrics, d.metrics);
  v("services", x.services, d.services);
  v("run_as", x.run_as, d.run_as);
  v("unknown", x.unknown, d.unknown);
  v("kube", x.kube, d.kube);
}

}  // namespace ty::model::json_fields
