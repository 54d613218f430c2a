#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "base/time.h"

namespace ty::api {

/// Writes JSON straight into one string: no tree in between, so a page of jobs costs one
/// allocation. The caller keeps objects and arrays balanced; commas and escapes are done here.
/// Bytes that are not UTF-8 become U+FFFD, so that every answer can be read.
class JsonWriter {
 public:
  JsonWriter& object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }

  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  JsonWriter& value(bool yes);
  JsonWriter& value(std::int64_t number);
  JsonWriter& value(int number) { return value(static_cast<std::int64_t>(number)); }
  JsonWriter& value(std::uint64_t number);
  JsonWriter& value(double number);
  JsonWriter& value(Time time) { return value(to_rfc3339(time)); }
  JsonWriter& value(Seconds seconds) { return value(static_cast<std::int64_t>(seconds.count())); }
  JsonWriter& null();
  /// A piece of JSON made elsewhere.
  JsonWriter& raw(std::string_view json);

  template <class T>
  JsonWriter& value(const std::optional<T>& maybe) {
    return maybe ? value(*maybe) : null();
  }
  template <class T>
  JsonWriter& value(const std::vector<T>& list) {
    array();
    for (const T& one : list) value(one);
    return end_array();
  }
  /// `"name":value`
  template <class T>
  JsonWriter& field(std::string_view name, const T& v) {
    return key(name).value(v);
  }
  /// The English sentence, and beside it the value that other languages are worded from: `says`
  /// beside `message`, `NAME_says` beside any other NAME.
  JsonWriter& field(std::string_view name, const Message& message);
  JsonWriter& field(std::string_view name, const std::vector<Message>& messages);

  /// The finished text, with a line end for those who read it in a terminal.
  std::string finish() &&;

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void separate();
  void append_text(std::string_view text);
  JsonWriter& says(const Message& message);

  std::string out_;
  bool first_ = true;  ///< no comma is due before the next value
};

}  // namespace ty::api
