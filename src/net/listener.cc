#include "net/listener.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "net/messages.h"

namespace ty::net {

namespace {

constexpr int kBacklog = 1024;
constexpr int kFirstInherited = 3;

struct HostAndPort {
  std::string host;
  std::string port;
};

Result<HostAndPort> host_and_port(std::string_view listen) {
  const std::size_t colon = listen.rfind(':');
  if (colon == std::string_view::npos || colon + 1 == listen.size())
    return fail(Errc::Invalid, say::not_an_address_to_listen({.address = listen}));
  // The resolver would quietly take 99999 for the port 34463.
  const std::string_view port = listen.substr(colon + 1);
  std::uint16_t number = 0;
  const auto [end, ec] = std::from_chars(port.begin(), port.end(), number);
  if (ec != std::errc{} || end != port.end())
    return fail(Errc::Invalid, say::listen_without_port({.address = listen}));
  std::string_view host = listen.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return HostAndPort{.host = std::string(host.empty() ? "0.0.0.0" : host),
                     .port = std::string(port)};
}

int number_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::atoi(text) : 0;
}

bool listens(int fd) {
  int is_listening = 0;
  int family = 0;
  socklen_t size = sizeof is_listening;
  if (::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &size) != 0) return false;
  size = sizeof family;
  ::getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &size);
  return is_listening != 0 && (family == AF_INET || family == AF_INET6);
}

}  // namespace

Result<Fd> listen_on(std::string_view address) {
  TY_TRY(const HostAndPort at, host_and_port(address));
  const auto cannot = [&](Errc code, const char* why) {
    return fail(code, say::cannot_listen({.address = address, .why = why}));
  };
  addrinfo hints{};
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int rc = ::getaddrinfo(at.host.c_str(), at.port.c_str(), &hints, &found); rc != 0)
    return cannot(Errc::Invalid, ::gai_strerror(rc));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all(found, &::freeaddrinfo);

  Fd fd(::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return cannot(Errc::Unavailable, std::strerror(errno));
  // Not SO_REUSEPORT: with it another program of the same user could listen beside us. While this
  // socket listens, SO_REUSEADDR lets nobody in; it only ends the wait for old connections.
  const int on = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(fd.get(), found->ai_addr, found->ai_addrlen) != 0 ||
      ::listen(fd.get(), kBacklog) != 0) {
    if (errno == EADDRINUSE) return fail(Errc::Conflict, say::address_in_use({.address = address}));
    return cannot(Errc::Unavailable, std::strerror(errno));
  }
  return fd;
}

Result<std::string> address_of(int listener) {
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  char host[INET6_ADDRSTRLEN] = {};
  if (::getsockname(listener, reinterpret_cast<sockaddr*>(&bound), &size) == 0) {
    if (bound.ss_family == AF_INET) {
      const auto& v4 = reinterpret_cast<const sockaddr_in&>(bound);
      ::inet_ntop(AF_INET, &v4.sin_addr, host, sizeof host);
      return fmt::format("{}:{}", host, ntohs(v4.sin_port));
    }
    if (bound.ss_family == AF_INET6) {
      const auto& v6 = reinterpret_cast<const sockaddr_in6&>(bound);
      ::inet_ntop(AF_INET6, &v6.sin6_addr, host, sizeof host);
      return fmt::format("[{}]:{}", host, ntohs(v6.sin6_port));
    }
  }
  return fail(Errc::Invalid, say::inherited_not_listening());
}

Result<std::optional<Fd>> inherited_listener() {
  const bool is_for_us = number_in("LISTEN_PID") == ::getpid();
  const int count = is_for_us ? number_in("LISTEN_FDS") : 0;
  for (const char* name : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}) ::unsetenv(name);
  if (count == 0) return std::nullopt;
  for (int fd = kFirstInherited; fd < kFirstInherited + count; ++fd)
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  if (count != 1 || !listens(kFirstInherited))
    return fail(Errc::Invalid, say::inherited_not_listening());
  return Fd(kFirstInherited);
}

bool hand_on_listener(int listener) {
  // dup2 takes the mark "closed on exec" away, but does nothing for a descriptor that is there.
  if (listener == kFirstInherited)
    ::fcntl(listener, F_SETFD, 0);
  else if (::dup2(listener, kFirstInherited) < 0)
    return false;
  return ::setenv("LISTEN_PID", std::to_string(::getpid()).c_str(), 1) == 0 &&
         ::setenv("LISTEN_FDS", "1", 1) == 0;
}

}  // namespace ty::net
