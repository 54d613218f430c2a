#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/http.h"

namespace ty::net {

/// Which names we answer to, and whose pages may act here: the one place where Host, Origin and
/// Upgrade are judged. Read-only, shared by all threads.
class SitePolicy {
 public:
  struct Options {
    /// Host names that requests may use beside plain addresses; `*.example.org` for all below one.
    /// Empty: any name, unless `listen` is a loopback address.
    std::vector<std::string> hosts;
    std::string listen;  ///< HOST:PORT
  };

  /// Answers to any name.
  SitePolicy() = default;
  explicit SitePolicy(const Options& options);

  /// Before any handler: Host must be ours, and who asks to leave HTTP must come from here. A page
  /// of another site whose name was made to lead to a loopback address (DNS rebinding) is told
  /// apart by its Host, which is that name.
  std::optional<Problem> refuse(const Request& request) const;

  bool answers_to(std::string_view host_field) const;

 private:
  bool any_name_ = true;
  std::vector<std::string> names_;  ///< lower case
};

/// Browsers say which site's page a request comes from. Requests that carry what the browser adds
/// by itself, such as cookies, may change nothing unless that is this very site.
Result<void> check_same_origin(const Request& request);

}  // namespace ty::net
