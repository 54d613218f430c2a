#include <string>

#include "base/json_text.h"
#include "base/text.h"
#include "jobspec/impl/readers.h"
#include "jobspec/messages.h"

namespace ty::jobspec {

std::size_t skip_blanks_and_comments(std::string_view source, std::size_t from) {
  const auto to_line_end = [&](std::size_t at) {
    const std::size_t end = source.find('\n', at);
    return end == std::string_view::npos ? source.size() : end + 1;
  };
  while (from < source.size()) {
    const char c = source[from];
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      ++from;
    } else if (c == '#' || source.substr(from, 2) == "//") {
      from = to_line_end(from);
    } else if (source.substr(from, 2) == "/*") {
      const std::size_t end = source.find("*/", from + 2);
      if (end == std::string_view::npos) return from;
      from = end + 2;
    } else {
      break;
    }
  }
  return from;
}

namespace {

class JsonReader {
 public:
  JsonReader(std::string_view source, Tree& tree) : source_(source), tree_(tree), builder_(tree) {}

  Syntax run() {
    Syntax result;
    try {
      blanks();
      value();
      blanks();
      if (at_ < source_.size()) {
        stop(at_, say::json_goes_on());
      }
    } catch (SyntaxFault& fault) {
      result.fatal = std::move(fault);
    }
    result.faults = std::move(builder_.faults);
    return result;
  }

 private:
  [[noreturn]] void stop(std::size_t at, Message message, std::string code = "syntax") {
    throw SyntaxFault{std::move(code), static_cast<std::uint32_t>(at), std::move(message)};
  }
  std::uint32_t offset() const { return static_cast<std::uint32_t>(at_); }
  char peek() const { return at_ < source_.size() ? source_[at_] : '\0'; }

  void blanks() {
    while (at_ < source_.size() && (source_[at_] == ' ' || source_[at_] == '\n')) ++at_;
    const char c = peek();
    if (c == '\t' || c == '\r' || c == '#' || c == '/')
      at_ = skip_blanks_and_comments(source_, at_);
  }

  void value() {
    switch (peek()) {
      case '{':
        return map();
      case '[':
        return list();
      case '"': {
        const std::uint32_t at = offset();
        builder_.scalar(text(), Style::Quoted, at);
        return;
      }
      default:
        return literal();
    }
  }

  void map() {
    const std::uint32_t opened = offset();
    builder_.open(Kind::Map, opened);
    ++at_;
    for (blanks(); peek() != '}'; blanks()) {
      if (at_ >= source_.size()) stop(opened, say::json_map_open());
      if (peek() == ',') stop(at_, say::json_lone_comma());
      if (peek() != '"') stop(at_, say::json_key_expected());
      const std::uint32_t key_at = offset();
      builder_.key(text(), key_at);
      blanks();
      if (peek() != ':') stop(at_, say::json_colon_missing());
      ++at_;
      blanks();
      value();
      if (!separator('}')) stop(opened, say::json_map_open());
    }
    ++at_;
    builder_.close();
  }

  void list() {
    const std::uint32_t opened = offset();
    builder_.open(Kind::List, opened);
    ++at_;
    for (blanks(); peek() != ']'; blanks()) {
      if (at_ >= source_.size()) stop(opened, say::json_list_open());
      if (peek() == ',') stop(at_, say::json_lone_comma());
      value();
      if (!separator(']')) stop(opened, say::json_list_open());
    }
    ++at_;
    builder_.close();
  }

  /// False: the file ends here.
  bool separator(char close) {
    blanks();
    if (peek() == ',') {
      ++at_;
    } else if (at_ >= source_.size()) {
      return false;
    } else if (peek() != close) {
      stop(at_, say::json_comma_missing({.close = std::string(1, close)}));
    }
    return true;
  }

  void literal() {
    const std::size_t from = at_;
    while (at_ < source_.size() &&
           std::string_view(" \t\r\n,:]}[{\"#/").find(source_[at_]) == std::string_view::npos)
      ++at_;
    const std::string_view word = source_.substr(from, at_ - from);
    const auto at = static_cast<std::uint32_t>(from);
    if (word == "null") {
      builder_.null(at);
    } else if (word == "true" || word == "false" || is_json_number(word)) {
      builder_.scalar(word, Style::Plain, at);
    } else if (word.empty()) {
      stop(from, from >= source_.size() ? say::json_ends_early() : say::json_value_expected());
    } else {
      stop(from, say::json_not_a_value({.text = shorten(word)}));
    }
  }

  std::string_view text() {
    const std::size_t from = ++at_;
    for (; at_ < source_.size(); ++at_) {
      at_ += plain_json_prefix(source_.substr(at_));
      if (at_ == source_.size()) break;
      const char c = source_[at_];
      if (c == '"') return source_.substr(from, at_++ - from);
      if (c == '\\') return escaped_text(from);
      if (static_cast<unsigned char>(c) < 0x20) break;
    }
    stop(from - 1, say::json_text_open());
  }

  std::string_view escaped_text(std::size_t from) {
    std::string out(source_.substr(from, at_ - from));
    while (at_ < source_.size()) {
      const char c = source_[at_];
      if (c == '"') {
        ++at_;
        return tree_.store(out);
      }
      if (static_cast<unsigned char>(c) < 0x20) break;
      if (c != '\\') {
        out += c;
        ++at_;
        continue;
      }
      escape(out);
    }
    stop(from - 1, say::json_text_open());
  }

  void escape(std::string& out) {
    const std::size_t at = at_;
    const char c = at_ + 1 < source_.size() ? source_[at_ + 1] : '\0';
    at_ += 2;
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kValues = "\"\\/\b\f\n\r\t";
    if (const std::size_t i = kNames.find(c); c != '\0' && i != std::string_view::npos) {
      out += kValues[i];
      return;
    }
    if (c != 'u') stop(at, say::json_bad_escape());
    std::uint32_t code = hex4(at);
    if (code >= 0xD800 && code < 0xDC00 && source_.substr(at_, 2) == "\\u") {
      at_ += 2;
      const std::uint32_t low = hex4(at);
      if (low < 0xDC00 || low > 0xDFFF) lone_surrogate(at);
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    } else if (code >= 0xD800 && code <= 0xDFFF) {
      lone_surrogate(at);
    }
    if (code == 0) stop(at, say::contains_nul(), "nul");
    append_utf8(out, code);
  }

  [[noreturn]] void lone_surrogate(std::size_t at) {
    stop(at, say::json_half_character(), "encoding");
  }

  std::uint32_t hex4(std::size_t escape_at) {
    std::uint32_t code = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = peek();
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) stop(escape_at, say::json_four_digits());
      code = code * 16 + static_cast<std::uint32_t>(digit);
    }
    return code;
  }

  static void append_utf8(std::string& out, std::uint32_t code) {
    const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
    if (code < 0x80) {
      out += static_cast<char>(code);
    } else if (code < 0x800) {
      out += static_cast<char>(0xC0 | (code >> 6));
      tail(0);
    } else if (code < 0x10000) {
      out += static_cast<char>(0xE0 | (code >> 12));
      tail(6);
      tail(0);
    } else {
      out += static_cast<char>(0xF0 | (code >> 18));
      tail(12);
      tail(6);
      tail(0);
    }
  }

  std::string_view source_;
  std::size_t at_ = 0;
  Tree& tree_;
  TreeBuilder builder_;
};

}  // namespace

Syntax read_json(std::string_view source, Tree& tree) { return JsonReader(source, tree).run(); }

}  // namespace ty::jobspec
