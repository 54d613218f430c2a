#include "net/http_client.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/ids.h"
#include "net/http_server.h"
#include "net/multipart.h"
#include "net/router.h"
#include "net/sse.h"
#include "rt/log.h"

namespace ty::net {
namespace {

namespace asio = boost::asio;
using asio::awaitable;
using namespace std::chrono_literals;

class HttpClientTest : public ::testing::Test {
 protected:
  void SetUp() override {
    add(Method::Get, "/hello", [](Request& r) -> awaitable<Response> {
      co_return text_response(200, "hello " + std::string(r.headers.get("Host")));
    });
    add(Method::Get, "/missing", [](Request&) -> awaitable<Response> {
      co_return text_response(404, "no");
    });
    add(Method::Get, "/slow", [](Request&) -> awaitable<Response> {
      asio::steady_timer timer(co_await asio::this_coro::executor, 1s);
      co_await timer.async_wait(asio::use_awaitable);
      co_return text_response(200, "late");
    });
    add(Method::Post, "/upload", [](Request& r) -> awaitable<Response> {
      auto reader = MultipartReader::open(r);
      if (!reader) co_return text_response(400, reader.error().message.text());
      std::string seen;
      for (;;) {
        const auto part = co_await reader->next_part();
        if (!part) co_return text_response(400, part.error().message.text());
        if (!*part) co_return text_response(200, seen);
        const auto data = co_await reader->read_all(64 << 20);
        if (!data) co_return text_response(400, data.error().message.text());
        seen += fmt::format("{}/{}={} ", (*part)->name, (*part)->filename, data->size());
      }
    });
    add(Method::Post, "/refuse", [](Request& r) -> awaitable<Response> {
      const auto body = co_await r.body(100);
      co_return text_response(body ? 200 : 413, body ? "ok" : body.error().message.text());
    });
    add(Method::Get, "/events", [](Request&) -> awaitable<Response> {
      co_return stream_response("text/event-stream", [](BodyWriter& out) -> awaitable<void> {
        asio::steady_timer timer(co_await asio::this_coro::executor);
        for (int i = 1; i <= 3; ++i) {
          const std::string wire =
              to_wire({.id = std::to_string(i), .event = "tick", .data = "{}"});
          if (!co_await out.write(wire)) co_return;
          timer.expires_after(5ms);
          co_await timer.async_wait(asio::use_awaitable);
        }
      });
    });
    ServerOptions options;
    options.listen = "127.0.0.1:0";
    options.time = &time;
    options.sweep = 1ms;
    server.emplace(options, [this](Request& r) { return router.handle(r); });
    address = *server->start();
  }

  void add(Method method, const char* path, Handler handler) {
    router.add(
        {.method = method, .pattern = path, .operation = path, .handler = std::move(handler)});
  }
  Endpoint endpoint() const { return *parse_endpoint("http://" + address); }

