#include "base/text.h"
#include "jobspec/native/reader.h"

namespace ty::jobspec::native {

namespace {
std::string first_line(std::string_view example) {
  return std::string(example.substr(0, example.find('\n')));
}

std::string with_example(std::string message, const Field& field) {
  return std::move(message) + "; write for example " + first_line(field.example);
}
}  // namespace

bool NativeReader::has_value(const Slot& slot) {
  if (!slot.ref.is_null()) return true;
  report_.error(slot.ref, "missing", with_example("has no value", *slot.field));
  return false;
}

bool NativeReader::wrong_type(const Slot& slot, std::string_view wanted) {
  report_.error(slot.ref,
                "type",
                with_example(quoted(slot.ref) + " is not " + std::string(wanted), *slot.field));
  return false;
}

bool NativeReader::refuse(const Slot& slot, const Refusal& refusal, bool add_example) {
  report_.error(slot.ref,
                refusal.code,
                add_example ? with_example(refusal.message, *slot.field) : refusal.message);
  return false;
}

bool NativeReader::wrong_word(Ref at, std::string_view what, std::string_view choices) {
  std::string cure(choices);
  const std::size_t last = cure.rfind(", ");
  if (last != std::string::npos) cure.replace(last, 2, " or ");
  report_.error(at, "enum", quoted(at) + " is not " + std::string(what) + "; write " + cure);
  return false;
}

bool NativeReader::read_text(Slot slot, std::string& out) {
  if (!slot) return true;
  if (!has_value(slot)) return false;
  if (!slot.ref.is_scalar()) return wrong_type(slot, "text");
  out = slot.ref->text;
  return true;
}

bool NativeReader::read_template(Slot slot, std::string& out) {
  if (!slot || !read_text(slot, out)) return !slot;
  const std::size_t before = report_.errors.size();
  out = params_.render(slot.ref, out, report_);
  return report_.errors.size() == before;
}

bool NativeReader::read_flag(Slot slot, bool& out) {
  if (!slot) return true;
  if (!has_value(slot)) return false;
  if (!slot.ref.is_plain() || !is_bool_word(slot.ref->text))
    return wrong_type(slot, "true or false");
  out = is_true_word(slot.ref->text);
  return true;
}

bool NativeReader::read_whole(Slot slot, std::int64_t& out, std::int64_t least, std::int64_t most) {
  if (!slot) return true;
  if (!has_value(slot)) return false;
  if (!slot.ref.is_scalar()) return wrong_type(slot, "a whole number");
  const auto value = parse_whole(slot.ref->text);
  if (!value) return refuse(slot, value.error(), value.error().code == "type");
  if (!slot.ref.is_plain()) {
    report_.error(slot.ref,
                  "type",
                  quoted(slot.ref) + " is text; write " + std::string(slot.field->key) + ": " +
                      std::to_string(*value) + " without quotes");
    return false;
  }
  if (*value < least) {
    return refuse(slot, {"range", too_small(std::to_string(*value), std::to_string(least))});
  }
  if (*value > most) {
    return refuse(slot, {"range", too_large(std::to_string(*value), std::to_string(most))});
  }
  out = *value;
  return true;
}

bool NativeReader::read_seconds(Slot slot, Seconds& out, Seconds least, Seconds most) {
  if (!slot) return true;
  if (!has_value(slot)) return false;
  if (!slot.ref.is_scalar()) return wrong_type(slot, "a duration");
  const auto value = parse_time(slot.ref->text);
  if (!value) return refuse(slot, value.error());
  if (*value < least) {
    return refuse(slot, {"range", too_small(format_duration(*value), format_duration(least))});
  }
  if (*value > most) {
    return refuse(slot, {"range", too_large(format_duration(*value), format_duration(most))});
  }
  out = *value;
  return true;
}

bool NativeReader::read_memory(Slot slot, std::int64_t& out) {
  if (!slot) return true;
  if (!has_value(slot)) return false;
  if (!slot.ref.is_scalar()) return wrong_type(slot, "an amount of memory");
  const auto value = parse_memory(slot.ref->text);
  if (!value) return refuse(slot, value.error());
  out = *value;
  return true;
}

bool NativeReader::read_cpus(Slot slot, std::int64_t& out) {
  if (!slot) return true;
  if (!has_value(slot)) return false;
  if (!slot.ref.is_scalar()) return wrong_type(slot, "a number of CPUs");
  const auto value = parse_cpus(slot.ref->text);
  if (!value) return refuse(slot, value.error());
  out = *value;
  return true;
}

bool NativeReader::read_map(Slot slot) {
  if (!slot || !has_value(slot)) return false;
  return slot.ref.is_map() || wrong_type(slot, "a map");
}

bool NativeReader::read_list(Slot slot) {
  if (!slot || !has_value(slot)) return false;
  return slot.ref.is_list() || wrong_type(slot, "a list");
}

bool NativeReader::read_env(Slot slot, model::EnvMap& out) {
  if (!slot) return true;
  if (!read_map(slot)) return false;
  for (const Ref entry : slot.ref) {
    // Mostly written in order, so the end is a good guess.
    auto& value = out.try_emplace(out.end(), std::string(entry->key))->second;
    if (entry.is_null()) {
      value = std::nullopt;
    } else if (entry.is_scalar()) {
      value = params_.render(entry, entry->text, report_);
    } else {
      report_.error(
          entry,
          "type",
          quoted(entry) + " is not text; write for example " + std::string(entry->key) + ": value");
    }
  }
  return true;
}

bool NativeReader::read_text_map(Slot slot, model::TextMap& out) {
  if (!slot) return true;
  if (!read_map(slot)) return false;
  for (const Ref entry : slot.ref) {
    if (entry.is_scalar()) {
      out.insert_or_assign(std::string(entry->key), std::string(entry->text));
    } else {
      report_.error(
          entry,
          "type",
          quoted(entry) + " is not text; write for example " + std::string(slot.field->example));
    }
  }
  return true;
}

bool NativeReader::read_texts(Slot slot, std::vector<std::string>& out) {
  if (!slot) return true;
  if (!has_value(slot)) return false;
  if (slot.ref.is_scalar()) {
    out.emplace_back(slot.ref->text);
    return true;
  }
  if (!slot.ref.is_list()) return wrong_type(slot, "text or a list");
  bool good = true;
  for (const Ref item : slot.ref) {
    if (item.is_scalar()) {
      out.emplace_back(item->text);
      continue;
    }
    good = false;
    wrong_type({item, slot.field}, "text");
  }
  return good;
}

Slot NativeReader::job_slot(std::string_view key) const {
  const Ref ref = top_.find(key);
  return {ref, ref ? find(fields(), key) : nullptr};
}

Slot NativeReader::role_slot(std::size_t index, std::string_view key) const {
  Ref ref = places_[index].node.find(key);
  if (!ref) ref = top_.find(key);
  return {ref, ref ? find(fields(), key) : nullptr};
}

void NativeReader::check_keys(Ref map, std::span<const Field> known, bool is_role) {
  for (const Ref entry : map) {
    const Field* field = find(known, entry->key);
    if (field != nullptr && (!is_role || field->level != Level::Job)) continue;
    if (field != nullptr) {
      report_.error_at_key(
          entry, "misplaced_key", "belongs to the job, not to a role; move it to the top level");
      continue;
    }
    if (!is_role && entry->key.starts_with("x-")) continue;
    std::vector<std::string_view> choices;
    for (const Field& choice : known) {
      if (!is_role || choice.level != Level::Job) choices.push_back(choice.key);
    }
    const std::string near = closest(entry->key, choices);
    report_.error_at_key(
        entry,
        "unknown_key",
        near.empty() ? std::string("unknown key; remove it, or put notes under a top-level key x-…")
                     : "unknown key; did you mean " + near + "?");
  }
}

void NativeReader::check_sub_keys(Ref map, std::span<const Field> known) {
  for (const Ref entry : map) {
    if (find(known, entry->key) != nullptr) continue;
    std::vector<std::string_view> choices;
    for (const Field& choice : known) choices.push_back(choice.key);
    const std::string near = closest(entry->key, choices);
    const bool in_map = map.parent().is_map() && !map.is_root();
    if (find(fields(), entry->key) != nullptr && in_map) {
      report_.error_at_key(
          entry,
          "misplaced_key",
          "belongs beside \"" + std::string(map->key) + "\"; take away the extra blanks before it");
    } else if (!near.empty()) {
      report_.error_at_key(entry, "unknown_key", "unknown key; did you mean " + near + "?");
    } else {
      std::vector<std::string> names(choices.begin(), choices.end());
      report_.error_at_key(
          entry, "unknown_key", "unknown key; the keys here are " + join(names, ", "));
    }
  }
}

}  // namespace ty::jobspec::native
