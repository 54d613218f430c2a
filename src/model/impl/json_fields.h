#pragma once
#include <boost/json.hpp>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/impl/json_text.h"
#include "model/message_json.h"
#include "model/messages.h"
#include "model/words.h"

/// One list of fields per struct drives both writing and reading, so the two cannot drift apart. A
/// list is a specialisation `Fields<T>` whose `visit(v, x, d)` calls `v("key", x.field, d.field)`
/// for each field, where `d` is a default-constructed T: the writer leaves out what equals it, the
/// reader leaves alone what is absent.
namespace ty::model::json_fields {

template <class T>
struct Fields;

/// Starts the list of T's fields: `TY_FIELDS(Port) { v("label", x.label, d.label); … }`.
#define TY_FIELDS(T)                           \
  template <>                                  \
  struct Fields<T> {                           \
    static constexpr bool kIsStruct = true;    \
    template <class V, class X>                \
    static void visit(V& v, X& x, const T& d); \
  };                                           \
  template <class V, class X>                  \
  void Fields<T>::visit(V& v, X& x, const T& d)

template <class T>
concept Struct = requires { Fields<T>::kIsStruct; };

template <class T>
const T& defaults() {
  static const T value{};
  return value;
}

/// Whether values that equal their default are written too.
enum class Defaults : std::uint8_t { LeaveOut, Write };

class Writer {
 public:
  explicit Writer(std::string& out, Defaults defaults = Defaults::LeaveOut)
      : out_(out), all_(defaults == Defaults::Write) {}

  template <class T>
  void operator()(std::string_view key, const T& value, const T& normal) {
    if (!all_ && value == normal) return;
    if (out_.back() != '{') out_ += ',';
    out_ += '"';
    out_ += key;
    out_ += "\":";
    write(value);
  }

  void write(bool value) { out_ += value ? "true" : "false"; }
  void write(int value) { append_number(out_, value); }
  void write(std::int64_t value) { append_number(out_, value); }
  void write(std::chrono::seconds value) { append_number(out_, value.count()); }
  void write(const std::string& value) { append_json_string(out_, value); }
  void write(const Message& value) { append_json(out_, value); }
  template <class E>
    requires std::is_enum_v<E>
  void write(E value) {
    append_json_string(out_, to_word(value));
  }
  template <class T>
  void write(const std::optional<T>& value) {
    if (value)
      write(*value);
    else
      out_ += "null";
  }
  template <class T>
  void write(const std::vector<T>& items) {
    out_ += '[';
    for (const T& item : items) {
      if (&item != &items.front()) out_ += ',';
      write(item);
    }
    out_ += ']';
  }
  template <class T>
  void write(const std::map<std::string, T>& entries) {
    out_ += '{';
    for (const auto& [key, value] : entries) {
      if (out_.back() != '{') out_ += ',';
      append_json_string(out_, key);
      out_ += ':';
      write(value);
    }
    out_ += '}';
  }
  template <Struct T>
  void write(const T& value) {
    out_ += '{';
    Fields<T>::visit(*this, value, defaults<T>());
    out_ += '}';
  }

 private:
  std::string& out_;
  bool all_;
};

/// Reads into values that already hold their defaults. Remembers the first thing that did not fit
/// and where.
class Reader {
 public:
  template <class T>
  void operator()(std::string_view key, T& value, const T&) {
    const boost::json::value* found = object_->if_contains(key);
    if (found == nullptr || failed_) return;
    const std::size_t depth = path_.size();
    path_.append(".").append(key);
    read(*found, value);
    if (!failed_) path_.resize(depth);
  }

