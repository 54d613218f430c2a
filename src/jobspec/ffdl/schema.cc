#include "jobspec/ffdl/print.h"

namespace ty::jobspec::ffdl {

std::string schema() {
  return R"json({
  "$schema": "http://json-schema.org/draft-07/schema#",
  "title": "FfDL and Prophecis manifest",
  "type": "object",
  "required": ["name", "framework"],
  "properties": {
    "name": {"type": "string", "maxLength": 225},
    "description": {"$ref": "#/definitions/text"},
    "version": {"$ref": "#/definitions/text"},
    "cpus": {"type": ["number", "string"], "description": "Cores of one learner.", "examples": [2, 0.5]},
    "gpus": {"type": ["number", "string"], "description": "GPUs of one learner, whole ones."},
    "gpu_type": {"$ref": "#/definitions/text", "examples": ["nvidia-TeslaV100", "V100"]},
    "learners": {"type": ["integer", "string"], "default": 1},
    "memory": {"type": "string", "pattern": "^ *[0-9]+(\\.[0-9]+)? *[KkMmGgTt][Ii]?[Bb]? *$", "examples": ["4Gb", "512MiB"]},
    "storage": {"type": "string"},
    "namespace": {"$ref": "#/definitions/text", "description": "The workspace."},
    "job_type": {"enum": ["", "Local", "MLPipeline", "dist-tf", null]},
    "code_selector": {"enum": ["codeFile", "storagePath", "", null]},
    "code_path": {"$ref": "#/definitions/text"},
    "fileName": {"$ref": "#/definitions/text"},
    "pss": {"type": ["integer", "string"]},
    "ps_cpu": {"type": ["number", "string"]},
    "ps_memory": {"type": "string"},
    "ps_image": {"$ref": "#/definitions/text", "description": "Tag of the parameter servers' image."},
    "data_stores": {
      "type": ["array", "null"],
      "maxItems": 1,
      "items": {
        "type": "object",
        "properties": {
          "id": {"$ref": "#/definitions/text"},
          "type": {"enum": ["mount_volume", "mount_cos", "s3_datastore", "host_mount"]},
          "training_data": {"$ref": "#/definitions/container"},
          "training_results": {"$ref": "#/definitions/container"},
          "training_workspace": {"$ref": "#/definitions/container"},
          "connection": {
            "type": "object",
            "properties": {
              "type": {"$ref": "#/definitions/text"},
              "name": {"$ref": "#/definitions/text"},
              "path": {"type": "string", "pattern": "^/"},
              "auth_url": {"$ref": "#/definitions/text"},
              "user_name": {"$ref": "#/definitions/text"},
              "password": {"$ref": "#/definitions/text"},
              "region": {"$ref": "#/definitions/text"},
              "project_id": {"$ref": "#/definitions/text"},
              "domain_name": {"$ref": "#/definitions/text"}
            }
          }
        }
      }
    },
    "framework": {
      "type": "object",
      "required": ["name", "version", "command"],
      "properties": {
        "name": {"$ref": "#/definitions/text", "description": "tensorflow, pytorch, horovod, custom …, or the name of an image."},
        "version": {"$ref": "#/definitions/text", "description": "Tag of the image."},
        "command": {"type": "string", "minLength": 1, "description": "Run by bash in $MODEL_DIR; line ends are blanks."},
        "image_tag": {"$ref": "#/definitions/text"}
      }
    },
    "evaluation_metrics": {
      "type": ["object", "null"],
      "properties": {
        "type": {"$ref": "#/definitions/text", "examples": ["tensorboard", "regex_extractor", "emetrics_file"]},
        "in": {"$ref": "#/definitions/text"},
        "line_lookahead": {"type": "integer", "minimum": 1},
        "groups": {"type": "object", "additionalProperties": {"type": "object", "required": ["regex"]}}
      }
    },
    "job_alert": {
      "type": ["object", "null"],
      "properties": {
        "event": {"$ref": "#/definitions/alerts"},
        "deadline": {"$ref": "#/definitions/alerts"},
        "overtime": {"$ref": "#/definitions/alerts"}
      }
    }
  },
  "definitions": {
    "text": {"type": ["string", "number", "boolean", "null"]},
    "container": {"type": ["object", "null"], "properties": {"container": {"$ref": "#/definitions/text"}}},
    "alerts": {"type": ["array", "null"], "items": {"type": "object", "required": ["receiver"]}}
  }
}
)json";
}

}  // namespace ty::jobspec::ffdl