  ManualTime time;
  Router router;
  std::optional<HttpServer> server;
  std::string address;
};

TEST_F(HttpClientTest, KeepsItsConnectionAndReplacesOneThatDiedOfAge) {
  BlockingHttpClient client(endpoint());
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(client.send({.target = "/hello"})->body, "hello " + address);
  EXPECT_EQ(client.send({.target = "/missing"})->status, 404);
  EXPECT_EQ(server->figures().accepted, 1u);
  while (server->figures().connections > 0) {
    time.advance(1min);
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_EQ(client.send({.target = "/hello"})->status, 200);
  EXPECT_EQ(server->figures().accepted, 2u);
}

TEST_F(HttpClientTest, TimesOutAndRecovers) {
  ClientOptions options;
  options.answer_time = 50ms;
  BlockingHttpClient client(endpoint(), options);
  const auto late = client.send({.target = "/slow"});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Errc::Timeout);
  EXPECT_EQ(client.send({.target = "/hello"})->status, 200);
}

TEST_F(HttpClientTest, SaysWhereItCouldNotConnect) {
  server->stop(100ms);
  BlockingHttpClient client(endpoint());
  const auto refused = client.send({.target = "/hello"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::Unavailable);
  EXPECT_EQ(refused.error().message.text(),
            "cannot connect to http://" + address + ": Connection refused");
}

TEST_F(HttpClientTest, UploadsAFormWithAFile) {
  const auto path = std::filesystem::temp_directory_path() / ("ty-upload-" + random_hex(6));
  std::ofstream(path) << std::string(5'000'000, 'z');
  MultipartForm form;
  form.add_text("job", "name: x\n", "application/yaml");
  form.add_file("code", "code \"v1\".tar.gz", {.path = path, .size = 5'000'000});
  ClientRequest request{.method = "POST", .target = "/upload"};
  request.headers.add("Content-Type", form.content_type());
  request.body = form.finish();
  BlockingHttpClient client(endpoint());
  const auto answer = client.send(std::move(request));
  std::filesystem::remove(path);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "job/=8 code/code \"v1\".tar.gz=5000000 ");
}

TEST_F(HttpClientTest, SeesWhyAnUploadWasRefused) {
  BlockingHttpClient client(endpoint());
  for (const std::size_t size : {200'000, 80'000'000}) {
    ClientRequest request{.method = "POST", .target = "/refuse"};
    request.body.emplace_back(std::string(size, 'x'));
    const auto answer = client.send(std::move(request));
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->status, 413);
  }
}

TEST_F(HttpClientTest, FollowsAStreamOfEvents) {
  BlockingHttpClient client(endpoint());
  SseParser parser;
  int seen = 0;
  const auto piece = [&](std::string_view bytes) {
    parser.feed(bytes);
    while (parser.next()) ++seen;
    return true;
  };
  const auto ended = client.stream({.target = "/events"}, piece);
  ASSERT_TRUE(ended) << ended.error().message;
  EXPECT_EQ(seen, 3);
  EXPECT_EQ(parser.last_id(), "3");
  // Leaving early closes the connection and leaves the client usable.
  seen = 0;
  EXPECT_TRUE(client.stream({.target = "/events"}, [&](std::string_view) { return false; }));
  EXPECT_EQ(client.send({.target = "/hello"})->status, 200);
  EXPECT_EQ(client.stream({.target = "/missing"}, piece)->body, "no");
}

TEST_F(HttpClientTest, ManyCoroutinesShareOneClient) {
  asio::io_context io;
  HttpClient client(io.get_executor(), endpoint(), {.keep = 4});
  int good = 0;
  auto ask = [&]() -> awaitable<void> {
    for (int i = 0; i < 20; ++i) {
      ClientRequest request{.target = "/hello"};
      auto response = co_await client.send(std::move(request));
      if (!response) continue;
      const auto body = co_await response->body();
      if (body && response->status == 200) ++good;
    }
  };
  for (int i = 0; i < 20; ++i)
    asio::co_spawn(io, ask(), [](std::exception_ptr e) { EXPECT_FALSE(e); });
  io.run();
  EXPECT_EQ(good, 400);
}

/// Answers one connection on a unix socket with these bytes, whatever was asked.
class CannedUnixServer {
 public:
  explicit CannedUnixServer(std::string answer)
      : path(std::filesystem::temp_directory_path() / ("ty-" + random_hex(6) + ".sock")) {
    fd_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::copy(path.begin(), path.end(), address.sun_path);
    ::bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    ::listen(fd_, 4);
    thread_ = std::thread([this, answer = std::move(answer)] {
      const int peer = ::accept(fd_, nullptr, nullptr);
      char request[4096];
      (void)::recv(peer, request, sizeof request, 0);
      (void)::send(peer, answer.data(), answer.size(), MSG_NOSIGNAL);
      ::close(peer);
    });
  }
  ~CannedUnixServer() {
    thread_.join();
    ::close(fd_);
    ::unlink(path.c_str());
  }
  std::string path;

 private:
  int fd_;
  std::thread thread_;
};

TEST(UnixClient, ReadsEveryWayAnAnswerCanEnd) {
  const auto ask = [](std::string answer) {
    CannedUnixServer server(std::move(answer));
    BlockingHttpClient client(*parse_endpoint("unix:" + server.path));
    return client.send({.target = "/info"});
  };
  EXPECT_EQ(ask("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")->body, "ok");
  EXPECT_EQ(ask("HTTP/1.1 200 OK\r\n\r\nuntil the end")->body, "until the end");
  EXPECT_EQ(
      ask("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\n\r\n")
          ->body,
      "abc");
  EXPECT_EQ(ask("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n")->status, 204);
  EXPECT_EQ(ask("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab").error().code, Errc::Unavailable);
  EXPECT_EQ(ask("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n").error().code,
            Errc::Unavailable);
  EXPECT_EQ(ask("SSH-2.0-OpenSSH\r\n\r\n").error().code, Errc::Invalid);
  EXPECT_EQ(ask("").error().code, Errc::Unavailable);
}

TEST(Endpoint, IsReadFromAUrl) {
  const auto full = *parse_endpoint("http://host:8080/base/path/");
  EXPECT_EQ(full.host, "host");
  EXPECT_EQ(full.port, "8080");
  EXPECT_EQ(full.prefix, "/base/path");
  EXPECT_EQ(parse_endpoint("http://[::1]:9")->host, "::1");
  EXPECT_EQ(parse_endpoint("http://[::1]")->port, "80");
  EXPECT_EQ(parse_endpoint("host:81")->port, "81");
  EXPECT_FALSE(parse_endpoint("http://x")->is_tls);
  EXPECT_TRUE(parse_endpoint("https://x")->is_tls);
  EXPECT_EQ(parse_endpoint("https://x")->port, "443");
  EXPECT_EQ(parse_endpoint("unix:///run/docker.sock")->socket_path, "/run/docker.sock");
  for (const char* bad : {"",
                          "http://",
                          "ftp://x",
                          "http://user@x",
                          "http://x?y",
                          "http://x:99999",
                          "http://x:y",
                          "http://a b",
                          "unix:relative"}) {
    EXPECT_FALSE(parse_endpoint(bad)) << bad;
  }
}

}  // namespace
}  // namespace ty::net
