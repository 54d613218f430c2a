#include "jobspec/impl/placed_reader.h"

#include "base/text.h"
#include "jobspec/messages.h"

namespace ty::jobspec {

const Ref* PlacedReader::find(int role, Part part, std::string_view key, std::size_t index) const {
  const auto found = places_.find({role, part, std::string(key), index});
  return found == places_.end() ? nullptr : &found->second;
}

Ref PlacedReader::locate(const Subject& subject) const {
  for (const int role : {subject.role, -1}) {
    if (subject.index != Subject::kWhole) {
      if (const Ref* at = find(role, subject.part, "", subject.index)) return *at;
    }
    if (!subject.key.empty()) {
      if (const Ref* at = find(role, subject.part, subject.key, Subject::kWhole)) return *at;
    }
    if (const Ref* at = find(role, subject.part, "", Subject::kWhole)) {
      const Ref inner = at->find(subject.key);
      return inner ? inner : *at;
    }
    if (role < 0) break;
  }
  const Ref* own = find(subject.role, Part::Role, "", Subject::kWhole);
  return own != nullptr ? *own : top_;
}

bool PlacedReader::read_bool(Ref map, std::string_view key, bool& out, std::string_view example) {
  const Ref ref = present(map, key);
  if (!ref) return true;
  const std::string word = ref.is_scalar() ? to_lower(ref->text) : std::string();
  if (word == "true" || word == "yes" || word == "on") {
    out = true;
  } else if (word == "false" || word == "no" || word == "off") {
    out = false;
  } else {
    return wrong_type(ref, say::true_or_false(), example);
  }
  return true;
}

std::vector<Ref> PlacedReader::maps_in(Ref map, std::string_view key, std::string_view example) {
  std::vector<Ref> out;
  const Ref list = present(map, key);
  if (!list) return out;
  if (!list.is_list()) {
    wrong_type(list, say::a_list(), std::string(key) + ": [" + std::string(example) + "]");
    return out;
  }
  for (const Ref item : list) {
    if (item.is_map())
      out.push_back(item);
    else
      wrong_type(item, say::a_map(), example);
  }
  return out;
}

Ref PlacedReader::map_in(Ref map, std::string_view key, std::string_view example) {
  const Ref ref = present(map, key);
  if (!ref) return {};
  if (ref.is_map()) return ref;
  wrong_type(ref, say::a_map(), example);
  return {};
}

bool PlacedReader::read_texts(Ref map,
                              std::string_view key,
                              std::vector<std::string>& out,
                              std::string_view example) {
  const Ref ref = present(map, key);
  if (!ref) return true;
  if (ref.is_scalar()) {
    out.emplace_back(ref->text);
    return true;
  }
  if (!ref.is_list()) return wrong_type(ref, say::a_list_of_texts(), example);
  bool good = true;
  for (const Ref item : ref) {
    if (item.is_scalar())
      out.emplace_back(item->text);
    else if (item.is_null())
      out.emplace_back();
    else
      good = wrong_type(item, say::some_text(), example);
  }
  return good;
}

void PlacedReader::ignore(Ref map, std::string_view key, Message (*why)()) {
  if (const Ref at = present(map, key)) report_.warn_at_key(at, "ignored", why());
}

}  // namespace ty::jobspec
