#pragma once
#include <string>
#include <utility>

namespace ty {

/// A text that must not reach a log, a list or an error. It has no formatter and no comparison;
/// whoever needs the value says so.
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string value) : value_(std::move(value)) {}
  const std::string& reveal() const { return value_; }
  bool empty() const { return value_.empty(); }

 private:
  std::string value_;
};

}  // namespace ty
