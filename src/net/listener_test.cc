#include "net/listener.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cstdlib>

#include "net/http_client.h"
#include "net/http_server.h"

namespace ty::net {
namespace {

TEST(Listener, SaysWhereItListens) {
  const auto any = listen_on("127.0.0.1:0");
  ASSERT_TRUE(any) << any.error().message;
  const auto address = address_of(any->get());
  ASSERT_TRUE(address) << address.error().message;
  EXPECT_TRUE(address->starts_with("127.0.0.1:")) << *address;
  EXPECT_NE(*address, "127.0.0.1:0");
  EXPECT_EQ(listen_on(*address).error().code, Errc::Conflict);
}

TEST(Listener, NonsenseIsNoAddress) {
  for (const char* address : {"", "8080", "127.0.0.1:", "127.0.0.1:99999", "127.0.0.1:http", ":x"})
    EXPECT_EQ(listen_on(address).error().code, Errc::Invalid) << address;
}

TEST(Listener, NobodyListensBesideIt) {
  const auto held = listen_on("127.0.0.1:0");
  ASSERT_TRUE(held);
  sockaddr_storage at{};
  socklen_t size = sizeof at;
  ASSERT_EQ(::getsockname(held->get(), reinterpret_cast<sockaddr*>(&at), &size), 0);
  const Fd thief(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  ::setsockopt(thief.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  ::setsockopt(thief.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  EXPECT_NE(::bind(thief.get(), reinterpret_cast<const sockaddr*>(&at), size), 0);
}

TEST(Listener, AServerTakesOneThatListensAlready) {
  auto held = listen_on("127.0.0.1:0");
  ASSERT_TRUE(held);
  const std::string address = *address_of(held->get());
  const Fd kept(::dup(held->get()));
  for (int life = 0; life < 2; ++life) {
    HttpServer server({}, [](Request&) -> boost::asio::awaitable<Response> {
      co_return text_response(200, "here");
    });
    const auto bound = server.start(Fd(::dup(kept.get())));
    ASSERT_TRUE(bound) << bound.error().message;
    EXPECT_EQ(*bound, address);
    BlockingHttpClient client(*parse_endpoint("http://" + address));
    EXPECT_EQ(client.send({.target = "/"})->body, "here");
    server.stop(Millis{0});
  }
}

TEST(Listener, WhatIsForAnotherProcessIsNotTaken) {
  ::setenv("LISTEN_PID", "1", 1);
  ::setenv("LISTEN_FDS", "1", 1);
  const auto none = inherited_listener();
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->has_value());
  EXPECT_EQ(std::getenv("LISTEN_FDS"), nullptr) << "nor handed on";
}

}  // namespace
}  // namespace ty::net
