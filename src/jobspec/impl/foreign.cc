#include "jobspec/impl/foreign.h"

#include <algorithm>

#include "base/text.h"
#include "jobspec/impl/quantity.h"

namespace ty::jobspec {

namespace {
/// The job's own come first.
std::size_t slot_of(int role) { return static_cast<std::size_t>(role) + 1; }
}  // namespace

bool ForeignReader::doubtful(Part part, int role) const {
  const std::size_t index = slot_of(role);
  return index < doubts_.size() && doubts_[index].test(static_cast<std::size_t>(part));
}

void ForeignReader::doubt(Part part, int role) {
  const std::size_t index = slot_of(role);
  if (doubts_.size() <= index) doubts_.resize(index + 1);
  doubts_[index].set(static_cast<std::size_t>(part));
}

bool ForeignReader::is_absent(Ref ref) {
  if (!ref || ref.is_null()) return true;
  return ref.is_scalar() ? ref->text.empty() : ref->count == 0;
}

Ref ForeignReader::present(Ref map, std::string_view key) {
  const Ref ref = map.find(key);
  return is_absent(ref) ? Ref{} : ref;
}

bool ForeignReader::wrong_type(Ref at, std::string_view wanted, std::string_view example) {
  report_.error(at,
                "type",
                quoted(at) + " is not " + std::string(wanted) + "; write for example " +
                    std::string(example));
  return false;
}

bool ForeignReader::read_text(Ref map,
                              std::string_view key,
                              std::string& out,
                              std::string_view example) {
  const Ref ref = present(map, key);
  if (!ref) return true;
  if (!ref.is_scalar()) return wrong_type(ref, "text", example);
  out = ref->text;
  return true;
}

bool ForeignReader::need_text(Ref map,
                              std::string_view key,
                              std::string& out,
                              std::string_view example) {
  if (present(map, key)) return read_text(map, key, out, example);
  report_.missing(map, key, "missing; write for example " + std::string(example));
  return false;
}

bool ForeignReader::read_whole(Ref map,
                               std::string_view key,
                               std::int64_t& out,
                               std::int64_t least,
                               std::int64_t most,
                               std::string_view example) {
  const Ref ref = present(map, key);
  if (!ref) return true;
  if (!ref.is_scalar()) return wrong_type(ref, "a whole number", example);
  const auto value = parse_whole(trim(ref->text));
  if (!value) {
    const Refusal& refusal = value.error();
    report_.error(ref,
                  refusal.code,
                  refusal.code == "type"
                      ? refusal.message + "; write for example " + std::string(example)
                      : refusal.message);
    return false;
  }
  if (*value < least) {
    report_.error(ref, "range", too_small(std::to_string(*value), std::to_string(least)));
    return false;
  }
  if (*value > most) {
    report_.error(ref, "range", too_large(std::to_string(*value), std::to_string(most)));
    return false;
  }
  out = *value;
  return true;
}

bool ForeignReader::read_count(Ref map,
                               std::string_view key,
                               std::optional<std::int64_t>& out,
                               std::string_view example) {
  const Ref ref = map.find(key);
  if (!ref) return true;
  if (is_absent(ref)) {
    out.reset();
    return true;
  }
  std::int64_t value = 0;
  if (!read_whole(map, key, value, 1, INT32_MAX, example)) return false;
  out = value;
  return true;
}

void ForeignReader::keep_unknown(Ref map, std::span<const std::string_view> known) {
  for (const Ref entry : map) {
    if (std::ranges::find(known, entry->key) != known.end()) continue;
    report_.warn_at_key(entry, "unknown_key", "unknown key, kept but without effect");
    spec_.unknown.push_back({entry.tree().pointer(entry), to_json(entry)});
  }
}

}  // namespace ty::jobspec
