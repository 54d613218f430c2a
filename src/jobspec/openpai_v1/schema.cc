#include "jobspec/openpai_v1/schema.h"

namespace ty::jobspec::openpai_v1 {

std::string schema() {
  return R"json({
  "$schema": "http://json-schema.org/draft-07/schema#",
  "$id": "https://trainyard.dev/schema/openpai-v1.json",
  "title": "OpenPAI v1 job",
  "description": "A job file of OpenPAI up to 0.17 and of SCM",
  "type": "object",
  "required": ["jobName", "image", "taskRoles"],
  "properties": {
    "jobName": {"type": "string", "pattern": "^[A-Za-z0-9._~-]{1,255}$", "description": "Name of the job"},
    "image": {"type": "string", "minLength": 1, "maxLength": 512, "description": "Image of every task", "examples": ["tensorflow/tensorflow:2.16.1"]},
    "authFile": {"type": "string", "description": "File with three lines: registry, user, password"},
    "dataDir": {"type": "string", "description": "Folder with data, read-only", "examples": ["$PAI_DEFAULT_FS_URI/data/mnist"]},
    "outputDir": {"type": "string", "description": "Folder for results", "examples": ["$PAI_DEFAULT_FS_URI/out/$PAI_JOB_NAME"]},
    "codeDir": {"type": "string", "description": "Folder copied beside the command, at most 200 MB"},
    "virtualCluster": {"type": "string", "description": "Workspace; default when absent"},
    "gpuType": {"type": "string", "maxLength": 256, "description": "Acceptable GPU types, separated by commas; any when absent", "examples": ["V100,A100"]},
    "retryCount": {"$ref": "#/definitions/retries", "description": "How often a failed job is tried again; -1 always, -2 even after success"},
    "killAllOnCompletedTaskNumber": {"type": ["integer", "string"], "description": "Obsolete: write minSucceededTaskCount"},
    "jobEnvs": {
      "type": "object",
      "description": "Variables of every task",
      "properties": {
        "isDebug": {"type": "boolean", "description": "Keep a failed task for inspection"},
        "paiAzRDMA": {"type": "boolean", "description": "Ask for RDMA devices"}
      }
    },
    "extras": {"type": "object", "description": "Anything; kept and shown"},
    "taskRoles": {"type": "array", "minItems": 1, "maxItems": 64, "items": {"$ref": "#/definitions/role"}}
  },
  "definitions": {
    "whole": {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string", "pattern": "^[1-9][0-9]*$"}]},
    "amount": {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": "^[0-9]+$"}]},
    "retries": {"anyOf": [{"type": "integer", "minimum": -2}, {"type": "string", "pattern": "^-?[0-9]+$"}]},
    "threshold": {"anyOf": [{"$ref": "#/definitions/whole"}, {"type": "null"}, {"const": ""}]},
    "role": {
      "type": "object",
      "required": ["name", "command"],
      "properties": {
        "name": {"type": "string", "pattern": "^[A-Za-z0-9._~-]{1,63}$", "description": "Name of the role"},
        "taskNumber": {"$ref": "#/definitions/whole", "description": "How many tasks; 1 when absent"},
        "cpuNumber": {"$ref": "#/definitions/whole", "description": "CPUs of each task; 1 when absent"},
        "memoryMB": {"$ref": "#/definitions/whole", "description": "Memory of each task in MiB, at least 100"},
        "shmMB": {"$ref": "#/definitions/amount", "description": "Shared memory in MiB, inside memoryMB; 64 when absent"},
        "gpuNumber": {"$ref": "#/definitions/amount", "description": "GPUs of each task; 0 when absent"},
        "portList": {"type": "array", "items": {"$ref": "#/definitions/port"}},
        "command": {"type": "string", "minLength": 1, "description": "What bash runs"},
        "minFailedTaskCount": {"$ref": "#/definitions/threshold", "description": "So many failed tasks fail the job; null never; 1 when absent"},
        "minSucceededTaskCount": {"$ref": "#/definitions/threshold", "description": "So many successful tasks end the job well; null never"}
      }
    },
    "port": {
      "type": "object",
      "required": ["label"],
      "properties": {
        "label": {"type": "string", "pattern": "^[A-Za-z0-9._~-]{1,63}$"},
        "beginAt": {"$ref": "#/definitions/amount", "description": "First port; 0 any"},
        "portNumber": {"$ref": "#/definitions/whole", "description": "How many ports"}
      }
    }
  }
}
)json";
}

}  // namespace ty::jobspec::openpai_v1
