#include "jobspec/gpu_manager/print.h"

namespace ty::jobspec::gpu_manager {

std::string schema() {
  return R"json({
  "$schema": "http://json-schema.org/draft-07/schema#",
  "title": "GPU manager job",
  "type": "object",
  "required": ["jobname", "tasks"],
  "properties": {
    "jobname": {"type": "string", "minLength": 1, "description": "Name of the job, unique in its workspace. Capitals and \"_\" are rewritten: test_job1 is test-job1."},
    "tasks": {
      "description": "The task roles; a single one may stand without a list.",
      "oneOf": [{"type": "array", "minItems": 1, "items": {"$ref": "#/definitions/task"}}, {"$ref": "#/definitions/task"}]
    }
  },
  "definitions": {
    "text": {"type": ["string", "number", "boolean", "null"]},
    "words": {
      "description": "A list of words, or one text: with blanks in it, it is run by a shell.",
      "oneOf": [{"type": "array", "items": {"$ref": "#/definitions/text"}}, {"$ref": "#/definitions/text"}]
    },
    "quantity": {"type": ["string", "number", "null"], "examples": ["500m", "1024Mi", "1"]},
    "port": {
      "type": "object",
      "properties": {
        "number": {"type": ["integer", "string", "null"], "description": "Port inside the task, 1 to 65535."},
        "name": {"$ref": "#/definitions/text"}
      }
    },
    "task": {
      "type": "object",
      "required": ["image"],
      "properties": {
        "amount": {"type": ["integer", "string", "null"], "description": "Tasks of this role, 1 if not given.", "default": 1},
        "name": {"$ref": "#/definitions/text", "description": "Name of the role; task-0, task-1, … if not given."},
        "workingDir": {"$ref": "#/definitions/text", "description": "Folder in which the command starts."},
        "command": {"$ref": "#/definitions/words", "description": "Replaces the image's entrypoint."},
        "args": {"$ref": "#/definitions/words", "description": "Replaces the image's arguments."},
        "image": {"type": "string", "minLength": 1, "description": "Full reference of the image."},
        "resources": {
          "type": ["object", "null"],
          "properties": {
            "cpu": {"$ref": "#/definitions/quantity"},
            "memory": {"$ref": "#/definitions/quantity"},
            "gpu": {"$ref": "#/definitions/quantity"}
          }
        },
        "ports": {
          "oneOf": [{"$ref": "#/definitions/port"}, {"type": "array", "items": {"$ref": "#/definitions/port"}}, {"type": "null"}]
        }
      }
    }
  }
}
)json";
}

}  // namespace ty::jobspec::gpu_manager
