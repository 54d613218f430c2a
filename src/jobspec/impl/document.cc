#include "jobspec/impl/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cstdlib>

#include "base/text.h"
#include "jobspec/impl/readers.h"
#include "jobspec/impl/yaml_writer.h"

namespace ty::jobspec {
namespace {

/// Words and figures that some YAML reader, this one or an older one, takes for something else than
/// text.
bool reads_as_another(std::string_view text) {
  constexpr std::array<std::string_view, 8> kWords = {
      "yes", "no", "on", "off", "y", "n", "true", "false"};
  if (std::ranges::find(kWords, to_lower(text)) != kWords.end()) return true;
  if (text.empty()) return true;
  const char first = text.front();
  const bool figure =
      (first >= '0' && first <= '9') || first == '.' || first == '-' || first == '+';
  return figure &&
         text.find_first_not_of("0123456789abcdefABCDEFxXoOnNtTzZ_.:+-") == std::string_view::npos;
}

std::string yaml_word(std::string_view text) {
  if (!reads_as_another(text)) return yaml_text(text);
  std::string out;
  append_json_string(out, text);
  return out;
}

}  // namespace

Doc Doc::texts(const std::vector<std::string>& items) {
  Doc out = list();
  for (const std::string& item : items) out.push(text(item));
  return out;
}

Doc Doc::of(Ref ref) {
  switch (ref->kind) {
    case Kind::Null:
      return null();
    case Kind::Scalar: {
      const bool bare = ref.is_plain() && (is_bool_word(ref->text) || is_json_number(ref->text));
      if (!bare) return text(ref->text);
      std::string word = jobspec::to_json(ref);
      // Boost.JSON writes one half as 5E-1.
      if (word.find('E') != std::string::npos)
        word = fmt::format("{}", std::strtod(word.c_str(), nullptr));
      return {Kind::Scalar, std::move(word), false};
    }
    case Kind::List: {
      Doc out = list();
      for (const Ref child : ref) out.push(of(child));
      return out;
    }
    case Kind::Map: {
      Doc out = map();
      for (const Ref child : ref) out.set(child->key, of(child));
      return out;
    }
  }
  return null();
}

Doc Doc::of_json(const std::string& json) {
  Tree tree(json);
  if (read_json(json, tree).fatal) return null();
  for (const Ref document : tree.documents()) return of(document);
  return null();
}

Doc Doc::of(const boost::json::object& object) { return of_json(boost::json::serialize(object)); }

Doc& Doc::set(std::string_view key, Doc value) {
  if (Doc* old = find(key)) {
    *old = std::move(value);
    return *old;
  }
  children_.emplace_back(std::string(key), std::move(value));
  return children_.back().second;
}

void Doc::set_if(std::string_view key, Doc value) {
  if ((value.is_map() || value.is_list()) && value.empty()) return;
  set(key, std::move(value));
}

Doc& Doc::push(Doc value) {
  children_.emplace_back(std::string(), std::move(value));
  return children_.back().second;
}

Doc* Doc::find(std::string_view key) {
  const auto found =
      std::ranges::find(children_, key, [](const auto& c) -> std::string_view { return c.first; });
  return kind_ == Kind::Map && found != children_.end() ? &found->second : nullptr;
}

void Doc::erase(std::string_view key) {
  std::erase_if(children_, [&](const auto& child) { return child.first == key; });
}

void Doc::put(std::string_view pointer, Doc value) {
  Doc* at = this;
  while (pointer.starts_with('/')) {
    pointer.remove_prefix(1);
    const std::size_t slash = pointer.find('/');
    std::string step(pointer.substr(0, slash));
    // RFC 6901: `~1` is `/`, `~0` is `~`, in this order.
    for (const auto& [from, to] : {std::pair{"~1", "/"}, std::pair{"~0", "~"}}) {
      for (std::size_t i; (i = step.find(from)) != std::string::npos;) step.replace(i, 2, to);
    }
    const bool last = slash == std::string_view::npos;
    if (at->is_map()) {
      if (last) {
        at->set(step, std::move(value));
        return;
      }
      at = at->find(step);
    } else if (at->is_list() && !last && step.size() < 6 &&
               step.find_first_not_of("0123456789") == std::string::npos && !step.empty()) {
      const auto n = static_cast<std::size_t>(std::stoul(step));
      at = n < at->children_.size() ? &at->children_[n].second : nullptr;
    } else {
      return;
    }
    if (at == nullptr || last) return;
    pointer.remove_prefix(slash);
  }
}

void Doc::put_unknown(const model::JobSpec& spec) {
  for (const model::UnknownKey& key : spec.unknown) put(key.pointer, of_json(key.value));
}

std::string Doc::to_json() const {
  std::string out;
  write_json(out, 0);
  return out + "\n";
}

void Doc::write_json(std::string& out, std::size_t indent) const {
  if (kind_ == Kind::Null || kind_ == Kind::Scalar) {
    if (is_text_)
      append_json_string(out, scalar_);
    else
      out += scalar_;
    return;
  }
  const bool map = kind_ == Kind::Map;
  if (children_.empty()) {
    out += map ? "{}" : "[]";
    return;
  }
  out += map ? '{' : '[';
  bool first = true;
  for (const auto& [key, child] : children_) {
    out += first ? "\n" : ",\n";
    first = false;
    out.append(indent + 2, ' ');
    if (map) {
      append_json_string(out, key);
      out += ": ";
    }
    child.write_json(out, indent + 2);
  }
  out += '\n';
  out.append(indent, ' ');
  out += map ? '}' : ']';
}

std::string Doc::to_yaml() const {
  std::string out;
  if (children_.empty())
    write_yaml_value(out, 0);
  else
    write_yaml(out, 0);
  if (!out.ends_with('\n')) out += '\n';
  return out;
}

void Doc::write_yaml(std::string& out, std::size_t indent) const {
  for (const auto& [key, child] : children_) {
    out.append(indent, ' ');
    const bool nested = (child.kind_ == Kind::Map || child.kind_ == Kind::List) &&
                        !child.children_.empty() && !child.fits_line();
    if (kind_ == Kind::Map) {
      out += yaml_word(key);
      out += ':';
      if (nested) {
        out += '\n';
        child.write_yaml(out, indent + 2);
      } else {
        out += ' ';
        child.write_yaml_value(out, indent + 2);
      }
      continue;
    }
    out += "- ";
    if (nested) {
      // The first entry stands behind the dash: written one step deeper, its blanks taken back.
      std::string inner;
      child.write_yaml(inner, indent + 2);
      out += std::string_view(inner).substr(indent + 2);
    } else {
      child.write_yaml_value(out, indent + 2);
    }
  }
}

/// A list of a few words.
bool Doc::fits_line() const {
  constexpr std::size_t kLine = 70;
  if (kind_ != Kind::List) return false;
  std::size_t length = 0;
  for (const auto& [key, child] : children_) {
    if (child.kind_ == Kind::Map || child.kind_ == Kind::List ||
        child.scalar_.find('\n') != std::string::npos)
      return false;
    length += child.scalar_.size() + 2;
  }
  return length <= kLine;
}

void Doc::write_yaml_value(std::string& out, std::size_t indent) const {
  if (kind_ == Kind::Map || kind_ == Kind::List) {
    std::vector<std::string> words;
    for (const auto& [key, child] : children_)
      words.push_back(child.is_text_ ? yaml_word(child.scalar_) : child.scalar_);
    out += (kind_ == Kind::Map ? "{}" : yaml_list(words)) + "\n";
    return;
  }
  if (!is_text_ || !fits_block(scalar_)) {
    out += is_text_ ? yaml_word(scalar_) : scalar_;
    out += '\n';
    return;
  }
  std::string_view text = scalar_;
  out += text.ends_with('\n') ? "|\n" : "|-\n";
  if (text.ends_with('\n')) text.remove_suffix(1);
  for (const std::string& line : split(text, '\n')) {
    if (!line.empty()) out.append(indent, ' ').append(line);
    out += '\n';
  }
}

}  // namespace ty::jobspec
