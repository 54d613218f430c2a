#include "jobspec/impl/tree.h"

#include <algorithm>
#include <cstring>

namespace ty::jobspec {

Ref Ref::find(std::string_view key) const {
  if (tree_ == nullptr || !is_map()) return {};
  for (std::uint32_t i = node().first; i != 0; i = tree_->node(i).next) {
    if (same_key(tree_->node(i).key, key)) return {tree_, i};
  }
  return {};
}

Tree::Tree(std::string_view source)
    : source_(source), texts_(std::make_unique<std::pmr::monotonic_buffer_resource>()) {
  nodes_.reserve(std::min<std::size_t>(source.size() / 16 + 16, 4096));
  nodes_.emplace_back().kind = Kind::List;
}

std::string_view Tree::store(std::string_view text) {
  if (text.empty()) return {};
  char* copy = static_cast<char*>(texts_->allocate(text.size(), 1));
  std::memcpy(copy, text.data(), text.size());
  return {copy, text.size()};
}

Position Tree::position(std::uint32_t offset) const {
  const std::string_view before = source_.substr(0, offset);
  Position position;
  position.line += static_cast<int>(std::ranges::count(before, '\n'));
  const std::size_t newline = before.rfind('\n');
  const std::string_view row =
      newline == std::string_view::npos ? before : before.substr(newline + 1);
  position.column += static_cast<int>(
      std::ranges::count_if(row, [](unsigned char c) { return (c & 0xC0) != 0x80; }));
  return position;
}

Position Tree::position(Ref ref) const {
  const bool empty_value = ref.is_null() && !ref.is_root() && ref.parent().is_map();
  return position(empty_value ? ref->key_at : ref->at);
}

Position Tree::key_position(Ref ref) const {
  const bool has_key = !ref.is_root() && ref.parent().is_map();
  return position(has_key ? ref->key_at : ref->at);
}

int Tree::line(Ref ref) const { return key_position(ref).line; }

namespace {
std::vector<Ref> ancestry(Ref ref) {
  std::vector<Ref> steps;
  for (; !ref.is_root(); ref = ref.parent()) steps.push_back(ref);
  std::ranges::reverse(steps);
  return steps;
}

std::size_t index_in_list(Ref ref) {
  std::size_t index = 0;
  for (const Ref sibling : ref.parent()) {
    if (sibling.index() == ref.index()) break;
    ++index;
  }
  return index;
}
}  // namespace

std::string Tree::pointer(Ref ref) const {
  std::string out;
  for (const Ref step : ancestry(ref)) {
    out += '/';
    if (step.parent().is_list()) {
      out += std::to_string(index_in_list(step));
      continue;
    }
    for (const char c : step->key) {
      if (c == '~')
        out += "~0";
      else if (c == '/')
        out += "~1";
      else
        out += c;
    }
  }
  return out;
}

std::string Tree::path(Ref ref) const {
  std::string out;
  for (const Ref step : ancestry(ref)) {
    if (step.parent().is_list()) {
      out += "[" + std::to_string(index_in_list(step)) + "]";
      continue;
    }
    if (!out.empty()) out += '.';
    out += step->key;
  }
  return out;
}

bool is_bool_word(std::string_view text) {
  return text == "true" || text == "false" || text == "True" || text == "False" || text == "TRUE" ||
         text == "FALSE";
}
bool is_true_word(std::string_view text) {
  return text == "true" || text == "True" || text == "TRUE";
}
bool is_null_word(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

bool is_json_number(std::string_view text) {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t from = i;
    while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
    return i - from;
  };
  if (i < text.size() && text[i] == '-') ++i;
  const std::size_t start = i;
  const std::size_t whole = digits();
  if (whole == 0 || (whole > 1 && text[start] == '0')) return false;
  if (i < text.size() && text[i] == '.') {
    ++i;
    if (digits() == 0) return false;
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (digits() == 0) return false;
  }
  return i == text.size();
}

namespace {
void append_json(std::string& out, Ref ref) {
  const auto children = [&](char open, char close) {
    out += open;
    bool first = true;
    for (const Ref child : ref) {
      if (!first) out += ',';
      first = false;
      if (open == '{') {
        append_json_string(out, child->key);
        out += ':';
      }
      append_json(out, child);
    }
    out += close;
  };
  switch (ref->kind) {
    case Kind::Null:
      out += "null";
      break;
    case Kind::List:
      children('[', ']');
      break;
    case Kind::Map:
      children('{', '}');
      break;
    case Kind::Scalar:
      if (ref.is_plain() && is_bool_word(ref->text))
        out += is_true_word(ref->text) ? "true" : "false";
      else if (ref.is_plain() && is_json_number(ref->text))
        out += ref->text;
      else
        append_json_string(out, ref->text);
  }
}
}  // namespace

std::string to_json(Ref ref) {
  std::string out;
  append_json(out, ref);
  return out;
}

}  // namespace ty::jobspec
