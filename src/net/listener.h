#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

/// Sockets that listen, apart from whoever accepts there: one that a parent holds outlives the
/// server, so that nobody else can take its port, and who calls meanwhile waits instead of being
/// refused.
namespace ty::net {

/// Binds and listens on `host:port`, `[::1]:port` or `:port` for any address; port 0: any. Conflict
/// when the port is taken. Closed on exec.
Result<Fd> listen_on(std::string_view address);

/// Where it listens: `127.0.0.1:41873`, `[::1]:8080`.
Result<std::string> address_of(int listener);

/// The socket that whoever started this program made for it, by systemd's protocol (LISTEN_PID,
/// LISTEN_FDS: see sd_listen_fds(3)); none when there is none. The variables are taken away, so
/// that no child believes that they are for it. Invalid when it is not one socket that listens.
/// Call once, before there are threads.
Result<std::optional<Fd>> inherited_listener();

/// In a child, right before exec: makes `listener` the one that `inherited_listener` finds there.
bool hand_on_listener(int listener);

}  // namespace ty::net
