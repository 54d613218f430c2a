#include "jobspec/pumpkin/print.h"

namespace ty::jobspec::pumpkin {

std::string schema() {
  return R"json({
  "$schema": "http://json-schema.org/draft-07/schema#",
  "title": "Pumpkin train job",
  "type": "object",
  "required": ["name", "config"],
  "properties": {
    "name": {"type": "string", "maxLength": 30, "pattern": "^[A-Za-z0-9一-龥_-]+$", "description": "Letters, digits, Chinese characters, \"-\" and \"_\"."},
    "desc": {"type": ["string", "null"], "maxLength": 300},
    "imageId": {"type": ["string", "null"]},
    "imageUrl": {"type": ["string", "null"], "description": "Full reference of the image."},
    "algorithmId": {"type": ["string", "null"], "description": "The code, found in /code."},
    "algorithmVersion": {"$ref": "#/definitions/version"},
    "dataSetId": {"type": ["string", "null"], "description": "The data, found in /dataset."},
    "dataSetVersion": {"$ref": "#/definitions/version"},
    "preTrainModelId": {"type": ["string", "null"], "description": "A model to begin with, found in /pretrainmodel."},
    "preTrainModelVersion": {"$ref": "#/definitions/version"},
    "resourcePool": {"type": ["string", "null"]},
    "isDistributed": {"type": ["boolean", "null"], "default": false},
    "disableMountUserHome": {"type": ["boolean", "null"]},
    "disableMountModel": {"type": ["boolean", "null"]},
    "mounts": {
      "type": ["array", "null"],
      "items": {
        "type": "object",
        "required": ["containerPath"],
        "properties": {
          "containerPath": {"type": "string", "pattern": "^/"},
          "readOnly": {"type": "boolean"},
          "isTensorboardLogDir": {"type": "boolean"},
          "nfs": {"type": "object", "required": ["server", "path"]},
          "octopus": {"type": "object", "required": ["bucket"]}
        }
      }
    },
    "config": {"type": "array", "minItems": 1, "items": {"$ref": "#/definitions/task"}}
  },
  "definitions": {
    "version": {"type": ["string", "null"], "pattern": "^(V[0-9]+)?$"},
    "count": {"type": ["integer", "string"], "minimum": 1},
    "task": {
      "type": "object",
      "required": ["command", "resourceSpecId"],
      "properties": {
        "name": {"type": ["string", "null"], "maxLength": 30, "pattern": "^[0-9A-Za-z_]*$"},
        "command": {"type": "string", "minLength": 1},
        "parameters": {
          "type": ["array", "null"],
          "items": {"type": "object", "properties": {"key": {"type": "string"}, "value": {"type": ["string", "number", "boolean"]}}}
        },
        "resourceSpecId": {"type": "string", "minLength": 1},
        "taskNumber": {"$ref": "#/definitions/count"},
        "minSucceededTaskCount": {"$ref": "#/definitions/count"},
        "minFailedTaskCount": {"$ref": "#/definitions/count"},
        "isMainRole": {"type": ["boolean", "null"], "description": "Its success ends the job."},
        "envs": {"type": ["object", "null"]}
      }
    }
  }
}
)json";
}

}  // namespace ty::jobspec::pumpkin
