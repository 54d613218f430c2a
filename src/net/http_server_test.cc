#include "net/http_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include "base/ids.h"
#include "base/text.h"
#include "net/http_client.h"
#include "net/router.h"
#include "net/testing/pattern.h"
#include "rt/log.h"

namespace ty::net {
namespace {

namespace asio = boost::asio;
using asio::awaitable;
using namespace std::chrono_literals;

/// A plain blocking socket: speaks HTTP as badly as a test wants.
class RawClient {
 public:
  explicit RawClient(const std::string& address) {
    const auto colon = address.rfind(':');
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1))));
    ::inet_pton(AF_INET, address.substr(0, colon).c_str(), &to.sin_addr);
    fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    timeval limit{.tv_sec = 30, .tv_usec = 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    connected_ = ::connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
  }
  RawClient(RawClient&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), connected_(other.connected_) {}
  ~RawClient() { hang_up(); }

  bool connected() const { return connected_; }
  void hang_up() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  /// Ends with a reset instead of a goodbye.
  void reset() {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    hang_up();
  }
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  /// Everything until the other side closes, or `enough` has been seen.
  std::string read_until(std::string_view enough = {}) {
    while (enough.empty() || seen_.find(enough) == std::string::npos) {
      char piece[65536];
      const ssize_t got = ::recv(fd_, piece, sizeof piece, 0);
      if (got <= 0) break;
      seen_.append(piece, static_cast<std::size_t>(got));
    }
    return std::exchange(seen_, {});
  }
  std::string ask(std::string_view request) {
    send(request);
    return read_until();
  }

 private:
  int fd_ = -1;
  bool connected_ = false;
  std::string seen_;
};

/// A temporary file with these bytes, already unlinked.
Fd file_with(std::string_view bytes) {
  const int fd = ::memfd_create("test", MFD_CLOEXEC);
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return Fd(fd);
}

template <class F>
bool eventually(F holds, std::chrono::milliseconds limit = 30s) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(2ms);
  }
  return true;
}

