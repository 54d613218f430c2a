#include "engine/local/network/port_pool.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/messages.h"

namespace ty::engine {

namespace {
bool nobody_listens(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return true;  // no descriptors left: the task itself will say so if the port is taken
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  const int reuse = 1;  // a connection in TIME_WAIT does not count as taken
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse);
  const bool free = ::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  ::close(fd);
  return free;
}
}  // namespace

Result<std::vector<int>> PortPool::draw(int count) {
  std::vector<int> drawn;
  for (int looked = 0; looked < kCount && static_cast<int>(drawn.size()) < count; ++looked) {
    const int port = next_;
    next_ = next_ + 1 < kFirst + kCount ? next_ + 1 : kFirst;
    if (taken_[static_cast<std::size_t>(port)] || !nobody_listens(port)) continue;
    taken_.set(static_cast<std::size_t>(port));
    drawn.push_back(port);
  }
  if (static_cast<int>(drawn.size()) < count) {
    give_back(drawn);
    return fail(Errc::Exhausted,
                say::ports_used_up({.count = count, .first = kFirst, .last = kFirst + kCount - 1}));
  }
  return drawn;
}

Result<void> PortPool::claim(int port) {
  const auto bit = static_cast<std::size_t>(port);
  if (taken_[bit] || !nobody_listens(port)) {
    return fail(Errc::Conflict, say::port_claimed({.port = port}));
  }
  taken_.set(bit);
  return {};
}

void PortPool::adopt(const std::vector<int>& ports) {
  for (const int port : ports) taken_.set(static_cast<std::size_t>(port));
}

void PortPool::give_back(const std::vector<int>& ports) {
  for (const int port : ports) taken_.reset(static_cast<std::size_t>(port));
}

}  // namespace ty::engine
