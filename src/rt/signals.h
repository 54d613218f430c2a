#pragma once
#include <boost/asio/awaitable.hpp>
#include <functional>

namespace ty::rt {

/// Waits for SIGTERM or SIGINT and says which. SIGHUP calls `on_hangup` each time it comes; without
/// one it has its usual effect. While nobody waits the others have theirs too, so a second Ctrl-C
/// during a slow end still ends the program.
boost::asio::awaitable<int> told_to_end(std::function<void()> on_hangup = {});

}  // namespace ty::rt
