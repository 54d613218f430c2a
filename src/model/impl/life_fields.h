#pragma once
#include "model/impl/json_fields.h"
#include "model/job.h"

/// What the small parts of a job's life are made of, field by field. A test compares the lists with
/// the structs.
namespace ty::model::json_fields {

TY_FIELDS(TaskRef) {
  v("role", x.role, d.role);
  v("index", x.index, d.index);
}

TY_FIELDS(Placement) {
  v("node", x.node, d.node);
  v("address", x.address, d.address);
  v("gpus", x.gpus, d.gpus);
  v("gpu_type", x.gpu_type, d.gpu_type);
  v("ports", x.ports, d.ports);
}

TY_FIELDS(Ending) {
  v("outcome", x.outcome, d.outcome);
  v("reason", x.reason, d.reason);
  v("class", x.failure, d.failure);
  v("exit_code", x.exit_code, d.exit_code);
  v("signal", x.signal, d.signal);
  v("message", x.message, d.message);
}

TY_FIELDS(Decision) {
  v("task", x.task, d.task);
  v("rule", x.rule, d.rule);
  v("message", x.message, d.message);
  v("reason", x.reason, d.reason);
  v("class", x.failure, d.failure);
  v("exit_code", x.exit_code, d.exit_code);
}

TY_FIELDS(RetryCount) {
  v("counted", x.counted, d.counted);
  v("platform", x.platform, d.platform);
  v("conflict", x.conflict, d.conflict);
  v("preempted", x.preempted, d.preempted);
  v("before_command", x.before_command, d.before_command);
}

}  // namespace ty::model::json_fields
