#pragma once
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

/// What people see: aligned columns, short times, a little colour when a terminal is there to show
/// it.
namespace ty::cli {

class Table {
 public:
  explicit Table(std::vector<std::string> header) { rows_.push_back(std::move(header)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.size() == 1; }
  void print() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// Cells on a terminal: Chinese characters take two.
std::size_t width_of(std::string_view text);

/// Words and numbers out of a JSON object; empty or 0 when absent or null.
std::string text(const boost::json::value& object, std::string_view key);
std::int64_t number(const boost::json::value& object, std::string_view key);
const boost::json::value* child(const boost::json::value& object, std::string_view key);
/// The items of a list below `key`; none when absent.
const boost::json::array& items(const boost::json::value& object, std::string_view key);

/// A flag that was not given is not sent.
std::optional<std::string> given(std::string flag);

/// `2026-11-15T06:39:00.123Z` → `06:39:00` today, `11-14 06:39` this year, in the local zone.
std::string short_time(std::string_view rfc3339);
/// From one time to another, or to now; none where they are no times.
std::optional<Millis> length_of(std::string_view from, std::string_view to);
/// The same as `12 min 05 s`.
std::string span(std::string_view from, std::string_view to);
std::string short_id(std::string_view id);

/// A line of a log within our own words: its colours and other orders to a terminal left out, and
/// cut where it gets long.
std::string quote_line(std::string_view line);

/// The state in its colour, when stdout is a terminal and NO_COLOR is not set.
std::string coloured_state(std::string_view state);

}  // namespace ty::cli
