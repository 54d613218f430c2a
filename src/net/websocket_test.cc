#include "net/websocket.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "base/testing/pace.h"
#include "net/http_server.h"
#include "net/router.h"
#include "net/testing/certificate.h"
#include "net/testing/pattern.h"
#include "net/tunnel.h"
#include "rt/log.h"

namespace ty::net {
namespace {

namespace asio = boost::asio;
using asio::awaitable;

std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  file >> all >> resident;
  return resident * 4096;
}

awaitable<void> echo(WebSocket& socket) {
  for (;;) {
    auto message = co_await socket.read();
    if (!message || !*message) co_return;
    if (!co_await socket.write((*message)->kind, (*message)->bytes)) co_return;
  }
}

/// Each test plain and encrypted: the two differ in nothing a handler sees.
class WebSocketTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    log::configure({.level = log::Level::Off});
    options.listen = "127.0.0.1:0";
    options.time = &time;
    options.sweep = Millis{2};
    if (GetParam()) options.tls = certificate.identity();
    add("/echo", echo);
  }
  void TearDown() override {
    if (server) server->stop(Millis{100});
    log::configure({});
  }

  void add(const char* path,
           std::function<awaitable<void>(WebSocket&)> talk,
           WebSocketOptions with = {}) {
    auto handler = [talk = std::move(talk), with](Request& request) -> awaitable<Response> {
      co_return websocket_response(request, with, talk);
    };
    router.add({.method = Method::Get, .pattern = path, .operation = path, .handler = handler});
  }
  void start() {
    server.emplace(options, [this](Request& request) { return router.handle(request); });
    auto bound = server->start();
    ASSERT_TRUE(bound) << bound.error().message;
    address = *bound;
  }
  Endpoint endpoint() const {
    return *parse_endpoint((GetParam() ? "https://" : "http://") + address);
  }
  WebSocketRequest asking(std::string target) const {
    return {
        .target = std::move(target), .headers = {}, .options = {}, .trust = certificate.trust()};
  }
  /// Runs the client's side in this thread.
  void talk(std::function<awaitable<void>(asio::io_context&)> client) {
    asio::io_context io;
    std::exception_ptr thrown;
    asio::co_spawn(io, client(io), [&](std::exception_ptr e) { thrown = e; });
    io.run();
    if (thrown) std::rethrow_exception(thrown);
  }

  TestCertificate certificate;
  ManualTime time;
  ServerOptions options;
  Router router;
  std::optional<HttpServer> server;
  std::string address;
};

INSTANTIATE_TEST_SUITE_P(, WebSocketTest, ::testing::Bool(), [](const auto& info) {
  return info.param ? "Tls" : "Plain";
});

TEST_P(WebSocketTest, EchoesTextAndBytesOfEverySize) {
  start();
  talk([&](asio::io_context& io) -> awaitable<void> {
    auto opened = co_await connect_websocket(io.get_executor(), endpoint(), asking("/echo"));
    if (!opened) throw std::runtime_error(opened.error().message.text());
    WebSocket& socket = **opened;
    for (const std::size_t size : {0, 1, 125, 126, 65'535, 65'536, 1'000'000}) {
      const std::string sent = pattern(size, 3);
      EXPECT_TRUE(co_await socket.write(MessageKind::Binary, sent));
      auto back = co_await socket.read();
      if (!back || !*back) throw std::runtime_error("no echo");
      EXPECT_EQ((*back)->kind, MessageKind::Binary);
      EXPECT_TRUE((*back)->bytes == sent) << size;
    }
    EXPECT_TRUE(co_await socket.write(MessageKind::Text, "你好"));
    auto back = co_await socket.read();
    EXPECT_EQ((*back)->kind, MessageKind::Text);
    EXPECT_EQ((*back)->bytes, "你好");
    co_await socket.close();
  });
}

