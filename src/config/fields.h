#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"

namespace ty::config {

/// For the reference pages.
struct Meaning {
  std::string_view english;
  std::string_view chinese;
};

/// One setting: how it is spelled, what it takes, how a text becomes its value.
struct Field {
  std::string_view key;   ///< dotted: `http.listen`
  std::string_view kind;  ///< for people: "host:port", "duration", "size"…
  Meaning meaning;
  std::function<Result<void>(Config&, std::string_view)> set;
  std::function<std::string(const Config&)> get;
  bool is_list = false;  ///< several texts, each given to `set` after `clear`
  bool is_map = false;   ///< `name=value` texts
  std::function<void(Config&)> clear = {};
};

const std::vector<Field>& fields();
const Field* find_field(std::string_view key);

}  // namespace ty::config
