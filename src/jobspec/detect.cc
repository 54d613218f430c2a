#include "jobspec/impl/detect.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "base/text.h"
#include "jobspec/native/fields.h"
#include "jobspec/read.h"

namespace ty::jobspec {
namespace {

using model::Dialect;

constexpr std::array kDialects = {Dialect::Volcano,
                                  Dialect::OpenPaiV2,
                                  Dialect::OpenPaiV1,
                                  Dialect::Ffdl,
                                  Dialect::GpuManager,
                                  Dialect::Octopus,
                                  Dialect::Native};

using Evidence = std::vector<Ref>;

bool has_any(Ref map, std::initializer_list<std::string_view> keys) {
  return std::ranges::any_of(
      keys, [&](std::string_view key) { return static_cast<bool>(map.find(key)); });
}

bool text_starts_with(Ref ref, std::string_view prefix) {
  return ref && ref.is_scalar() && ref->text.starts_with(prefix);
}
bool is_map(Ref ref) { return ref && ref.is_map(); }
bool is_list(Ref ref) { return ref && ref.is_list(); }

/// The keys that speak for a dialect; none: it is not that one.
Evidence evidence_for(Dialect dialect, Ref top) {
  const Ref task_roles = top.find("taskRoles");
  switch (dialect) {
    case Dialect::Volcano: {
      const Ref kind = top.find("kind");
      if (text_starts_with(top.find("apiVersion"), "batch.volcano.sh/") && kind &&
          kind->text == "Job") {
        return {top.find("apiVersion"), kind};
      }
      return {};
    }
    case Dialect::OpenPaiV2: {
      if (const Ref version = top.find("protocolVersion")) return {version};
      if (!is_map(task_roles)) return {};
      for (const Ref role : task_roles) {
        if (role.is_map() && has_any(role, {"commands", "dockerImage", "resourcePerInstance"}))
          return {task_roles};
      }
      return {};
    }
    case Dialect::OpenPaiV1:
      return is_list(task_roles) ? Evidence{task_roles} : Evidence{};
    case Dialect::Ffdl:
      if (is_map(top.find("framework"))) return {top.find("framework")};
      if (is_list(top.find("data_stores"))) return {top.find("data_stores")};
      return {};
    case Dialect::GpuManager:
      if (top.find("jobname") && top.find("tasks")) return {top.find("jobname"), top.find("tasks")};
      return {};
    case Dialect::Octopus: {
      const Ref config = top.find("config");
      if (!is_list(config)) return {};
      for (const std::string_view key :
           {"algorithmId", "imageId", "imageUrl", "dataSetId", "isDistributed", "resourcePool"}) {
        if (const Ref mark = top.find(key)) return {config, mark};
      }
      for (const Ref item : config) {
        if (item.find("resourceSpecId")) return {config};
      }
      return {};
    }
    case Dialect::Native:
      if (const Ref version = top.find("trainyard")) return {version};
      return {};
  }
  return {};
}

struct Mark {
  Ref at;
  std::string sentence;
};

std::string kubernetes_sentence(Ref top) {
  const std::string kind(top.find("kind")->text);
  const std::string what = "this is a Kubernetes " + shorten(kind) + ", not a job file; ";
  if (kind == "CronJob") return what + "submit the job it starts, from your own cron";
  if (kind == "TFJob" || kind == "PyTorchJob" || kind == "MPIJob") {
    return what + "write its replicas as roles: of a native job, or as tasks of a Volcano Job";
  }
  if (kind == "Job") {
    return what +
           "write apiVersion: batch.volcano.sh/v1alpha1 with tasks, or a native job with image: "
           "and run:";
  }
  return what + "give a Volcano Job (apiVersion: batch.volcano.sh/v1alpha1) or a native job file";
}

/// Files of other tools that look like a job at first sight.
std::optional<Mark> foreign_mark(Ref top) {
  const Ref kind = top.find("kind");
  if (top.find("apiVersion") && kind && kind.is_scalar())
    return Mark{kind, kubernetes_sentence(top)};
  if (const Ref at = top.find("protocol_version")) {
    return Mark{at,
                "this is an item of the OpenPAI 0.8 marketplace; submit the job it describes, with "
                "protocolVersion: 2"};
  }
  if (const Ref at = top.find("taskRoles"); is_map(at)) {
    return Mark{
        at, "this is a launcher's framework descriptor; submit the OpenPAI job it was made from"};
  }
  if (const Ref at = top.find("entrypoint");
      at && has_any(top, {"searcher", "hyperparameters", "max_restarts", "environment"})) {
    return Mark{at,
                "this is a Determined experiment; write its entrypoint as run: of a native job"};
  }
  if (const Ref at = top.find("type");
      at && (at->text == "task" || at->text == "service" || at->text == "dev-environment")) {
    return Mark{at, "this is a dstack configuration; write its commands as run: of a native job"};
  }
  for (const std::string_view key : {"resources", "num_nodes", "file_mounts", "envs", "setup"}) {
    const Ref at = top.find(key);
    if (at && (key != "resources" || at.is_map())) {
      return Mark{at,
                  "this is a SkyPilot task; write num_nodes as count:, envs as env:, resources as "
                  "gpus:, cpus:, "
                  "memory: of a native job"};
    }
  }
  if (const Ref at = top.find("services"); is_map(at)) {
    return Mark{at, "this is a Compose file; write its services as roles: of a native job"};
  }
  if (top.find("on") && top.find("jobs")) {
    return Mark{top.find("jobs"), "this is a CI workflow; write its steps as run: of a native job"};
  }
  if (const Ref at = top.find("jobStatus")) {
    return Mark{at, "this is the status of a job, not its configuration; submit the job's config"};
  }
  return std::nullopt;
}

bool has_native_shape(Ref top) {
  const Ref run = top.find("run");
  return (run && (run.is_scalar() || run.is_list())) || is_map(top.find("roles"));
}

std::vector<std::string_view> keys_of(Dialect dialect) {
  switch (dialect) {
    case Dialect::Native: {
      std::vector<std::string_view> keys;
      for (const native::Field& field : native::fields()) keys.push_back(field.key);
      return keys;
    }
    case Dialect::OpenPaiV1:
      return {"jobName",
              "image",
              "authFile",
              "dataDir",
              "outputDir",
              "codeDir",
              "virtualCluster",
              "gpuType",
              "retryCount",
              "taskRoles",
              "killAllOnCompletedTaskNumber",
              "jobEnvs",
              "extras"};
    case Dialect::OpenPaiV2:
      return {"protocolVersion",
              "name",
              "type",
              "version",
              "contributor",
              "description",
              "prerequisites",
              "parameters",
              "secrets",
              "jobRetryCount",
              "taskRoles",
              "deployments",
              "defaults",
              "extras"};
    case Dialect::Ffdl:
      return {"name",
              "description",
              "version",
              "cpus",
              "gpus",
              "memory",
              "learners",
              "namespace",
              "gpu_type",
              "data_stores",
              "framework",
              "job_type",
              "evaluation_metrics",
              "job_alert",
              "pss",
              "ps_cpu"};
    case Dialect::GpuManager:
      return {"jobname", "tasks"};
    case Dialect::Volcano:
      return {"apiVersion", "kind", "metadata", "spec"};
    case Dialect::Octopus:
      return {"name",
              "desc",
              "algorithmId",
              "algorithmVersion",
              "imageId",
              "imageUrl",
              "dataSetId",
              "dataSetVersion",
              "resourcePool",
              "isDistributed",
              "config",
              "mounts"};
  }
  return {};
}

Detection unknown(Ref top) {
  std::vector<std::string> keys;
  for (const Ref entry : top) {
    if (keys.size() < 8) keys.emplace_back(shorten(entry->key, 30));
  }
  std::string message = "cannot tell what kind of job file this is: it has ";
  if (keys.empty())
    message += "no keys";
  else
    message += (top->count == 1 ? "the key " : "the keys ") + join(keys, ", ") +
               (top->count > keys.size() ? ", …" : "");

  struct Guess {
    std::size_t score = 0;
    Dialect dialect{};
    Ref slip;
    std::string meant;
  } best;
  for (const Dialect dialect : kDialects) {
    const std::vector<std::string_view> known = keys_of(dialect);
    Guess guess{0, dialect, {}, {}};
    std::size_t seen = 0;
    for (const Ref entry : top) {
      if (++seen > 64) break;
      if (std::ranges::find(known, entry->key) != known.end()) {
        guess.score += 2;
      } else if (const std::string near = closest(entry->key, known);
                 !near.empty() && !top.find(near)) {
        ++guess.score;
        if (!guess.slip) {
          guess.slip = entry;
          guess.meant = near;
        }
      }
    }
    // Of equally near formats the one with fewer keys is the better guess: less of it is missing.
    const bool smaller =
        guess.score == best.score && best.score > 0 && known.size() < keys_of(best.dialect).size();
    if (guess.score > best.score || smaller) best = guess;
  }
  if (best.score > 0) {
    message += "; closest is the " + std::string(short_name(best.dialect)) + " format";
    if (best.slip) {
      message += ": did you mean " + best.meant + " (line " +
                 std::to_string(top.tree().line(best.slip)) + ")? ";
    } else if (best.dialect == Dialect::Native) {
      message += ": write run: with the command, or trainyard: 1. ";
    } else {
      message += ". ";
    }
  } else {
    message += ". ";
  }
  return {std::nullopt, "unknown_format", message + "Name the format with --format", top};
}

Detection ambiguous(Ref top, std::span<const Dialect> fits) {
  std::string message = "fits ";
  for (std::size_t i = 0; i < fits.size(); ++i) {
    std::vector<std::string> keys, lines;
    for (const Ref key : evidence_for(fits[i], top)) {
      keys.emplace_back(key->key);
      lines.push_back(std::to_string(top.tree().line(key)));
    }
    if (i > 0) message += i + 1 == fits.size() ? " and " : ", ";
    message += std::string(short_name(fits[i])) + " (" + join(keys, ", ") +
               (lines.size() == 1 ? ", line " : ", lines ") + join(lines, ", ") + ")";
  }
  return {std::nullopt, "ambiguous_format", message + "; remove one set or pass --format", top};
}

}  // namespace

std::string_view short_name(Dialect dialect) {
  switch (dialect) {
    case Dialect::Native:
      return "native";
    case Dialect::OpenPaiV1:
      return "OpenPAI v1";
    case Dialect::OpenPaiV2:
      return "OpenPAI v2";
    case Dialect::Ffdl:
      return "FfDL";
    case Dialect::GpuManager:
      return "GPU manager";
    case Dialect::Volcano:
      return "Volcano";
    case Dialect::Octopus:
      return "Octopus";
  }
  return "?";
}

std::string_view title(Dialect dialect) {
  switch (dialect) {
    case Dialect::Native:
      return "a native job";
    case Dialect::OpenPaiV1:
      return "an OpenPAI v1 job";
    case Dialect::OpenPaiV2:
      return "an OpenPAI v2 job";
    case Dialect::Ffdl:
      return "an FfDL manifest";
    case Dialect::GpuManager:
      return "a GPU manager job";
    case Dialect::Volcano:
      return "a Volcano Job";
    case Dialect::Octopus:
      return "an Octopus train job";
  }
  return "?";
}

std::string_view address(Dialect dialect) {
  switch (dialect) {
    case Dialect::OpenPaiV1:
      return "/rest-server/api/v1/jobs";
    case Dialect::OpenPaiV2:
      return "/rest-server/api/v2/jobs";
    case Dialect::Ffdl:
      return "/v1/models";
    case Dialect::Octopus:
      return "/openaiserver/v1/trainmanage/trainjob";
    case Dialect::Native:
    case Dialect::GpuManager:
    case Dialect::Volcano:
      break;
  }
  return "/api/v1/jobs";
}

std::optional<std::size_t> find_template_mark(std::string_view source) {
  for (std::size_t at = source.find('{'); at != std::string_view::npos;
       at = source.find('{', at + 1)) {
    const std::string_view two = source.substr(at, 2);
    if (two == "{%") return at;
    if (two == "{{" && (at == 0 || (source[at - 1] != '$' && source[at - 1] != '{'))) return at;
  }
  return std::nullopt;
}

Detection detect(Ref top) {
  std::vector<Dialect> fits;
  for (const Dialect dialect : kDialects) {
    if (!evidence_for(dialect, top).empty()) fits.push_back(dialect);
  }
  if (fits.size() == 1) return {.dialect = fits.front()};
  if (fits.size() > 1) return ambiguous(top, fits);
  if (const auto mark = foreign_mark(top))
    return {std::nullopt, "foreign_format", mark->sentence, mark->at};
  if (has_native_shape(top)) return {.dialect = Dialect::Native};
  return unknown(top);
}

}  // namespace ty::jobspec