  void read(const boost::json::value& from, Message& to) { to = message_from_json(from); }
  void read(const boost::json::value& from, bool& to) {
    if (const bool* value = from.if_bool())
      to = *value;
    else
      mismatch("true or false");
  }
  template <class N>
    requires std::same_as<N, int> || std::same_as<N, std::int64_t>
  void read(const boost::json::value& from, N& to) {
    const std::int64_t* value = from.if_int64();
    if (value != nullptr && std::in_range<N>(*value))
      to = static_cast<N>(*value);
    else
      mismatch("a whole number");
  }
  void read(const boost::json::value& from, std::chrono::seconds& to) {
    std::int64_t count = 0;
    read(from, count);
    to = std::chrono::seconds{count};
  }
  void read(const boost::json::value& from, std::string& to) {
    if (const boost::json::string* value = from.if_string())
      to.assign(value->data(), value->size());
    else
      mismatch("a text");
  }
  template <class E>
    requires std::is_enum_v<E>
  void read(const boost::json::value& from, E& to) {
    const boost::json::string* word = from.if_string();
    const auto value = word ? from_word<E>({word->data(), word->size()}) : std::nullopt;
    if (value)
      to = *value;
    else
      mismatch(std::string("one of ").append(words<E>()));
  }
  template <class T>
  void read(const boost::json::value& from, std::optional<T>& to) {
    if (from.is_null())
      to.reset();
    else
      read(from, to.emplace());
  }
  template <class T>
  void read(const boost::json::value& from, std::vector<T>& to) {
    const boost::json::array* items = from.if_array();
    if (items == nullptr) return mismatch("a list");
    to.clear();
    to.reserve(items->size());
    for (const boost::json::value& item : *items) {
      const std::size_t depth = path_.size();
      path_.append("[").append(std::to_string(to.size())).append("]");
      read(item, to.emplace_back());
      if (failed_) return;
      path_.resize(depth);
    }
  }
  template <class T>
  void read(const boost::json::value& from, std::map<std::string, T>& to) {
    const boost::json::object* entries = from.if_object();
    if (entries == nullptr) return mismatch("an object");
    to.clear();
    for (const auto& entry : *entries) {
      const std::string_view key(entry.key().data(), entry.key().size());
      const std::size_t depth = path_.size();
      path_.append(".").append(key);
      read(entry.value(), to[std::string(key)]);
      if (failed_) return;
      path_.resize(depth);
    }
  }
  template <Struct T>
  void read(const boost::json::value& from, T& to) {
    const boost::json::object* object = from.if_object();
    if (object == nullptr) return mismatch("an object");
    const boost::json::object* outer = std::exchange(object_, object);
    Fields<T>::visit(*this, to, defaults<T>());
    object_ = outer;
  }

  bool failed() const { return failed_; }
  Message fault(std::string_view what) const {
    return say::stored_wrong_type(
        {.what = what, .path = path_.empty() ? "/" : path_.substr(1), .expected = expected_});
  }

 private:
  void mismatch(std::string expected) {
    if (failed_) return;
    failed_ = true;
    expected_ = std::move(expected);
  }

  const boost::json::object* object_ = nullptr;
  std::string path_;
  std::string expected_;
  bool failed_ = false;
};

template <Struct T>
std::string print(const T& value,
                  std::size_t expected_size = 64,
                  Defaults defaults = Defaults::LeaveOut) {
  std::string out;
  out.reserve(expected_size);
  Writer(out, defaults).write(value);
  return out;
}

/// `what` names the thing in messages: "job spec".
template <Struct T>
Result<T> parse(std::string_view text, std::string_view what) {
  unsigned char stack[8192];
  boost::json::monotonic_resource memory(stack);
  boost::json::parse_options options;
  options.allow_invalid_utf8 = true;  // we print texts as they came
  boost::json::error_code ec;
  const boost::json::value document =
      boost::json::parse({text.data(), text.size()}, ec, &memory, options);
  if (ec) return fail(Errc::Invalid, say::stored_not_json({.what = what, .why = ec.message()}));
  T value;
  Reader reader;
  reader.read(document, value);
  if (reader.failed()) return fail(Errc::Invalid, reader.fault(what));
  return value;
}

}  // namespace ty::model::json_fields
