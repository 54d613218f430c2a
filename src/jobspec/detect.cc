#include "jobspec/impl/detect.h"

#include <algorithm>
#include <span>
#include <vector>

#include "base/text.h"
#include "jobspec/impl/dialect.h"
#include "jobspec/messages.h"

namespace ty::jobspec {
namespace {

using model::Dialect;

struct Mark {
  Ref at;
  Message message;
};

Message not_this_kubernetes_object(Ref top) {
  const std::string kind(top.find("kind")->text);
  if (kind == "CronJob") return say::kubernetes_cron_job();
  if (kind == "TFJob" || kind == "PyTorchJob" || kind == "MPIJob")
    return say::kubernetes_training_job({.kind = kind});
  if (kind == "Job") return say::kubernetes_job();
  return say::kubernetes_object({.kind = shorten(kind)});
}

/// Files of other tools that look like a job at first sight.
std::optional<Mark> foreign_mark(Ref top) {
  const Ref kind = top.find("kind");
  if (top.find("apiVersion") && kind && kind.is_scalar())
    return Mark{kind, not_this_kubernetes_object(top)};
  if (const Ref at = top.find("protocol_version")) {
    return Mark{at, say::openpai_marketplace_item()};
  }
  if (const Ref at = top.find("taskRoles"); is_map(at)) {
    return Mark{at, say::openpai_framework_descriptor()};
  }
  if (const Ref at = top.find("entrypoint");
      at && has_any(top, {"searcher", "hyperparameters", "max_restarts", "environment"})) {
    return Mark{at, say::determined_experiment()};
  }
  if (const Ref at = top.find("type");
      at && (at->text == "task" || at->text == "service" || at->text == "dev-environment")) {
    return Mark{at, say::dstack_configuration()};
  }
  for (const std::string_view key : {"resources", "num_nodes", "file_mounts", "envs", "setup"}) {
    const Ref at = top.find(key);
    if (at && (key != "resources" || at.is_map())) {
      return Mark{at, say::skypilot_task()};
    }
  }
  if (const Ref at = top.find("services"); is_map(at)) {
    return Mark{at, say::compose_file()};
  }
  if (top.find("on") && top.find("jobs")) {
    return Mark{top.find("jobs"), say::ci_workflow()};
  }
  if (const Ref at = top.find("jobStatus")) {
    return Mark{at, say::job_status()};
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
  if (top->count > keys.size()) keys.emplace_back("…");
  Message message = keys.empty() ? say::unknown_dialect_without_keys()
                                 : say::unknown_dialect({.keys = std::move(keys)});

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
    const Message format = best.entry->name();
    if (best.slip)
      message = joined(std::move(message),
                       say::closest_dialect_with({.dialect = format,
                                                  .meant = best.meant,
                                                  .written = shorten(best.slip->key, 30),
                                                  .line = top.tree().line(best.slip)}));
    else if (best.entry->dialect == Dialect::Native)
      message = joined(std::move(message), say::closest_dialect_native());
    else
      message = joined(std::move(message), say::closest_dialect({.dialect = format}));
  }
  return {std::nullopt, "unknown_format", joined(std::move(message), say::name_the_dialect()), top};
}

Detection ambiguous(Ref top, std::span<const DialectEntry* const> fits) {
  Value::Messages formats;
  for (const DialectEntry* const entry : fits) {
    Words keys, lines;
    for (const Ref key : entry->evidence(top)) {
      keys.emplace_back(key->key);
      lines.push_back(std::to_string(top.tree().line(key)));
    }
    const bool one = keys.size() == 1;
    formats.push_back(
        one ? say::dialect_by_key(
                  {.dialect = entry->name(), .line = lines.front(), .key = keys.front()})
            : say::dialect_by_keys(
                  {.dialect = entry->name(), .lines = std::move(lines), .keys = std::move(keys)}));
  }
  return {std::nullopt,
          "ambiguous_format",
          say::fits_several_dialects({.dialects = std::move(formats)}),
          top};
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
    return {std::nullopt, "foreign_format", mark->message, mark->at};
  if (has_native_shape(top)) return {.dialect = Dialect::Native};
  return unknown(top);
}

}  // namespace ty::jobspec
