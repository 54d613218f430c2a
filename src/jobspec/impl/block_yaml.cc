#include "jobspec/impl/block_yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdlib>
#include <vector>

#include "base/text.h"
#include "jobspec/impl/readers.h"
#include "jobspec/impl/yaml_writer.h"

namespace ty::jobspec {
namespace {

namespace json = boost::json;

std::vector<std::string> steps_of(std::string_view pointer) {
  std::vector<std::string> steps;
  for (const std::string& step :
       split(pointer.substr(std::min<std::size_t>(1, pointer.size())), '/')) {
    std::string plain;
    for (std::size_t i = 0; i < step.size(); ++i) {
      if (step[i] == '~' && i + 1 < step.size())
        plain += step[++i] == '1' ? '/' : '~';
      else
        plain += step[i];
    }
    steps.push_back(std::move(plain));
  }
  return steps;
}

json::value* step_into(json::value& from, const std::string& step) {
  if (from.is_object()) return from.as_object().if_contains(step);
  if (!from.is_array() || step.empty() ||
      !std::ranges::all_of(step, [](char c) { return c >= '0' && c <= '9'; }))
    return nullptr;
  json::array& items = from.as_array();
  const std::size_t at = step.size() > 6 ? items.size() : std::stoul(step);
  return at < items.size() ? &items[at] : nullptr;
}

class BlockWriter {
 public:
  std::string take() { return std::move(out_); }

  void map(Ref map, std::size_t depth) {
    bool first = true;
    for (const Ref entry : map) {
      // The first key of an item stands behind its dash.
      if (!first || !after_dash_) out_.append(depth, ' ');
      first = false;
      after_dash_ = false;
      out_ += yaml_text(entry->key) + ":";
      value(entry, depth);
    }
  }

 private:
  static bool is_inline(Ref list) {
    std::size_t length = 0;
    for (const Ref item : list) {
      if (!item.is_scalar() || item->text.find('\n') != std::string_view::npos) return false;
      length += item->text.size() + 2;
    }
    return length <= 70;
  }

  /// What other YAML readers take for a number or a boolean, they must be told is text.
  static bool looks_like_a_value(std::string_view text) {
    const std::string word = to_lower(text);
    for (const char* one : {"yes", "no", "on", "off", "y", "n"}) {
      if (word == one) return true;
    }
    const bool begins = !text.empty() && std::string_view("0123456789+-.").find(text.front()) !=
                                             std::string_view::npos;
    return begins && word.find_first_not_of("0123456789abcdefxo_.:+-") == std::string::npos;
  }

  static std::string scalar(Ref ref) {
    if (!ref.is_plain()) {
      if (!looks_like_a_value(ref->text)) return yaml_text(ref->text);
      std::string quoted;
      append_json_text(quoted, ref->text);
      return quoted;
    }
    // Boost.JSON writes one half as 5E-1.
    if (ref->text.find('E') == std::string_view::npos) return std::string(ref->text);
    return fmt::format("{}", std::strtod(std::string(ref->text).c_str(), nullptr));
  }

  void value(Ref ref, std::size_t depth) {
    if (ref.is_null()) {
      out_ += " null\n";
    } else if (ref.is_scalar()) {
      text(ref, depth);
    } else if (ref->count == 0) {
      out_ += ref.is_map() ? " {}\n" : " []\n";
    } else if (ref.is_map()) {
      out_ += '\n';
      map(ref, depth + 2);
    } else if (is_inline(ref)) {
      std::vector<std::string> items;
      for (const Ref item : ref) items.push_back(scalar(item));
      out_ += " " + yaml_list(items) + "\n";
    } else {
      out_ += '\n';
      list(ref, depth + 2);
    }
  }

  void list(Ref list, std::size_t depth) {
    for (const Ref item : list) {
      out_.append(depth, ' ');
      out_ += '-';
      if (item.is_map() && item->count > 0) {
        out_ += ' ';
        after_dash_ = true;
        map(item, depth + 2);
      } else {
        value(item, depth);
      }
    }
  }

  void text(Ref ref, std::size_t depth) {
    std::string_view text = ref->text;
    if (ref.is_plain() || !fits_block(text)) {
      out_ += " " + scalar(ref) + "\n";
      return;
    }
    out_ += text.ends_with('\n') ? " |\n" : " |-\n";
    if (text.ends_with('\n')) text.remove_suffix(1);
    for (const std::string& line : split(text, '\n')) {
      if (!line.empty()) out_.append(depth + 2, ' ').append(line);
      out_ += '\n';
    }
  }

  std::string out_;
  bool after_dash_ = false;
};

void pretty(std::string& out, const json::value& value, std::size_t indent) {
  const bool map = value.is_object(), list = value.is_array();
  const std::size_t size = map ? value.as_object().size() : list ? value.as_array().size() : 0;
  if (value.is_string()) {
    append_json_text(out,
                     value.get_string());  // Boost leaves DEL as it is, and no file may hold it
    return;
  }
  if (size == 0) {
    out += json::serialize(value);
    return;
  }
  out += map ? "{" : "[";
  bool first = true;
  const auto begin = [&] {
    out += first ? "\n" : ",\n";
    first = false;
    out.append(indent + 2, ' ');
  };
  if (map) {
    for (const auto& [key, inner] : value.as_object()) {
      begin();
      append_json_text(out, key);
      out += ": ";
      pretty(out, inner, indent + 2);
    }
  } else {
    for (const json::value& inner : value.as_array()) {
      begin();
      pretty(out, inner, indent + 2);
    }
  }
  out += "\n";
  out.append(indent, ' ');
  out += map ? "}" : "]";
}

}  // namespace

void return_unknown(json::object& document, const model::JobSpec& spec) {
  for (const model::UnknownKey& unknown : spec.unknown) {
    const std::vector<std::string> steps = steps_of(unknown.pointer);
    json::error_code ec;
    json::value value = json::parse(unknown.value, ec);
    if (ec || steps.empty()) continue;
    if (steps.size() == 1) {
      document[steps.front()] = std::move(value);
      continue;
    }
    json::value* at = document.if_contains(steps.front());
    for (std::size_t i = 1; at != nullptr && i + 1 < steps.size(); ++i)
      at = step_into(*at, steps[i]);
    if (at != nullptr && at->is_object()) at->as_object()[steps.back()] = std::move(value);
  }
}

std::string json_to_block_yaml(std::string_view json) {
  Tree tree(json);
  if (read_json(json, tree).fatal) return std::string(json);
  BlockWriter writer;
  for (const Ref document : tree.documents()) {
    if (document.is_map()) writer.map(document, 0);
  }
  return writer.take();
}

std::string to_block_yaml(const json::object& document) {
  return json_to_block_yaml(json::serialize(document));
}

std::string to_pretty_json(const json::object& document) {
  std::string out;
  pretty(out, document, 0);
  return out + "\n";
}

}  // namespace ty::jobspec
