#pragma once
#include <boost/asio/awaitable.hpp>
#include <vector>

namespace ty::rt {

/// Waits for one of these signals (SIGTERM or SIGINT unless told otherwise) and says which. While
/// nobody waits the signals have their usual effect, so a second Ctrl-C during a slow end still
/// ends the program.
boost::asio::awaitable<int> next_signal(std::vector<int> signals = {});

}  // namespace ty::rt