/// Lets a minute pass every millisecond or so while it lives: whatever has a limit reaches it.
class PassingTime {
 public:
  explicit PassingTime(ManualTime& time)
      : thread_([this, &time] {
          while (!over_) {
            time.advance(1min);
            std::this_thread::sleep_for(1ms);
          }
        }) {}
  ~PassingTime() {
    over_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

class HttpServerTest : public ::testing::Test {
 protected:
  void use_manual_time() {
    options.time = &time;
    options.sweep = Millis{1};
  }
  void SetUp() override {
    log::configure({.level = log::Level::Off});
    options.listen = "127.0.0.1:0";
    add(Method::Get, "/hello", [](Request&) -> awaitable<Response> {
      co_return text_response(200, "hello");
    });
    add(Method::Post, "/echo", [](Request& request) -> awaitable<Response> {
      auto body = co_await request.body(1000);
      if (!body) co_return refuse(body.error(), request);
      co_return text_response(200, std::move(*body));
    });
    add(Method::Post, "/ignore", [](Request&) -> awaitable<Response> {
      co_return text_response(200, "ignored");
    });
    add(Method::Post, "/count", [](Request& request) -> awaitable<Response> {
      std::uint64_t sum = 0;
      for (;;) {
        auto piece = co_await request.read_some();
        if (!piece) co_return refuse(piece.error(), request);
        if (piece->empty()) co_return text_response(200, std::to_string(sum));
        sum += piece->size();
      }
    });
    add(Method::Get, "/throw", [](Request&) -> awaitable<Response> {
      throw std::runtime_error("secret detail");
      co_return Response{};
    });
  }
  void TearDown() override {
    if (server) server->stop(100ms);
    log::configure({});
  }

  void add(Method method, const char* path, Handler handler) {
    router.add(
        {.method = method, .pattern = path, .operation = path, .handler = std::move(handler)});
  }

  static Response refuse(const Error& error, const Request& request) {
    int status = 400;
    if (error.code == Errc::TooLarge) status = 413;
    if (error.code == Errc::Timeout) status = 408;
    const Problem problem{
        .status = status, .code = to_string(error.code), .message = error.message};
    return problem_response(problem, request.id);
  }

  void start() {
    auto handler = [this](Request& request) -> awaitable<Response> {
      return router.handle(request);
    };
    auto done = [this](const Exchange& exchange) {
      ++exchanges;
      if (!exchange.complete) ++incomplete;
    };
    server.emplace(options, handler, done);
    auto bound = server->start();
    ASSERT_TRUE(bound) << bound.error().message;
    address = *bound;
  }
  /// Answers "begun" and then nothing more.
  void add_endless(const char* path) {
    add(Method::Get, path, [](Request&) -> awaitable<Response> {
      Response response = stream_response("text/plain", [](BodyWriter& out) -> awaitable<void> {
        (void)co_await out.write("begun\n");
        asio::steady_timer timer(co_await asio::this_coro::executor, 1h);
        co_await timer.async_wait(asio::use_awaitable);
      });
      std::get<StreamBody>(response.body).endless = true;
      co_return response;
    });
  }
  RawClient raw() { return RawClient(address); }
  BlockingHttpClient client() { return BlockingHttpClient(*parse_endpoint("http://" + address)); }

  ManualTime time;
  ServerOptions options;
  Router router;
  std::optional<HttpServer> server;
  std::string address;
  std::atomic<int> exchanges = 0;
  std::atomic<int> incomplete = 0;
};

TEST_F(HttpServerTest, AnswersAndKeepsTheConnection) {
  start();
  auto c = raw();
  for (int i = 0; i < 3; ++i) {
    c.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n");
    const std::string answer = c.read_until("hello");
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\nDate: ")) << answer;
    EXPECT_NE(answer.find("\r\nContent-Length: 5\r\n"), std::string::npos);
    EXPECT_NE(answer.find("\r\nX-Request-Id: "), std::string::npos);
    EXPECT_EQ(answer.find("Connection:"), std::string::npos);
  }
  const std::string last =
      c.ask("GET /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Request-Id: my-1\r\n\r\n");
  EXPECT_NE(last.find("Connection: close"), std::string::npos);
  EXPECT_NE(last.find("X-Request-Id: my-1\r\n"), std::string::npos);
  EXPECT_TRUE(eventually([&] { return exchanges == 4; }));
}

TEST_F(HttpServerTest, SpeaksHttp10) {
  start();
  EXPECT_NE(raw().ask("GET /hello HTTP/1.0\r\n\r\n").find("Connection: close"), std::string::npos);
  auto c = raw();
  c.send("GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_NE(c.read_until("hello").find("Connection: keep-alive"), std::string::npos);
  c.send("GET /hello HTTP/1.0\r\n\r\n");
  EXPECT_NE(c.read_until().find("hello"), std::string::npos);
}

TEST_F(HttpServerTest, PipelinedRequestsAreAnsweredInOrder) {
  start();
  std::string requests;
  for (int i = 0; i < 200; ++i) {
    const std::string body = fmt::format("<{}>", i);
    requests += fmt::format(
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{}", body.size(), body);
  }
  requests += "GET /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  const std::string answers = raw().ask(requests);
  std::size_t at = 0;
  for (int i = 0; i < 200; ++i) {
    at = answers.find(fmt::format("<{}>", i), at);
    ASSERT_NE(at, std::string::npos) << i;
  }
  EXPECT_TRUE(answers.ends_with("hello"));
}

TEST_F(HttpServerTest, HeadHasTheLengthButNoBody) {
  start();
  const std::string answer =
      raw().ask("HEAD /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_NE(answer.find("Content-Length: 5\r\n"), std::string::npos);
  EXPECT_TRUE(answer.ends_with("\r\n\r\n"));
}

TEST_F(HttpServerTest, ReadsChunkedBodiesByteByByte) {
  start();
  auto c = raw();
  const std::string request =
      "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3;ext=1\r\nabc\r\n00A\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n";
  for (const char byte : request) c.send({&byte, 1});
  EXPECT_NE(c.read_until("789").find("abc0123456789"), std::string::npos);
  c.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_NE(c.read_until("hello").find("200 OK"), std::string::npos);
}

TEST_F(HttpServerTest, MalformedRequestsGetAProblemAndTheEnd) {
  options.max_header = 4096;
  start();
  const auto first_line = [&](std::string_view request) {
    const std::string answer = raw().ask(request);
    EXPECT_NE(answer.find("\"code\":"), std::string::npos) << request << answer;
    EXPECT_NE(answer.find("Connection: close"), std::string::npos) << request;
    return answer.substr(9, 3);
  };
  EXPECT_EQ(first_line("nonsense\r\n\r\n"), "400");
  EXPECT_EQ(first_line("GET /hello HTTP/3.0\r\n\r\n"), "400");
  EXPECT_EQ(first_line("GET /hello HTTP/1.1\r\n\r\n"), "400");  // no Host
  EXPECT_EQ(first_line("GET /hello HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), "400");
  EXPECT_EQ(first_line("GET /../etc HTTP/1.1\r\nHost: a\r\n\r\n"), "400");
  EXPECT_EQ(first_line("GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n"), "400");
  EXPECT_EQ(first_line("GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"), "400");
  EXPECT_EQ(first_line("GET /hello HTTP/1.1\r\nHost: a\r\nBad Name: x\r\n\r\n"), "400");
  EXPECT_EQ(first_line("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n"), "400");
  EXPECT_EQ(first_line("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n"), "400");
  EXPECT_EQ(first_line("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: "
                       "chunked\r\n\r\n"),
            "400");
  EXPECT_EQ(first_line("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n"), "400");
  EXPECT_EQ(
      first_line(
          "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
      "400");
  EXPECT_EQ(first_line("GET /hello HTTP/1.1\r\nHost: a\r\nX-Note: one\r\n two\r\n\r\n"), "400");
  EXPECT_EQ(
      first_line("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n"),
      "400");
  EXPECT_EQ(
      first_line("GET /hello HTTP/1.1\r\nHost: a\r\nX: " + std::string(5000, 'x') + "\r\n\r\n"),
      "431");
  std::string many = "GET /hello HTTP/1.1\r\nHost: a\r\n";
  for (int i = 0; i < 500; ++i) many += fmt::format("X-{}: aaaaaaaa\r\n", i);
  EXPECT_EQ(first_line(many + "\r\n"), "431");
  EXPECT_EQ(first_line("GET /" + std::string(5000, 'a')), "431");
  EXPECT_EQ(first_line("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" +
                       std::string(9000, '0')),
            "400");
  EXPECT_EQ(client().send({.target = "/hello"})->status, 200);
}

TEST_F(HttpServerTest, HandlerFaultsStayOurs) {
  start();
  const auto answer = client().send({.target = "/throw"});
  EXPECT_EQ(answer->status, 500);
  EXPECT_EQ(answer->body.find("secret detail"), std::string::npos);
  EXPECT_NE(answer->body.find("\"code\":\"internal\""), std::string::npos);
}

TEST_F(HttpServerTest, AHundredMegabytesAreRefusedBeforeTheyAreRead) {
  start();
  // Asks first: never sends the body.
  auto polite = raw();
  polite.send(
      "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 104857600\r\nExpect: "
      "100-continue\r\n\r\n");
  const std::string refused = polite.read_until();
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 413")) << refused;
  EXPECT_EQ(refused.find("100 Continue"), std::string::npos);

  // Sends without asking, and still gets to see the answer.
  auto rude = raw();
  rude.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 104857600\r\n\r\n");
  const std::string megabyte(1024 * 1024, 'x');
  for (int i = 0; i < 100; ++i) {
    if (!rude.send(megabyte)) break;
  }
  EXPECT_TRUE(rude.read_until().starts_with("HTTP/1.1 413"));

  // Chunked: cut off as soon as the limit is passed.
  auto chunked = raw();
  chunked.send("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 100; ++i) {
    if (!chunked.send("100000\r\n" + megabyte + "\r\n")) break;
  }
  EXPECT_TRUE(chunked.read_until().starts_with("HTTP/1.1 413"));
}

TEST_F(HttpServerTest, SaysContinueWhenTheBodyIsWanted) {
  start();
  auto c = raw();
  c.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(c.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  c.send("abc");
  EXPECT_NE(c.read_until("abc").find("200 OK"), std::string::npos);
}

TEST_F(HttpServerTest, AnUnreadSmallBodyDoesNotEndTheConnection) {
  start();
  auto c = raw();
  for (int i = 0; i < 3; ++i) {
    c.send("POST /ignore HTTP/1.1\r\nHost: x\r\nContent-Length: 20000\r\n\r\n" +
           std::string(20000, 'x'));
    EXPECT_NE(c.read_until("ignored").find("200 OK"), std::string::npos);
  }
  EXPECT_NE(c.ask("POST /ignore HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000\r\n\r\n")
                .find("Connection: close"),
            std::string::npos);
}

TEST_F(HttpServerTest, SlowClientsAreSentAway) {
  use_manual_time();
  start();
  const PassingTime passing(time);
  auto slow_head = raw();
  slow_head.send("GET /hello HTTP/1.1\r\nHo");
  EXPECT_TRUE(slow_head.read_until().starts_with("HTTP/1.1 408"));
  auto silent = raw();
  EXPECT_EQ(silent.read_until(), "");
  auto slow_body = raw();
  slow_body.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
  EXPECT_TRUE(slow_body.read_until().starts_with("HTTP/1.1 408"));
  auto idle = raw();
  idle.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(idle.read_until().ends_with("hello"));
  EXPECT_TRUE(eventually([&] { return server->figures().connections == 0; }));
}

TEST_F(HttpServerTest, NobodyIsSentAwayBeforeTheirTime) {
  use_manual_time();
  start();
  auto c = raw();
  c.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n");
  c.read_until("hello");
  time.advance(options.idle_time - Millis{1});
  c.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(c.read_until("hello").ends_with("hello"));
}

TEST_F(HttpServerTest, AClientThatDoesNotReadIsCutOff) {
  use_manual_time();
  add(Method::Get, "/big", [](Request&) -> awaitable<Response> {
    co_return text_response(200, std::string(64 << 20, 'x'));
  });
  start();
  auto c = raw();
  c.send("GET /big HTTP/1.1\r\nHost: x\r\n\r\n");
  c.read_until("HTTP/1.1 200");
  const PassingTime passing(time);
  EXPECT_TRUE(eventually([&] { return incomplete == 1; }));
  EXPECT_TRUE(eventually([&] { return server->figures().connections == 0; }));
}

TEST_F(HttpServerTest, FilesArriveWhole) {
  const std::string bytes = pattern(20 << 20);
  add(Method::Get, "/file", [&](Request&) -> awaitable<Response> {
    co_return file_response({.fd = file_with(bytes), .offset = 7, .length = bytes.size() - 7},
                            "text/plain");
  });
  add(Method::Get, "/short", [&](Request&) -> awaitable<Response> {
    co_return file_response({.fd = file_with("abc"), .offset = 0, .length = 10}, "text/plain");
  });
  start();
  auto c = client();
  for (int i = 0; i < 2; ++i) {
    const auto answer = c.send({.target = "/file"});
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->headers.get("Content-Length"), std::to_string(bytes.size() - 7));
    EXPECT_TRUE(answer->body == std::string_view(bytes).substr(7));
  }
  EXPECT_FALSE(c.send({.target = "/short"}));  // never passed off as whole
}

TEST_F(HttpServerTest, StreamsArriveWholeByWriteAndByFile) {
  const std::string bytes = pattern(30 << 20);
  add(Method::Get, "/stream", [&](Request&) -> awaitable<Response> {
    co_return stream_response("text/plain", [&](BodyWriter& out) -> awaitable<void> {
      const Fd file = file_with(bytes);
      std::size_t at = 0;
      for (std::size_t step = 1; at < bytes.size(); step = step * 3 % 1'000'003) {
        const std::string_view piece = std::string_view(bytes).substr(at, step);
        const auto written = step % 2 == 0 ? co_await out.write(piece)
                                           : co_await out.write_file(file.get(), at, piece.size());
        if (!written) co_return;
        at += piece.size();
      }
    });
  });
  add(Method::Get, "/sized", [&](Request&) -> awaitable<Response> {
    Response response = stream_response(
        "text/plain", [&](BodyWriter& out) -> awaitable<void> { (void)co_await out.write(bytes); });
    std::get<StreamBody>(response.body).length = bytes.size();
    co_return response;
  });
  start();
  auto c = client();
  for (const char* path : {"/stream", "/sized", "/stream"}) {
    const auto answer = c.send({.target = path});
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_TRUE(answer->body == bytes) << path;
  }
  EXPECT_EQ(server->figures().accepted, 1u);
  const std::string old = raw().ask("GET /stream HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(old.ends_with(std::string_view(bytes).substr(bytes.size() - 100)));
  EXPECT_EQ(old.find("chunked"), std::string::npos);
}

TEST_F(HttpServerTest, ABrokenStreamIsNeverPassedOffAsWhole) {
  add(Method::Get, "/broken", [](Request&) -> awaitable<Response> {
    co_return stream_response("text/plain", [](BodyWriter& out) -> awaitable<void> {
      (void)co_await out.write("half");
      throw std::runtime_error("disk gone");
    });
  });
  start();
  EXPECT_FALSE(client().send({.target = "/broken"}));
  EXPECT_TRUE(eventually([&] { return incomplete == 1; }));
}

TEST_F(HttpServerTest, AFollowerEndsAsSoonAsItsClientIsGone) {
  std::atomic<int> following = 0;
  add(Method::Get, "/follow", [&](Request&) -> awaitable<Response> {
    co_return stream_response("text/plain", [&](BodyWriter& out) -> awaitable<void> {
      struct Count {
        std::atomic<int>& n;
        explicit Count(std::atomic<int>& c) : n(c) { ++n; }
        ~Count() { --n; }
      } count(following);
      (void)co_await out.write("begun\n");
      asio::steady_timer timer(co_await asio::this_coro::executor, 1h);
      co_await timer.async_wait(asio::use_awaitable);
    });
  });
  start();
  auto polite = raw();
  polite.send("GET /follow HTTP/1.1\r\nHost: x\r\n\r\n");
  polite.read_until("begun");
  EXPECT_EQ(following, 1);
  polite.hang_up();
  EXPECT_TRUE(eventually([&] { return following == 0; }));
  EXPECT_TRUE(eventually([&] { return server->figures().connections == 0; }));
}

TEST_F(HttpServerTest, AbruptEndsLeaveNothingBehind) {
  start();
  for (int i = 0; i < 300; ++i) {
    auto c = raw();
    switch (i % 5) {
      case 0:
        break;
      case 1:
        c.send("GET /hel");
        break;
      case 2:
        c.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n");
        break;
      case 3:
        c.send("POST /count HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nabc");
        break;
      case 4:
        c.send("POST /count HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nfff\r\nabc");
        break;
    }
    if (i % 2 == 0) c.reset();
  }
  EXPECT_EQ(client().send({.target = "/hello"})->body, "hello");
  EXPECT_TRUE(eventually([&] { return server->figures().connections == 0; }));
}

TEST_F(HttpServerTest, AThousandConnectionsAtOnce) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 4096);
  ::setrlimit(RLIMIT_NOFILE, &limit);
  ASSERT_GE(limit.rlim_cur, 2100u) << "raise the limit of open files";
  start();
  std::vector<RawClient> clients;
  for (int i = 0; i < 1000; ++i) {
    clients.push_back(raw());
    ASSERT_TRUE(clients.back().connected()) << i;
  }
  for (int round = 0; round < 3; ++round) {
    for (auto& c : clients) c.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n");
    for (auto& c : clients) ASSERT_TRUE(c.read_until("hello").ends_with("hello"));
  }
  EXPECT_EQ(server->figures().connections, 1000u);
  EXPECT_TRUE(eventually([&] { return exchanges == 3000; }));
}

TEST_F(HttpServerTest, OneTooManyIsToldSoWhileAllOthersAreBusy) {
  add_endless("/forever");
  options.max_connections = 2;
  options.max_per_peer = 2;
  start();
  auto a = raw();
  auto b = raw();
  for (auto* each : {&a, &b}) {
    each->send("GET /forever HTTP/1.1\r\nHost: x\r\n\r\n");
    each->read_until("begun");
  }
  EXPECT_TRUE(raw().read_until().starts_with("HTTP/1.1 503"));
  a.hang_up();
  EXPECT_TRUE(eventually([&] { return server->figures().connections == 1; }));
  EXPECT_EQ(client().send({.target = "/hello"})->status, 200);
}

TEST_F(HttpServerTest, IdleConnectionsMakeRoomTheLongestIdleFirst) {
  add_endless("/forever");
  options.threads = 1;
  options.max_connections = 3;
  options.max_per_peer = 3;
  start();
  auto busy = raw();
  busy.send("GET /forever HTTP/1.1\r\nHost: x\r\n\r\n");
  busy.read_until("begun");
  const auto ask = [](auto& connection) {
    connection.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n");
    connection.read_until("hello");
  };
  auto first = raw();
  ask(first);
  time.advance(1s);
  auto second = raw();
  ask(second);
  auto third = raw();
  ask(third);
  EXPECT_EQ(first.read_until(), "") << "closed";
  ask(second);
  EXPECT_EQ(server->figures().shed, 1u);
  EXPECT_EQ(server->figures().refused, 0u);
}

TEST_F(HttpServerTest, OneAddressHasNoMoreThanItsShare) {
  options.max_connections = 8;
  options.max_per_peer = 4;
  start();
  std::vector<decltype(raw())> crowd;
  for (int i = 0; i < 20; ++i) crowd.push_back(raw());
  EXPECT_TRUE(eventually(
      [&] { return server->figures().accepted == 20 && server->figures().connections <= 5; }));
  EXPECT_EQ(client().send({.target = "/hello"})->status, 200);
}

TEST_F(HttpServerTest, StoppingFinishesAnswersEndsStreamsAndAcceptsNoMore) {
  std::atomic<int> working = 0;
  add(Method::Get, "/slow", [&](Request&) -> awaitable<Response> {
    ++working;
    asio::steady_timer timer(co_await asio::this_coro::executor, 300ms);
    co_await timer.async_wait(asio::use_awaitable);
    co_return text_response(200, "done");
  });
  add_endless("/forever");
  start();
  auto idle = raw();
  idle.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n");
  idle.read_until("hello");
  auto slow = raw();
  slow.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
  auto forever = raw();
  forever.send("GET /forever HTTP/1.1\r\nHost: x\r\n\r\n");
  forever.read_until("begun\n\r\n");
  ASSERT_TRUE(eventually([&] { return working == 1; }));

  const auto began = std::chrono::steady_clock::now();
  server->stop(30s);
  EXPECT_LT(std::chrono::steady_clock::now() - began, 20s);
  EXPECT_EQ(idle.read_until(), "");
  EXPECT_TRUE(slow.read_until().ends_with("done"));
  EXPECT_EQ(forever.read_until(),
            "");  // no last chunk: the follower knows that this was not the end
  EXPECT_FALSE(raw().connected());
}

TEST_F(HttpServerTest, WhatDoesNotFinishInTimeIsCancelled) {
  std::atomic<int> working = 0;
  add(Method::Get, "/stuck", [&](Request&) -> awaitable<Response> {
    ++working;
    asio::steady_timer timer(co_await asio::this_coro::executor, 1h);
    co_await timer.async_wait(asio::use_awaitable);
    co_return text_response(200, "never");
  });
  start();
  auto stuck = raw();
  stuck.send("GET /stuck HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(eventually([&] { return working == 1; }));
  const auto began = std::chrono::steady_clock::now();
  server->stop(50ms);
  EXPECT_LT(std::chrono::steady_clock::now() - began, 20s);
}

TEST_F(HttpServerTest, ATakenPortIsNamed) {
  start();
  ServerOptions same;
  same.listen = address;
  HttpServer second(same, [](Request&) -> awaitable<Response> { co_return Response{}; });
  const auto started = second.start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, Errc::Conflict);
  EXPECT_EQ(started.error().message.text(),
            address + " is in use by another program; choose another port or stop it");
  for (const char* faulty : {"nonsense", "127.0.0.1:", "127.0.0.1:99999", "127.0.0.1:http"}) {
    ServerOptions nonsense;
    nonsense.listen = faulty;
    EXPECT_EQ(HttpServer(nonsense, {}).start().error().code, Errc::Invalid) << faulty;
  }
}

}  // namespace
}  // namespace ty::net
