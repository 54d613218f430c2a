#include "base/text.h"
#include "jobspec/messages.h"
#include "jobspec/native/reader.h"

namespace ty::jobspec::native {

namespace {
std::string first_line(std::string_view example) {
  return std::string(example.substr(0, example.find('\n')));
}

}  // namespace

bool NativeReader::has_value(const Slot& slot) {
  if (!slot.ref.is_null()) return true;
  report_.error(
      slot.ref, "missing", say::has_no_value({.example = first_line(slot.field->example)}));
  return false;
}

bool NativeReader::wrong_type(const Slot& slot, const Message& wanted) {
  report_.error(slot.ref,
                "type",
                say::wrong_kind({.expected = wanted,
                                 .got = quoted(slot.ref),
                                 .example = first_line(slot.field->example)}));
  return false;
}

bool NativeReader::refuse(const Slot& slot, const Refusal& refusal) {
  report_.error(slot.ref, refusal.code, refusal.message);
  return false;
}

bool NativeReader::wrong_word(Ref at, const Message& what, std::string_view choices) {
  Words words;
  for (const std::string& word : split(choices, ',')) words.emplace_back(trim(word));
  report_.error(at,
                "enum",
                say::not_one_of({.value = quoted(at), .what = what, .choices = std::move(words)}));
  return false;
}

bool NativeReader::read_text(Slot slot, std::string& out) {
  if (!slot) return true;
  if (!has_value(slot)) return false;
  if (!slot.ref.is_scalar()) return wrong_type(slot, say::some_text());
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
    return wrong_type(slot, say::true_or_false());
  out = is_true_word(slot.ref->text);
  return true;
}

bool NativeReader::read_whole(Slot slot, std::int64_t& out, std::int64_t least, std::int64_t most) {
  if (!slot) return true;
  if (!has_value(slot)) return false;
  if (!slot.ref.is_scalar()) return wrong_type(slot, say::a_whole_number());
  const auto value = parse_whole(slot.ref->text);
  if (!value) {
    return value.error().code == "type" ? wrong_type(slot, say::a_whole_number())
                                        : refuse(slot, value.error());
  }
  if (!slot.ref.is_plain()) {
    report_.error(slot.ref,
                  "type",
                  say::number_in_quotes(
                      {.value = quoted(slot.ref), .key = slot.field->key, .number = *value}));
    return false;
  }
  if (*value < least) {
    return refuse(slot, {"range", say::value_too_small({.value = *value, .least = least})});
  }
  if (*value > most) {
    return refuse(slot, {"range", say::value_too_large({.value = *value, .most = most})});
  }
  out = *value;
  return true;
}

bool NativeReader::read_seconds(Slot slot, Seconds& out, Seconds least, Seconds most) {
  if (!slot) return true;
  if (!has_value(slot)) return false;
  if (!slot.ref.is_scalar()) return wrong_type(slot, say::a_duration());
  const auto value = parse_time(slot.ref->text);
  if (!value) return refuse(slot, value.error());
  if (*value < least) {
    return refuse(slot,
                  {"range",
                   say::value_too_small(
                       {.value = format_duration(*value), .least = format_duration(least)})});
  }
  if (*value > most) {
    return refuse(
        slot,
        {"range",
         say::value_too_large({.value = format_duration(*value), .most = format_duration(most)})});
  }
  out = *value;
  return true;
}

bool NativeReader::read_memory(Slot slot, std::int64_t& out) {
  if (!slot) return true;
  if (!has_value(slot)) return false;
  if (!slot.ref.is_scalar()) return wrong_type(slot, say::an_amount_of_memory());
  const auto value = parse_memory(slot.ref->text);
  if (!value) return refuse(slot, value.error());
  out = *value;
  return true;
}

bool NativeReader::read_cpus(Slot slot, std::int64_t& out) {
  if (!slot) return true;
  if (!has_value(slot)) return false;
  if (!slot.ref.is_scalar()) return wrong_type(slot, say::a_number_of_cpus());
  const auto value = parse_cpus(slot.ref->text);
  if (!value) return refuse(slot, value.error());
  out = *value;
  return true;
}

bool NativeReader::read_map(Slot slot) {
  if (!slot || !has_value(slot)) return false;
  return slot.ref.is_map() || wrong_type(slot, say::a_map());
}

bool NativeReader::read_list(Slot slot) {
  if (!slot || !has_value(slot)) return false;
  return slot.ref.is_list() || wrong_type(slot, say::a_list());
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
      report_.error(entry,
                    "type",
                    say::wrong_kind({.expected = say::some_text(),
                                     .got = quoted(entry),
                                     .example = std::string(entry->key) + ": value"}));
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
      report_.error(entry,
                    "type",
                    say::wrong_kind({.expected = say::some_text(),
                                     .got = quoted(entry),
                                     .example = slot.field->example}));
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
  if (!slot.ref.is_list()) return wrong_type(slot, say::text_or_a_list());
  bool good = true;
  for (const Ref item : slot.ref) {
    if (item.is_scalar()) {
      out.emplace_back(item->text);
      continue;
    }
    good = false;
    wrong_type({item, slot.field}, say::some_text());
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
      report_.error_at_key(entry, "misplaced_key", say::belongs_to_the_job());
      continue;
    }
    if (!is_role && entry->key.starts_with("x-")) continue;
    std::vector<std::string_view> choices;
    for (const Field& choice : known) {
      if (!is_role || choice.level != Level::Job) choices.push_back(choice.key);
    }
    const std::string near = closest(entry->key, choices);
    report_.error_at_key(entry,
                         "unknown_key",
                         near.empty() ? say::unknown_key() : say::unknown_key_near({.near = near}));
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
      report_.error_at_key(entry, "misplaced_key", say::belongs_beside({.key = map->key}));
    } else if (!near.empty()) {
      report_.error_at_key(entry, "unknown_key", say::unknown_key_near({.near = near}));
    } else {
      std::vector<std::string> names(choices.begin(), choices.end());
      report_.error_at_key(
          entry, "unknown_key", say::unknown_key_among({.keys = std::move(names)}));
    }
  }
}

}  // namespace ty::jobspec::native
