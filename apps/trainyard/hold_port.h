#pragma once
#include <string>
#include <vector>

#include "base/result.h"

namespace ty {

/// `trainyard serve --hold-port`: listens on `address`, and runs the program below itself with that
/// socket (net::inherited_listener) and these arguments, for as long as it is told to end or ends
/// by itself. A server that is killed is started again; its port stays with this process, so no
/// other program can be reached there meanwhile. Returns the exit status for the program.
Result<int> hold_port(const std::string& address, std::vector<std::string> arguments);

}  // namespace ty
