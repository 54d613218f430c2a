#include "jobspec/openpai_v2/schema.h"

namespace ty::jobspec::openpai_v2 {

std::string schema() {
  return R"json({
  "$schema": "http://json-schema.org/draft-07/schema#",
  "$id": "https://trainyard.dev/schema/openpai-v2.json",
  "title": "OpenPAI v2 job",
  "description": "A job of OpenPAI's protocol 2 (0.16 to 1.8)",
  "type": "object",
  "required": ["protocolVersion", "name", "type", "taskRoles"],
  "properties": {
    "protocolVersion": {"enum": [2, "2"]},
    "name": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,255}$", "description": "Name of the job"},
    "type": {"const": "job"},
    "version": {"type": ["string", "number"]},
    "contributor": {"type": "string"},
    "description": {"type": "string", "maxLength": 4096},
    "prerequisites": {"type": "array", "minItems": 1, "items": {"$ref": "#/definitions/prerequisite"}},
    "parameters": {"type": "object", "description": "Values for <% $parameters.name %>"},
    "secrets": {"description": "Values for <% $secrets.name %>: never shown again"},
    "jobRetryCount": {"type": "integer", "minimum": -2, "description": "How often a failed job is tried again"},
    "taskRoles": {"type": "object", "minProperties": 1, "maxProperties": 64, "additionalProperties": {"$ref": "#/definitions/role"}},
    "deployments": {
      "type": "array",
      "items": {
        "type": "object",
        "required": ["name"],
        "properties": {
          "name": {"type": "string"},
          "taskRoles": {
            "type": "object",
            "additionalProperties": {
              "type": "object",
              "properties": {
                "preCommands": {"$ref": "#/definitions/lines"},
                "postCommands": {"$ref": "#/definitions/lines"}
              }
            }
          }
        }
      }
    },
    "defaults": {
      "type": "object",
      "properties": {
        "virtualCluster": {"type": "string", "description": "Workspace; default when absent"},
        "deployment": {"type": "string", "description": "Whose pre and post commands are used"}
      }
    },
    "extras": {
      "type": "object",
      "properties": {
        "gangAllocation": {"type": "boolean", "description": "false: tasks start one by one, and taskRetryCount works"},
        "hivedScheduler": {
          "type": "object",
          "properties": {
            "jobPriorityClass": {"enum": ["oppo", "test", "prod", "crit"]},
            "taskRoles": {
              "type": "object",
              "additionalProperties": {
                "type": "object",
                "properties": {
                  "skuType": {"type": "string"},
                  "skuNum": {"type": "integer", "minimum": 0},
                  "pinnedCellId": {"type": "string"},
                  "affinityGroupName": {"type": ["string", "null"]}
                }
              }
            }
          }
        },
        "storages": {
          "type": "array",
          "items": {"type": "object", "properties": {"name": {"type": "string"}, "mountPath": {"type": "string", "pattern": "^/"}}}
        },
        "com.microsoft.pai.runtimeplugin": {
          "type": "array",
          "items": {
            "type": "object",
            "required": ["plugin"],
            "properties": {
              "plugin": {"enum": ["ssh", "tensorboard", "cmd", "git", "teamwise_storage"]},
              "parameters": {"type": "object"},
              "failurePolicy": {"enum": ["fail", "ignore"]},
              "taskroles": {"type": "array", "items": {"type": "string"}}
            }
          }
        },
        "jobStatusChangeNotification": {
          "type": "object",
          "properties": {
            "running": {"type": "boolean"},
            "succeeded": {"type": "boolean"},
            "failed": {"type": "boolean"},
            "stopped": {"type": "boolean"},
            "retried": {"type": "boolean"}
          }
        }
      }
    }
  },
  "definitions": {
    "lines": {"type": "array", "minItems": 1, "items": {"type": "string"}},
    "threshold": {"type": ["integer", "null"], "minimum": -1},
    "prerequisite": {
      "type": "object",
      "required": ["type", "name"],
      "properties": {
        "type": {"enum": ["dockerimage", "data", "script", "output"]},
        "name": {"type": "string"},
        "uri": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
        "auth": {
          "type": "object",
          "properties": {
            "username": {"type": "string"},
            "password": {"type": "string", "examples": ["<% $secrets.registry %>"]},
            "registryuri": {"type": "string"}
          }
        },
        "plugin": {"type": "string"}
      }
    },
    "role": {
      "type": "object",
      "required": ["dockerImage", "resourcePerInstance", "commands"],
      "properties": {
        "instances": {"type": "integer", "minimum": 1, "maximum": 4096, "description": "How many tasks; 1 when absent"},
        "completion": {
          "type": "object",
          "properties": {
            "minFailedInstances": {"$ref": "#/definitions/threshold", "description": "So many failed tasks fail the job; -1 never; 1 when absent"},
            "minSucceededInstances": {"$ref": "#/definitions/threshold", "description": "So many successful tasks end the job well; -1 never; all when absent"}
          }
        },
        "taskRetryCount": {"type": "integer", "minimum": -1, "description": "With extras.gangAllocation: false"},
        "prerequisites": {"type": "array", "items": {"type": "string"}},
        "dockerImage": {"type": "string", "description": "Name of a prerequisite of type dockerimage"},
        "data": {"type": "string"},
        "output": {"type": "string"},
        "script": {"type": "string"},
        "extraContainerOptions": {
          "type": "object",
          "properties": {
            "shmMB": {"type": "integer", "minimum": 0, "description": "Shared memory; 512 when absent"},
            "infiniband": {"type": "boolean"}
          }
        },
        "resourcePerInstance": {
          "type": "object",
          "required": ["cpu", "memoryMB", "gpu"],
          "properties": {
            "cpu": {"type": "integer", "minimum": 1},
            "memoryMB": {"type": "integer", "minimum": 4},
            "gpu": {"type": "integer", "minimum": 0},
            "ports": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 1}}
          }
        },
        "commands": {"$ref": "#/definitions/lines"}
      }
    }
  }
}
)json";
}

}  // namespace ty::jobspec::openpai_v2
