#include "jobspec/volcano/print.h"

namespace ty::jobspec::volcano {

std::string schema() {
  return R"json({
  "$schema": "http://json-schema.org/draft-07/schema#",
  "title": "Volcano Job",
  "type": "object",
  "required": ["apiVersion", "kind", "metadata", "spec"],
  "properties": {
    "apiVersion": {"type": "string", "pattern": "^batch\\.volcano\\.sh/"},
    "kind": {"const": "Job"},
    "metadata": {
      "type": "object",
      "properties": {
        "name": {"type": "string", "maxLength": 63, "pattern": "^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$"},
        "generateName": {"type": "string"},
        "namespace": {"type": "string"},
        "labels": {"type": ["object", "null"]},
        "annotations": {"type": ["object", "null"]}
      },
      "anyOf": [{"required": ["name"]}, {"required": ["generateName"]}]
    },
    "spec": {
      "type": "object",
      "required": ["tasks"],
      "properties": {
        "schedulerName": {"type": "string", "default": "volcano"},
        "minAvailable": {"type": "integer", "minimum": 0, "description": "Tasks that start together; all if not given."},
        "minSuccess": {"type": "integer", "minimum": 1, "description": "The job is done when so many tasks succeeded."},
        "queue": {"type": "string", "default": "default", "description": "The workspace."},
        "maxRetry": {"type": "integer", "minimum": 0, "default": 3, "description": "Runs in all, when policies restart the job."},
        "ttlSecondsAfterFinished": {"type": "integer", "minimum": 0},
        "priorityClassName": {"type": "string", "examples": ["low", "normal", "high", "urgent"]},
        "runningEstimate": {"type": "string"},
        "networkTopology": {"type": "object"},
        "policies": {"$ref": "#/definitions/policies"},
        "plugins": {
          "type": ["object", "null"],
          "propertyNames": {"enum": ["env", "svc", "ssh", "tensorflow", "pytorch", "mpi", "ray", "hcclrank"]},
          "additionalProperties": {"type": ["array", "null"], "items": {"type": "string"}}
        },
        "volumes": {
          "type": ["array", "null"],
          "items": {
            "type": "object",
            "required": ["mountPath"],
            "properties": {"mountPath": {"type": "string"}, "volumeClaimName": {"type": "string"}, "volumeClaim": {"type": "object"}}
          }
        },
        "tasks": {"type": "array", "minItems": 1, "items": {"$ref": "#/definitions/task"}}
      }
    }
  },
  "definitions": {
    "policies": {
      "type": ["array", "null"],
      "items": {
        "type": "object",
        "required": ["action"],
        "properties": {
          "event": {"$ref": "#/definitions/event"},
          "events": {"type": "array", "items": {"$ref": "#/definitions/event"}},
          "exitCode": {"type": "integer", "not": {"const": 0}},
          "action": {"enum": ["AbortJob", "RestartJob", "RestartTask", "RestartPod", "RestartPartition", "TerminateJob", "CompleteJob", "ResumeJob"]},
          "timeout": {"type": "string", "examples": ["10m"]}
        }
      }
    },
    "event": {"enum": ["PodFailed", "PodEvicted", "PodPending", "Unknown", "JobUnknown", "TaskCompleted", "TaskFailed", "JobUpdated", "*"]},
    "task": {
      "type": "object",
      "required": ["template"],
      "properties": {
        "name": {"type": "string", "maxLength": 63, "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"},
        "replicas": {"type": "integer", "minimum": 0},
        "minAvailable": {"type": "integer", "minimum": 0},
        "maxRetry": {"type": "integer", "minimum": -1, "default": 3},
        "policies": {"$ref": "#/definitions/policies"},
        "dependsOn": {
          "type": "object",
          "properties": {
            "name": {"type": ["array", "string"], "items": {"type": "string"}},
            "iteration": {"enum": ["any", "all"]}
          }
        },
        "template": {
          "type": "object",
          "required": ["spec"],
          "properties": {"metadata": {"type": ["object", "null"]}, "spec": {"$ref": "#/definitions/pod"}}
        }
      }
    },
    "pod": {
      "type": "object",
      "required": ["containers"],
      "properties": {
        "restartPolicy": {"enum": ["Never", "OnFailure", "Always"]},
        "containers": {"type": "array", "minItems": 1, "items": {"$ref": "#/definitions/container"}},
        "volumes": {"type": ["array", "null"], "items": {"type": "object", "required": ["name"]}},
        "nodeSelector": {"type": ["object", "null"]},
        "activeDeadlineSeconds": {"type": "integer", "minimum": 1},
        "terminationGracePeriodSeconds": {"type": "integer", "minimum": 0},
        "hostNetwork": {"type": "boolean"}
      }
    },
    "container": {
      "type": "object",
      "required": ["image"],
      "properties": {
        "name": {"type": "string"},
        "image": {"type": "string", "minLength": 1},
        "imagePullPolicy": {"enum": ["Always", "IfNotPresent", "Never"]},
        "command": {"type": ["array", "string"]},
        "args": {"type": ["array", "string"]},
        "workingDir": {"type": "string"},
        "env": {
          "type": ["array", "null"],
          "items": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "valueFrom": {"type": "object"}}}
        },
        "ports": {
          "type": ["array", "null"],
          "items": {"type": "object", "required": ["containerPort"], "properties": {"name": {"type": "string", "maxLength": 15}}}
        },
        "resources": {
          "type": ["object", "null"],
          "properties": {"limits": {"$ref": "#/definitions/amounts"}, "requests": {"$ref": "#/definitions/amounts"}}
        },
        "volumeMounts": {
          "type": ["array", "null"],
          "items": {"type": "object", "required": ["name", "mountPath"]}
        }
      }
    },
    "amounts": {"type": ["object", "null"], "additionalProperties": {"type": ["string", "number", "null"]}}
  }
}
)json";
}

}  // namespace ty::jobspec::volcano