TEST_P(WebSocketTest, AServerThatFallsSilentIsGivenUpByItsClient) {
  add("/mute", [](WebSocket&) -> awaitable<void> {
    // Reads nothing, so that it answers no ping either.
    asio::steady_timer timer(co_await asio::this_coro::executor, 1h);
    co_await timer.async_wait(asio::use_awaitable);
  });
  start();
  talk([&](asio::io_context& io) -> awaitable<void> {
    WebSocketRequest request = asking("/mute");
    request.options.idle = 200ms;
    auto opened = co_await connect_websocket(io.get_executor(), endpoint(), std::move(request));
    if (!opened) throw std::runtime_error(opened.error().message.text());
    const auto message = co_await (*opened)->read();
    EXPECT_FALSE(message);
    if (!message) EXPECT_EQ(message.error().code, Errc::Timeout);
  });
}

TEST_P(WebSocketTest, AServerThatOnlyAnswersPingsIsKept) {
  start();
  talk([&](asio::io_context& io) -> awaitable<void> {
    WebSocketRequest request = asking("/echo");
    request.options.idle = 400ms;
    auto opened = co_await connect_websocket(io.get_executor(), endpoint(), std::move(request));
    if (!opened) throw std::runtime_error(opened.error().message.text());
    asio::steady_timer later(io, 1s);
    later.async_wait([&](const boost::system::error_code&) { server->stop(Millis{0}); });
    const auto message = co_await (*opened)->read();
    EXPECT_TRUE(message || message.error().code != Errc::Timeout) << "silence was not the reason";
  });
}

TEST_P(WebSocketTest, AGigabyteReachesASlowReaderExactlyAndSitsInNobodysMemory) {
  // Encrypted, a gigabyte takes a slow build too long; what must hold shows in less.
  const std::size_t messages = GetParam() ? 128 : 1024;
  constexpr std::size_t kSize = std::size_t{1} << 20;
  const std::string block = pattern(kSize + messages, 9);
  const auto message_of = [&](std::size_t i) { return std::string_view(block).substr(i, kSize); };
  std::atomic<std::size_t> written = 0;
  add("/flood", [&](WebSocket& socket) -> awaitable<void> {
    for (std::size_t i = 0; i < messages; ++i) {
      if (!co_await socket.write(MessageKind::Binary, message_of(i))) co_return;
      ++written;
    }
  });
  start();
  const std::uint64_t before = resident_bytes();
  std::size_t same = 0;
  talk([&](asio::io_context& io) -> awaitable<void> {
    auto opened = co_await connect_websocket(io.get_executor(), endpoint(), asking("/flood"));
    if (!opened) throw std::runtime_error(opened.error().message.text());
    // Nobody reads: the writer must come to a stand.
    asio::steady_timer pause(io);
    for (std::size_t last = ~std::size_t{0}; last != written;) {
      last = written;
      pause.expires_after(std::chrono::milliseconds(100));
      co_await pause.async_wait(asio::use_awaitable);
    }
    EXPECT_LT(written, 64u);
    for (std::size_t i = 0; i < messages; ++i) {
      auto message = co_await (*opened)->read();
      if (!message || !*message) break;
      same += (*message)->bytes == message_of(i) ? 1 : 0;
    }
    auto end = co_await (*opened)->read();
    EXPECT_TRUE(end && !*end);
  });
  EXPECT_EQ(same, messages);
  // A sanitizer keeps what was freed for a while.
  if (kTestSlowdown == 1) EXPECT_LT(resident_bytes(), before + (std::uint64_t{48} << 20));
}

TEST_P(WebSocketTest, ATooLargeMessageEndsTheConversation) {
  std::atomic<int> refused = 0;
  WebSocketOptions small;
  small.max_message = 1000;
  add(
      "/small",
      [&](WebSocket& socket) -> awaitable<void> {
        auto message = co_await socket.read();
        if (!message && message.error().code == Errc::TooLarge) ++refused;
      },
      small);
  start();
  talk([&](asio::io_context& io) -> awaitable<void> {
    auto opened = co_await connect_websocket(io.get_executor(), endpoint(), asking("/small"));
    const std::string large(2000, 'x');
    EXPECT_TRUE(co_await (*opened)->write(MessageKind::Binary, large));
    auto end = co_await (*opened)->read();
    EXPECT_TRUE(!end || !*end);
  });
  server->stop(Millis{1000});
  EXPECT_EQ(refused, 1);
}

