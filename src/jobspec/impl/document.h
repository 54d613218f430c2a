#pragma once
#include <boost/json/fwd.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jobspec/impl/tree.h"
#include "model/job_spec.h"

namespace ty::jobspec {

/// A document to be written: maps keep their order. The same one can be printed as JSON or as YAML.
class Doc {
 public:
  static Doc text(std::string_view text) { return {Kind::Scalar, std::string(text), true}; }
  static Doc number(std::int64_t n) { return {Kind::Scalar, std::to_string(n), false}; }
  static Doc flag(bool value) { return {Kind::Scalar, value ? "true" : "false", false}; }
  static Doc null() { return {Kind::Null, "null", false}; }
  static Doc map() { return {Kind::Map, "", false}; }
  static Doc list() { return {Kind::List, "", false}; }
  static Doc texts(const std::vector<std::string>& items);
  /// A copy of what was read.
  static Doc of(Ref ref);
  /// What a JSON text says; null where it says nothing.
  static Doc of_json(const std::string& json);
  static Doc of(const boost::json::object& object);

  /// Adds or replaces an entry of a map.
  Doc& set(std::string_view key, Doc value);
  /// The same, unless the value is an empty map or list.
  void set_if(std::string_view key, Doc value);
  Doc& push(Doc value);
  Doc* find(std::string_view key);
  void erase(std::string_view key);
  /// At a JSON pointer, where the map or list to hold it exists; nothing happens where not.
  void put(std::string_view pointer, Doc value);
  /// The keys that the reader did not know, where they stood.
  void put_unknown(const model::JobSpec& spec);

  bool is_map() const { return kind_ == Kind::Map; }
  bool is_list() const { return kind_ == Kind::List; }
  bool empty() const { return children_.empty(); }
  std::size_t size() const { return children_.size(); }

  std::string to_json() const;  ///< two blanks deep, with a line end
  std::string to_yaml() const;  ///< blocks; several lines of text as `|`, short lists in one line

 private:
  Doc(Kind kind, std::string scalar, bool is_text)
      : kind_(kind), scalar_(std::move(scalar)), is_text_(is_text) {}
  void write_json(std::string& out, std::size_t indent) const;
  void write_yaml(std::string& out, std::size_t indent) const;
  bool fits_line() const;
  void write_yaml_value(std::string& out, std::size_t indent) const;

  Kind kind_;
  std::string scalar_;
  bool is_text_;  ///< else a number, boolean or null as it stands
  std::vector<std::pair<std::string, Doc>> children_;
};

}  // namespace ty::jobspec
