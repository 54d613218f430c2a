#include "jobspec/print.h"

#include <algorithm>

#include "base/text.h"
#include "jobspec/impl/carry.h"
#include "jobspec/impl/dialect.h"
#include "jobspec/messages.h"
#include "jobspec/read.h"
#include "model/words.h"

namespace ty::jobspec {
namespace {

Issue refusal(Message message) {
  return {.severity = Severity::Error, .code = "convert.refused", .message = std::move(message)};
}

/// What the printed text means to its own reader; none, with the reason, when it is refused.
std::optional<model::JobSpec> read_back(const std::string& text,
                                        model::Dialect dialect,
                                        Message& why) {
  ReadOptions options;
  options.dialect = dialect;
  options.local_sources = LocalSources::Keep;
  options.allow_covered = true;
  ReadResult result = read(text, options);
  if (result.ok() && result.jobs.size() == 1) return std::move(result.jobs.front().spec);
  if (result.ok()) {
    why = say::would_be_several_jobs();
  } else {
    const Issue& first = result.errors.front();
    why = first.path.empty() ? first.message : within(plain(first.path), first.message);
  }
  return std::nullopt;
}

std::vector<Difference> unexplained(const model::JobSpec& meant,
                                    const model::JobSpec& read,
                                    const Notes& notes) {
  std::vector<Difference> rest = differences(meant, read);
  std::erase_if(rest, [&](const Difference& d) { return notes.covers(d.path); });
  return rest;
}

}  // namespace

std::optional<model::Dialect> dialect_named(std::string_view word) {
  if (word == "pumpkin") return model::Dialect::Pumpkin;
  return model::from_word<model::Dialect>(word);
}

bool Printed::complete() const {
  return std::ranges::none_of(issues, [](const Issue& i) { return i.severity == Severity::Error; });
}

Printed print(const model::JobSpec& spec, model::Dialect to) {
  const DialectEntry& entry = entry_of(to);
  if (entry.print == nullptr)
    return {"", {refusal(say::dialect_not_written({.dialect = entry.name()}))}};

  Notes notes;
  Printed printed{entry.print(spec, "", notes), {}};
  Message why;
  auto understood = read_back(printed.text, to, why);
  if (!understood) {
    notes.issues.push_back(
        refusal(say::dialect_cannot_express({.dialect = entry.name(), .why = std::move(why)})));
    printed.issues = std::move(notes.issues);
    return printed;
  }

  std::vector<Difference> rest = unexplained(spec, *understood, notes);
  if (!rest.empty() && !entry.carry_place.empty()) {
    Notes same;
    std::string text = entry.print(spec, carry(spec, *understood, rest), same);
    if (auto again = read_back(text, to, why)) {
      const std::vector<Difference> left = unexplained(spec, *again, notes);
      for (const Difference& one : rest) {
        if (std::ranges::find(left, one.path, &Difference::path) != left.end()) continue;
        notes.carried(one.path,
                      say::carried_elsewhere({.value = shorten(one.value),
                                              .dialect = entry.name(),
                                              .place = entry.carry_place}));
      }
      printed.text = std::move(text);
      rest = left;
    }
  }
  for (const Difference& one : rest)
    notes.lost(one.path,
               say::no_equivalent({.value = shorten(one.value), .dialect = entry.name()}));
  if (spec.dialect != to) {
    for (const auto& [name, ref] : spec.secrets) {
      if (!ref.sealed) continue;
      if (spec.dialect == model::Dialect::OpenPaiV2)
        notes.refused("secrets." + name, say::secret_in_the_command());
      else
        notes.lost("secrets." + name, say::secret_never_written());
    }
    for (const model::UnknownKey& key : spec.unknown) {
      std::string path = key.pointer.substr(std::min<std::size_t>(1, key.pointer.size()));
      std::ranges::replace(path, '/', '.');
      notes.lost(path, say::unknown_key_left_out());
    }
  }
  printed.issues = std::move(notes.issues);
  return printed;
}

std::optional<std::string> json_schema(model::Dialect dialect) {
  const DialectEntry& entry = entry_of(dialect);
  if (entry.schema == nullptr) return std::nullopt;
  return entry.schema();
}

}  // namespace ty::jobspec