TEST_P(WebSocketTest, APeerThatAnswersPingsStaysAndASilentOneGoes) {
  std::atomic<int> timeouts = 0;
  std::atomic<int> open = 0;
  WebSocketOptions with;
  with.idle = Millis{60'000};
  add(
      "/wait",
      [&](WebSocket& socket) -> awaitable<void> {
        ++open;
        auto message = co_await socket.read();
        if (!message && message.error().code == Errc::Timeout) ++timeouts;
        --open;
      },
      with);
  start();
  talk([&](asio::io_context& io) -> awaitable<void> {
    auto opened = co_await connect_websocket(io.get_executor(), endpoint(), asking("/wait"));
    if (!opened) throw std::runtime_error(opened.error().message.text());
    while (open == 0) co_await asio::post(io, asio::use_awaitable);
    // Reading answers pings: ten minutes pass in steps of ten seconds, and nobody is sent away.
    std::atomic<bool> over = false;
    auto live = [&]() -> awaitable<void> {
      (void)co_await (*opened)->read();
      over = true;
    };
    bool ended = false;
    asio::co_spawn(io, live(), [&](std::exception_ptr) { ended = true; });
    asio::steady_timer pause(io);
    for (int i = 0; i < 60 && !over; ++i) {
      time.advance(Millis{10'000});
      // Long enough for the sweep to see this step and for the answer to a ping.
      pause.expires_after(std::chrono::milliseconds(30 * kTestSlowdown));
      co_await pause.async_wait(asio::use_awaitable);
    }
    EXPECT_FALSE(over);
    EXPECT_EQ(timeouts, 0);
    while (!ended) {
      time.advance(Millis{70'000});
      co_await asio::post(io, asio::use_awaitable);
    }
  });
  server->stop(Millis{1000});
  EXPECT_EQ(timeouts, 1);
}

TEST_P(WebSocketTest, AStoppingServerSaysGoodbye) {
  std::atomic<int> talking = 0;
  std::atomic<int> ended_well = 0;
  add("/stay", [&](WebSocket& socket) -> awaitable<void> {
    ++talking;
    auto message = co_await socket.read();
    if (message && !*message) ++ended_well;
  });
  start();
  std::thread stopper([&] {
    while (talking == 0) std::this_thread::yield();
    server->stop(Millis{30'000});
  });
  talk([&](asio::io_context& io) -> awaitable<void> {
    auto opened = co_await connect_websocket(io.get_executor(), endpoint(), asking("/stay"));
    if (!opened) throw std::runtime_error(opened.error().message.text());
    auto end = co_await (*opened)->read();
    EXPECT_TRUE(end && !*end);
  });
  stopper.join();
  EXPECT_EQ(ended_well, 1);
}

TEST_P(WebSocketTest, AStuckConversationDoesNotKeepTheServer) {
  std::atomic<int> stuck = 0;
  add("/stuck", [&](WebSocket&) -> awaitable<void> {
    ++stuck;
    asio::steady_timer timer(co_await asio::this_coro::executor, std::chrono::hours(1));
    co_await timer.async_wait(asio::use_awaitable);
  });
  start();
  talk([&](asio::io_context& io) -> awaitable<void> {
    auto opened = co_await connect_websocket(io.get_executor(), endpoint(), asking("/stuck"));
    if (!opened) throw std::runtime_error(opened.error().message.text());
    while (stuck == 0) co_await asio::post(io, asio::use_awaitable);
    server->stop(Millis{20});
    EXPECT_EQ(server->figures().connections, 0u);
  });
}

TEST_P(WebSocketTest, PagesOfOtherSitesAreRefused) {
  start();
  talk([&](asio::io_context& io) -> awaitable<void> {
    WebSocketRequest foreign = asking("/echo");
    foreign.headers.add("Origin", "https://evil.example");
    auto refused = co_await connect_websocket(io.get_executor(), endpoint(), foreign);
    EXPECT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::Forbidden) << refused.error().message;
    WebSocketRequest own = asking("/echo");
    own.headers.add("Origin", (GetParam() ? "https://" : "http://") + address);
    auto opened = co_await connect_websocket(io.get_executor(), endpoint(), own);
    EXPECT_TRUE(opened);
    auto missing = co_await connect_websocket(io.get_executor(), endpoint(), asking("/nothing"));
    EXPECT_EQ(missing.error().code, Errc::NotFound);
  });
}

TEST_P(WebSocketTest, AgreesOnAProtocol) {
  WebSocketOptions with;
  with.protocols = {"v2.terminal", "v1.terminal"};
  add(
      "/terminal",
      [](WebSocket& socket) -> awaitable<void> {
        const std::string agreed = socket.protocol();
        (void)co_await socket.write(MessageKind::Text, agreed);
        (void)co_await socket.read();
      },
      with);
  start();
  talk([&](asio::io_context& io) -> awaitable<void> {
    WebSocketRequest request = asking("/terminal");
    request.options.protocols = {"v1.terminal"};
    auto opened = co_await connect_websocket(io.get_executor(), endpoint(), request);
    if (!opened) throw std::runtime_error(opened.error().message.text());
    EXPECT_EQ((*opened)->protocol(), "v1.terminal");
    auto said = co_await (*opened)->read();
    EXPECT_EQ((*said)->bytes, "v1.terminal");
    co_await (*opened)->close();
  });
}

TEST_P(WebSocketTest, AnOrdinaryRequestIsToldToUpgrade) {
  start();
  ClientOptions with;
  with.trust = certificate.trust();
  const auto answer = BlockingHttpClient(endpoint(), with).send({.target = "/echo"});
  EXPECT_EQ(answer->status, 426);
  EXPECT_EQ(answer->headers.get("Upgrade"), "websocket");
}

TEST_P(WebSocketTest, SomebodyElsesClientAgrees) {
  if (std::system("/usr/bin/python3 -c 'import websockets' 2>/dev/null") != 0)
    GTEST_SKIP() << "python3-websockets is not installed: run tools/setup test";
  start();
  const std::string command =
      fmt::format("/usr/bin/python3 {}/src/net/testing/websocket_client.py {}://{}/echo {}",
                  TY_SOURCE_DIR,
                  GetParam() ? "wss" : "ws",
                  address,
                  certificate.files().certificate);
  EXPECT_EQ(std::system(command.c_str()), 0);
}

Response tunnel_to(std::function<awaitable<void>(Tunnel&)> run) {
  Response response{.status = 101};
  response.headers.add("Upgrade", "bytes");
  response.body = Upgrade{.run = std::move(run)};
  return response;
}

/// What a proxy does: one server's tunnel leads to another's.
TEST_P(WebSocketTest, ATunnelCarriesBytesToAnotherServerAndBack) {
  ServerOptions behind_options;
  behind_options.listen = "127.0.0.1:0";
  HttpServer behind(behind_options, [](Request&) -> awaitable<Response> {
    co_return tunnel_to([](Tunnel& tunnel) -> awaitable<void> {
      std::vector<char> piece(10'000);
      for (;;) {
        auto got = co_await tunnel.read(piece);
        if (!got || *got == 0) break;
        if (!co_await tunnel.write({piece.data(), *got})) break;
      }
      tunnel.end();
    });
  });
  const std::string behind_address = *behind.start();
  const auto asking_bytes = [] {
    ClientRequest request{.target = "/proxy"};
    request.headers.add("Connection", "Upgrade");
    request.headers.add("Upgrade", "bytes");
    return request;
  };
  Result<Relayed> relayed = fail(Errc::Internal, plain("not relayed"));
  router.add({.method = Method::Get,
              .pattern = "/proxy",
              .operation = "proxy",
              .handler = [&](Request&) -> awaitable<Response> {
                co_return tunnel_to([&](Tunnel& near) -> awaitable<void> {
                  HttpClient client(near.executor(), *parse_endpoint("http://" + behind_address));
                  auto answer = co_await client.send(asking_bytes());
                  if (!answer || answer->status != 101) co_return;
                  const auto far = answer->take_over();
                  relayed = co_await relay(near, *far, Millis{60'000});
                });
              }});
  start();
  const std::string bytes = pattern(5'000'000, 11);
  std::string back;
  talk([&](asio::io_context& io) -> awaitable<void> {
    ClientOptions with;
    with.trust = certificate.trust();
    HttpClient client(io.get_executor(), endpoint(), with);
    auto answer = co_await client.send(asking_bytes());
    if (!answer) throw std::runtime_error(answer.error().message.text());
    EXPECT_EQ(answer->status, 101);
    const auto tunnel = answer->take_over();
    auto send = [&]() -> awaitable<void> {
      EXPECT_TRUE(co_await tunnel->write(bytes));
      tunnel->end();
    };
    asio::co_spawn(io, send(), [](std::exception_ptr) {});
    std::vector<char> piece(50'000);
    for (;;) {
      auto got = co_await tunnel->read(piece);
      if (!got || *got == 0) break;
      back.append(piece.data(), *got);
    }
  });
  EXPECT_TRUE(back == bytes);
  server->stop(Millis{1000});
  behind.stop(Millis{1000});
  ASSERT_TRUE(relayed) << relayed.error().message;
  EXPECT_EQ(relayed->forth, bytes.size());
  EXPECT_EQ(relayed->back, bytes.size());
}

TEST_P(WebSocketTest, AnIdleRelayEnds) {
  std::atomic<bool> timed_out = false;
  ServerOptions behind_options;
  behind_options.listen = "127.0.0.1:0";
  HttpServer behind(behind_options, [](Request&) -> awaitable<Response> {
    co_return tunnel_to([](Tunnel& tunnel) -> awaitable<void> {
      std::vector<char> piece(100);
      (void)co_await tunnel.read(piece);
    });
  });
  const std::string behind_address = *behind.start();
  router.add({.method = Method::Get,
              .pattern = "/proxy",
              .operation = "proxy",
              .handler = [&](Request&) -> awaitable<Response> {
                co_return tunnel_to([&](Tunnel& near) -> awaitable<void> {
                  HttpClient client(near.executor(), *parse_endpoint("http://" + behind_address));
                  auto answer = co_await client.send({.target = "/"});
                  const auto far = answer->take_over();
                  const auto done = co_await relay(near, *far, Millis{60'000});
                  timed_out = !done && done.error().code == Errc::Timeout;
                });
              }});
  start();
  talk([&](asio::io_context& io) -> awaitable<void> {
    ClientOptions with;
    with.trust = certificate.trust();
    HttpClient client(io.get_executor(), endpoint(), with);
    auto answer = co_await client.send({.target = "/proxy"});
    if (!answer) throw std::runtime_error(answer.error().message.text());
    const auto tunnel = answer->take_over();
    bool ended = false;
    auto wait = [&]() -> awaitable<void> {
      std::vector<char> piece(100);
      (void)co_await tunnel->read(piece);
      ended = true;
    };
    asio::co_spawn(io, wait(), [](std::exception_ptr) {});
    while (!ended) {
      time.advance(Millis{61'000});
      co_await asio::post(io, asio::use_awaitable);
    }
  });
  server->stop(Millis{1000});
  EXPECT_TRUE(timed_out);
  behind.stop(Millis{100});
}

}  // namespace
}  // namespace ty::net
