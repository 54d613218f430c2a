#pragma once
#include <boost/json.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// Fields of JSON objects into C++ values and back. What is missing, null or of another type than
/// the contract says leaves the value as it is: a server of another version may know more or less.
namespace ty::client {

template <class T>
void read_value(const boost::json::value& from, T& into) {
  if constexpr (std::is_same_v<T, boost::json::value>) {
    into = from;
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (from.is_string()) into = std::string(from.get_string());
  } else if constexpr (std::is_same_v<T, bool>) {
    if (from.is_bool()) into = from.get_bool();
  } else if constexpr (std::is_arithmetic_v<T>) {
    boost::system::error_code does_not_fit;
    const T number = from.to_number<T>(does_not_fit);
    if (!does_not_fit) into = number;
  } else {
    read(from, into);  // a record
  }
}

template <class T>
void read_value(const boost::json::value& from, std::optional<T>& into) {
  if (!from.is_null()) read_value(from, into.emplace());
}

template <class T>
void read_value(const boost::json::value& from, std::vector<T>& into) {
  if (!from.is_array()) return;
  for (const boost::json::value& item : from.get_array()) read_value(item, into.emplace_back());
}

template <class T>
void read_value(const boost::json::value& from, std::map<std::string, T>& into) {
  if (!from.is_object()) return;
  for (const auto& [name, value] : from.get_object()) read_value(value, into[std::string(name)]);
}

template <class T>
void read_field(const boost::json::value& from, std::string_view name, T& into) {
  if (!from.is_object()) return;
  if (const boost::json::value* found = from.get_object().if_contains(name))
    read_value(*found, into);
}

/// Null when there is nothing.
template <class T>
void write_field(boost::json::object& into, std::string_view name, const T& value) {
  into[name] = boost::json::value_from(value);
}
template <class T>
void write_field(boost::json::object& into, std::string_view name, const std::optional<T>& value) {
  into[name] = value ? boost::json::value_from(*value) : boost::json::value();
}

/// Left out when there is nothing.
template <class T>
void write_given(boost::json::object& into, std::string_view name, const std::optional<T>& value) {
  if (value) write_field(into, name, *value);
}
template <class T>
void write_given(boost::json::object& into, std::string_view name, const std::vector<T>& values) {
  if (!values.empty()) write_field(into, name, values);
}

}  // namespace ty::client
