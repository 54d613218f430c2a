#include "jobspec/impl/foreign.h"

#include <algorithm>

#include "base/text.h"
#include "jobspec/impl/quantity.h"
#include "jobspec/messages.h"

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

bool ForeignReader::wrong_type(Ref at, const Message& wanted, std::string_view example) {
  report_.error(
      at, "type", say::wrong_kind({.expected = wanted, .got = quoted(at), .example = example}));
  return false;
}

bool ForeignReader::read_text(Ref map,
                              std::string_view key,
                              std::string& out,
                              std::string_view example) {
  const Ref ref = present(map, key);
  if (!ref) return true;
  if (!ref.is_scalar()) return wrong_type(ref, say::some_text(), example);
  out = ref->text;
  return true;
}

bool ForeignReader::need_text(Ref map,
                              std::string_view key,
                              std::string& out,
                              std::string_view example) {
  if (present(map, key)) return read_text(map, key, out, example);
  report_.missing(map, key, example);
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
  if (!ref.is_scalar()) return wrong_type(ref, say::a_whole_number(), example);
  const auto value = parse_whole(trim(ref->text));
  if (!value) {
    const Refusal& refusal = value.error();
    if (refusal.code == "type") return wrong_type(ref, say::a_whole_number(), example);
    report_.error(ref, refusal.code, refusal.message);
    return false;
  }
  if (*value < least) {
    report_.error(ref, "range", say::value_too_small({.value = *value, .least = least}));
    return false;
  }
  if (*value > most) {
    report_.error(ref, "range", say::value_too_large({.value = *value, .most = most}));
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
    report_.warn_at_key(entry, "unknown_key", say::unknown_key_kept());
    spec_.unknown.push_back({entry.tree().pointer(entry), to_json(entry)});
  }
}

}  // namespace ty::jobspec
