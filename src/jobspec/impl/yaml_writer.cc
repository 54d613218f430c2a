#include "jobspec/impl/yaml_writer.h"

#include <algorithm>

#include "base/text.h"
#include "jobspec/impl/tree.h"

namespace ty::jobspec {
namespace {

bool is_alnum(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_chinese_lead(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0xE4 &&
         byte <= 0xE9;  // U+4000 to U+9FFF, nothing there is invisible or a line end
}

bool is_safe_bare(std::string_view text) {
  if (is_null_word(text) || is_bool_word(text) || text.starts_with("...") ||
      text.starts_with("---"))
    return false;
  const char first = text.front();
  const bool option = first == '-' && text.size() > 1 && (is_alnum(text[1]) || text[1] == '-');
  if (!is_alnum(first) && !option && first != '/' && first != '.' && first != '_' &&
      !is_chinese_lead(first)) {
    return false;
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (is_chinese_lead(c)) {
      i += 2;
      continue;
    }
    const bool mark = std::string_view("_./@+-=%").find(c) != std::string_view::npos;
    // A colon before a blank ends a key; a lone blank is fine inside, two or a trailing one are
    // not.
    const bool inner = (c == ':' || c == ' ') && (is_alnum(next) || next == '/' || next == '_');
    if (!is_alnum(c) && !mark && !inner) return false;
  }
  return true;
}

}  // namespace

std::string yaml_text(std::string_view text) {
  if (is_safe_bare(text)) return std::string(text);
  std::string out;
  append_json_string(out, text);  // JSON's quotes and escapes are YAML's too
  return out;
}

std::string yaml_list(const std::vector<std::string>& items) {
  return "[" + join(items, ", ") + "]";
}

std::string yaml_map(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string out = "{";
  for (const auto& [key, value] : entries) {
    if (out.size() > 1) out += ", ";
    out += yaml_text(key) + ": " + value;
  }
  return out + "}";
}

bool fits_block(std::string_view text) {
  if (text.find('\n') == std::string_view::npos || text.front() == '\n' || text.front() == ' ' ||
      text.front() == '\t') {
    return false;
  }
  if (text.ends_with("\n\n")) return false;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F) return false;
  }
  for (const std::string& line : split(text, '\n')) {
    if (!line.empty() && (trim(line).empty() || line.front() == '\t')) return false;
  }
  return true;
}

void YamlWriter::begin(std::string_view key) {
  out_.append(depth_, ' ');
  out_ += yaml_text(key);
  out_ += ':';
}

void YamlWriter::value(std::string_view key, const std::string& yaml) {
  begin(key);
  out_ += ' ';
  out_ += yaml;
  out_ += '\n';
}

void YamlWriter::text(std::string_view key, std::string_view text) {
  if (!fits_block(text)) {
    value(key, yaml_text(text));
    return;
  }
  begin(key);
  out_ += text.ends_with('\n') ? " |\n" : " |-\n";
  if (text.ends_with('\n')) text.remove_suffix(1);
  for (const std::string& line : split(text, '\n')) {
    if (!line.empty()) out_.append(depth_ + 2, ' ').append(line);
    out_ += '\n';
  }
}

void YamlWriter::open(std::string_view key) {
  begin(key);
  out_ += '\n';
  depth_ += 2;
}

}  // namespace ty::jobspec
