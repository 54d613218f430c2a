#pragma once
#include <cstdint>
#include <ctime>
#include <functional>
#include <string>
#include <string_view>

#include "net/http_server.h"

namespace ty::net {

/// A Date field's value, made once a second.
class DateText {
 public:
  std::string_view now();

 private:
  std::time_t second_ = 0;
  std::string text_;
};

/// What all connections of one thread share.
struct ConnectionContext {
  const ServerOptions& options;
  const Handler& handler;
  const std::function<void(const Exchange&)>& done;
  std::string id_prefix;  ///< of request ids; differs between threads and runs
  std::uint64_t requests = 0;
  bool stopping = false;
  DateText date = {};
};

}  // namespace ty::net
