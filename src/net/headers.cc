#include "net/headers.h"

#include <algorithm>

#include "base/text.h"

namespace ty::net {

namespace {
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }
}  // namespace

bool same_text_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return lower(x) == lower(y);
         });
}

void Headers::add(std::string_view name, std::string_view value) {
  const auto at = static_cast<std::uint32_t>(text_.size());
  text_ += name;
  for (const char c : value) text_ += c == '\r' || c == '\n' || c == '\0' ? ' ' : c;
  spans_.push_back(
      {at, static_cast<std::uint32_t>(name.size()), static_cast<std::uint32_t>(value.size())});
}

void Headers::set(std::string_view name, std::string_view value) {
  remove(name);
  add(name, value);
}

void Headers::remove(std::string_view name) {
  // The text stays behind in text_; headers are short-lived and replaced rarely.
  std::erase_if(spans_, [&](const Span& span) {
    return same_text_ignoring_case(std::string_view(text_).substr(span.at, span.name_size), name);
  });
}

void Headers::clear() {
  text_.clear();
  spans_.clear();
}

Headers::Field Headers::operator[](std::size_t i) const {
  const Span& span = spans_[i];
  const std::string_view text = text_;
  return {text.substr(span.at, span.name_size),
          text.substr(span.at + span.name_size, span.value_size)};
}

std::string_view Headers::get(std::string_view name) const {
  for (std::size_t i = 0; i < size(); ++i) {
    const Field field = (*this)[i];
    if (same_text_ignoring_case(field.name, name)) return field.value;
  }
  return {};
}

bool Headers::has(std::string_view name) const { return count(name) > 0; }

std::size_t Headers::count(std::string_view name) const {
  std::size_t found = 0;
  for (std::size_t i = 0; i < size(); ++i)
    found += same_text_ignoring_case((*this)[i].name, name) ? 1 : 0;
  return found;
}

bool Headers::has_token(std::string_view name, std::string_view token) const {
  for (std::size_t i = 0; i < size(); ++i) {
    const Field field = (*this)[i];
    if (!same_text_ignoring_case(field.name, name)) continue;
    std::string_view rest = field.value;
    while (!rest.empty()) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      std::string_view word = rest.substr(0, comma);
      if (same_text_ignoring_case(trim(word.substr(0, word.find(';'))), token)) return true;
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return false;
}

}  // namespace ty::net
