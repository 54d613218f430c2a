#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "net/http.h"

namespace ty::api {

/// Reads query parameters, strictly, and keeps every fault until `done`. A parameter nobody asked
/// for is a fault: a misspelt filter must not show everything.
class QueryReader {
 public:
  explicit QueryReader(const net::Request& request) : request_(request) {}

  /// Absent leaves `into` as it is; empty text counts as absent but for `std::string`.
  QueryReader& opt(std::string_view name, std::string& into);
  QueryReader& opt(std::string_view name, bool& into);  ///< `?force` alone is true
  QueryReader& opt(std::string_view name, std::optional<Time>& into);
  QueryReader& opt(std::string_view name,
                   std::int64_t& into,
                   std::int64_t least,
                   std::int64_t most);
  QueryReader& opt(std::string_view name, std::optional<std::int64_t>& into, std::int64_t least);
  /// Every occurrence, each split at commas.
  QueryReader& list(std::string_view name, std::vector<std::string>& into);
  /// Every occurrence as it is.
  QueryReader& all(std::string_view name, std::vector<std::string>& into);

  QueryReader& wrong(std::string_view name, Message message);
  /// The text is none of the words, which are `low, normal, high`.
  QueryReader& not_among(std::string_view name, std::string_view text, std::string_view words);
  Result<void> done();

 private:
  std::optional<std::string_view> find(std::string_view name);
  std::optional<std::int64_t> number(std::string_view name, std::int64_t least, std::int64_t most);

  const net::Request& request_;
  std::vector<std::string_view> known_;
  std::vector<Fault> faults_;
};

}  // namespace ty::api
