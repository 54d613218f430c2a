#include "engine/local/network/port_in_use.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>

#include "base/fd.h"

namespace ty::engine {

std::optional<int> port_in_use(const model::Placement& placement) {
  for (const std::vector<int>& ports : placement.ports) {
    for (const int port : ports) {
      const Fd probe(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      const int yes = 1;
      // As servers do: connections of an earlier try that are still closing are no obstacle.
      ::setsockopt(probe.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
      sockaddr_in address = {};
      address.sin_family = AF_INET;
      address.sin_port = htons(static_cast<std::uint16_t>(port));
      address.sin_addr.s_addr = htonl(INADDR_ANY);
      if (::bind(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 &&
          errno == EADDRINUSE) {
        return port;
      }
    }
  }
  return std::nullopt;
}

}  // namespace ty::engine
