#include "jobspec/impl/detect.h"

#include <algorithm>
#include <span>
#include <vector>

#include "base/text.h"
#include "jobspec/impl/dialect.h"

namespace ty::jobspec {
namespace {

using model::Dialect;

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
    const DialectEntry* entry = nullptr;
    Ref slip;
    std::string meant;
  } best;
  for (const DialectEntry* const candidate : dialects()) {
    const std::vector<std::string_view> known = candidate->keys();
    Guess guess{0, candidate, {}, {}};
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
    // Of equally near dialects the one with fewer keys is the better guess: less of it is missing.
    const bool smaller =
        guess.score == best.score && best.score > 0 && known.size() < best.entry->keys().size();
    if (guess.score > best.score || smaller) best = guess;
  }
  if (best.score > 0) {
    message += "; closest is the " + std::string(best.entry->short_name) + " format";
    if (best.slip) {
      message += ": did you mean " + best.meant + " (line " +
                 std::to_string(top.tree().line(best.slip)) + ")? ";
    } else if (best.entry->dialect == Dialect::Native) {
      message += ": write run: with the command, or trainyard: 1. ";
    } else {
      message += ". ";
    }
  } else {
    message += ". ";
  }
  return {std::nullopt, "unknown_format", message + "Name the format with --format", top};
}

Detection ambiguous(Ref top, std::span<const DialectEntry* const> fits) {
  std::string message = "fits ";
  for (std::size_t i = 0; i < fits.size(); ++i) {
    std::vector<std::string> keys, lines;
    for (const Ref key : fits[i]->evidence(top)) {
      keys.emplace_back(key->key);
      lines.push_back(std::to_string(top.tree().line(key)));
    }
    if (i > 0) message += i + 1 == fits.size() ? " and " : ", ";
    message += std::string(fits[i]->short_name) + " (" + join(keys, ", ") +
               (lines.size() == 1 ? ", line " : ", lines ") + join(lines, ", ") + ")";
  }
  return {std::nullopt, "ambiguous_format", message + "; remove one set or pass --format", top};
}

}  // namespace

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
  std::vector<const DialectEntry*> fits;
  for (const DialectEntry* const entry : dialects()) {
    if (!entry->evidence(top).empty()) fits.push_back(entry);
  }
  if (fits.size() == 1) return {.dialect = fits.front()->dialect};
  if (fits.size() > 1) return ambiguous(top, fits);
  if (const auto mark = foreign_mark(top))
    return {std::nullopt, "foreign_format", mark->sentence, mark->at};
  if (has_native_shape(top)) return {.dialect = Dialect::Native};
  return unknown(top);
}

}  // namespace ty::jobspec
