#pragma once
#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/secret.h"

namespace ty::api {

/// Reads the fields of a JSON object, strictly, and keeps every fault until `done`:
///
///   JsonReader r(body);
///   r.req("name", name).opt("email", email);
///   TY_DO(r.done());   // "/name: missing; /emial: unknown field, did you mean email?"
class JsonReader {
 public:
  explicit JsonReader(const boost::json::value& json);

  template <class T>
  JsonReader& req(std::string_view key, T& into) {
    if (const boost::json::value* found = find(key)) {
      read(key, *found, into);
    } else if (is_object_) {
      missing(key);
    }
    return *this;
  }
  /// Absent leaves `into` as it is.
  template <class T>
  JsonReader& opt(std::string_view key, T& into) {
    if (const boost::json::value* found = find(key)) read(key, *found, into);
    return *this;
  }
  /// Adds a fault of the caller's own about a field.
  JsonReader& wrong(std::string_view key, Message message, std::string code = "range") {
    fault(key, std::move(message), std::move(code));
    return *this;
  }

  /// All faults as one error, also for fields that nobody asked for.
  Result<void> done();

 private:
  const boost::json::value* find(std::string_view key);
  void fault(std::string_view key, Message message, std::string code);
  void missing(std::string_view key);
  void wrong_type(std::string_view key, const boost::json::value& json, Message expected);

  void read(std::string_view key, const boost::json::value& json, std::string& into);
  void read(std::string_view key, const boost::json::value& json, Secret& into);
  void read(std::string_view key, const boost::json::value& json, bool& into);
  void read(std::string_view key, const boost::json::value& json, std::int64_t& into);
  void read(std::string_view key, const boost::json::value& json, std::vector<std::string>& into);
  /// null is allowed and means nothing.
  template <class T>
  void read(std::string_view key, const boost::json::value& json, std::optional<T>& into) {
    if (json.is_null()) {
      into.reset();
      return;
    }
    into.emplace();
    read(key, json, *into);
  }

  const boost::json::value& json_;
  bool is_object_;
  std::vector<std::string> known_;
  std::vector<Fault> faults_;
};

/// The text as JSON, or Invalid with where it stops being JSON.
Result<boost::json::value> parse_json(std::string_view text);

/// `first; second; and 3 more`: what the message of an error with these details says.
Error error_of(std::vector<Fault> faults);

}  // namespace ty::api
