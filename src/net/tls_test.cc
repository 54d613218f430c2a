#include "net/tls.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fstream>
#include <thread>

#include "net/http_client.h"
#include "net/http_server.h"
#include "net/router.h"
#include "net/testing/certificate.h"
#include "net/testing/pattern.h"
#include "rt/log.h"

namespace ty::net {
namespace {

namespace asio = boost::asio;
using asio::awaitable;

class TlsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    log::configure({.level = log::Level::Off});
    ASSERT_TRUE(certificate.made()) << certificate.made().error().message;
    options.listen = "127.0.0.1:0";
    options.tls = certificate.identity();
    add(Method::Get, "/hello", [](Request& request) -> awaitable<Response> {
      co_return text_response(200, request.is_secure ? "safely" : "plainly");
    });
    add(Method::Post, "/echo", [](Request& request) -> awaitable<Response> {
      auto body = co_await request.body(64 << 20);
      co_return text_response(200, body ? std::move(*body) : body.error().message.text());
    });
  }
  void TearDown() override {
    if (server) server->stop(Millis{100});
    log::configure({});
  }
  void add(Method method, const char* path, Handler handler) {
    router.add(
        {.method = method, .pattern = path, .operation = path, .handler = std::move(handler)});
  }
  void start() {
    server.emplace(options, [this](Request& request) { return router.handle(request); });
    auto bound = server->start();
    ASSERT_TRUE(bound) << bound.error().message;
    address = *bound;
  }
  BlockingHttpClient client(TlsTrust trust) {
    ClientOptions with;
    with.trust = std::move(trust);
    return BlockingHttpClient(*parse_endpoint("https://" + address), with);
  }
  int connect_plainly() const {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port =
        htons(static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
    ::inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
    return fd;
  }

  TestCertificate certificate;
  ServerOptions options;
  Router router;
  std::optional<HttpServer> server;
  std::string address;
};

TEST_F(TlsTest, AnswersManyRequestsOnOneConnection) {
  start();
  auto c = client(certificate.trust());
  for (int i = 0; i < 5; ++i) {
    const auto answer = c.send({.target = "/hello"});
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->body, "safely");
  }
  EXPECT_EQ(server->figures().accepted, 1u);
}

TEST_F(TlsTest, LargeBodiesFilesAndStreamsArriveWhole) {
  const std::string bytes = pattern(8 << 20);
  add(Method::Get, "/file", [&](Request&) -> awaitable<Response> {
    const int fd = ::memfd_create("test", MFD_CLOEXEC);
    EXPECT_EQ(::write(fd, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    co_return file_response({.fd = Fd(fd), .offset = 7, .length = bytes.size() - 7}, "text/plain");
  });
  add(Method::Get, "/stream", [&](Request&) -> awaitable<Response> {
    co_return stream_response("text/plain", [&](BodyWriter& out) -> awaitable<void> {
      std::size_t at = 0;
      for (std::size_t step = 1; at < bytes.size(); step = step * 3 % 1'000'003) {
        const std::string_view piece = std::string_view(bytes).substr(at, step);
        if (!co_await out.write(piece)) co_return;
        at += piece.size();
      }
    });
  });
  start();
  auto c = client(certificate.trust());
  ClientRequest request{.method = "POST", .target = "/echo"};
  request.body.emplace_back(bytes);
  const auto echoed = c.send(std::move(request));
  ASSERT_TRUE(echoed) << echoed.error().message;
  EXPECT_TRUE(echoed->body == bytes);
  EXPECT_TRUE(c.send({.target = "/file"})->body == std::string_view(bytes).substr(7));
  EXPECT_TRUE(c.send({.target = "/stream"})->body == bytes);
}

TEST_F(TlsTest, AServerThatNobodyVouchesForIsRefusedWithItsFingerprint) {
  start();
  const TestCertificate other;
  const auto unknown = client(other.trust()).send({.target = "/hello"});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, Errc::Forbidden);
  EXPECT_NE(unknown.error().message.text().find(options.tls->fingerprint()), std::string::npos)
      << unknown.error().message;
  const auto system = client({}).send({.target = "/hello"});
  EXPECT_EQ(system.error().code, Errc::Forbidden);
}

TEST_F(TlsTest, AnotherNameThanTheCertificatesIsRefusedBeforeAnythingIsSent) {
  options.listen = "0.0.0.0:0";  // it answers on 127.0.0.2 too, which its certificate does not name
  start();
  ClientOptions with;
  with.trust = certificate.trust();
  Endpoint endpoint = *parse_endpoint("https://" + address);
  endpoint.host = "127.0.0.2";
  ClientRequest request{.target = "/hello"};
  request.headers.add("Authorization", "Bearer secret");
  const auto answer = BlockingHttpClient(endpoint, with).send(std::move(request));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::Forbidden) << answer.error().message;
  for (const char* name : {"localhost", "127.0.0.1"}) {
    endpoint.host = name;
    const auto named = BlockingHttpClient(endpoint, with).send({.target = "/hello"});
    ASSERT_TRUE(named) << named.error().message;
  }
  server->stop(Millis{100});
  EXPECT_EQ(server->figures().accepted, 3u) << "it was reached";
  EXPECT_EQ(server->figures().requests, 2u) << "and heard nothing";
}

TEST_F(TlsTest, AFingerprintTrustsExactlyOneCertificate) {
  start();
  EXPECT_EQ(client({.fingerprint = options.tls->fingerprint()}).send({.target = "/hello"})->status,
            200);
  const TestCertificate other;
  const auto changed =
      client({.fingerprint = other.identity()->fingerprint()}).send({.target = "/hello"});
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().code, Errc::Forbidden);
  EXPECT_NE(changed.error().message.text().find("has changed"), std::string::npos);
}

TEST_F(TlsTest, ANewCertificateServesNewConnectionsAndOldOnesGoOn) {
  start();
  auto old = client(certificate.trust());
  ASSERT_EQ(old.send({.target = "/hello"})->status, 200);
  const TestCertificate other;
  for (const auto& [from, to] :
       {std::pair(other.files().certificate, certificate.files().certificate),
        std::pair(other.files().key, certificate.files().key)}) {
    std::filesystem::copy_file(from, to, std::filesystem::copy_options::overwrite_existing);
  }
  ASSERT_TRUE(options.tls->reload());
  EXPECT_EQ(
      client({.fingerprint = other.identity()->fingerprint()}).send({.target = "/hello"})->status,
      200);
  EXPECT_EQ(old.send({.target = "/hello"})->status, 200);
  EXPECT_EQ(server->figures().accepted, 2u);
}

TEST_F(TlsTest, ABrokenCertificateKeepsTheOldOne) {
  start();
  std::ofstream(certificate.files().key) << "nonsense";
  const auto reloaded = options.tls->reload();
  ASSERT_FALSE(reloaded);
  EXPECT_EQ(reloaded.error().code, Errc::Invalid);
  EXPECT_EQ(client({.fingerprint = options.tls->fingerprint()}).send({.target = "/hello"})->status,
            200);
}

TEST_F(TlsTest, WhoSpeaksPlainHttpIsToldSo) {
  start();
  const int fd = connect_plainly();
  const std::string_view request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  ASSERT_EQ(::send(fd, request.data(), request.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(request.size()));
  char answer[512] = {};
  ASSERT_GT(::recv(fd, answer, sizeof answer - 1, 0), 0);
  EXPECT_TRUE(std::string_view(answer).starts_with("HTTP/1.1 400")) << answer;
  EXPECT_NE(std::string_view(answer).find("https"), std::string_view::npos) << answer;
  ::close(fd);
}

TEST_F(TlsTest, AHandshakeThatDoesNotComeIsNotWaitedFor) {
  ManualTime time;
  options.time = &time;
  options.sweep = Millis{2};
  start();
  const int fd = connect_plainly();
  while (server->figures().connections == 0) std::this_thread::yield();
  // The connection may not have begun to wait yet; time goes on until it has.
  std::atomic<bool> over = false;
  std::thread clock([&] {
    while (!over) {
      time.advance(Millis{11'000});
      std::this_thread::yield();
    }
  });
  char byte = 0;
  EXPECT_EQ(::recv(fd, &byte, 1, 0), 0);
  over = true;
  clock.join();
  ::close(fd);
}

TEST_F(TlsTest, AFollowerEndsAsSoonAsItsClientIsGone) {
  std::atomic<int> begun = 0, following = 0;
  add(Method::Get, "/follow", [&](Request&) -> awaitable<Response> {
    co_return stream_response("text/plain", [&](BodyWriter& out) -> awaitable<void> {
      struct Count {
        std::atomic<int>& n;
        explicit Count(std::atomic<int>& c) : n(c) { ++n; }
        ~Count() { --n; }
      } count(following);
      ++begun;
      (void)co_await out.write("begun\n");
      asio::steady_timer timer(co_await asio::this_coro::executor, std::chrono::hours(1));
      co_await timer.async_wait(asio::use_awaitable);
    });
  });
  start();
  {
    auto c = client(certificate.trust());
    ASSERT_TRUE(c.stream({.target = "/follow"}, [](std::string_view) { return false; }));
  }
  EXPECT_EQ(begun, 1);
  while (following > 0) std::this_thread::yield();
}

TEST_F(TlsTest, TheSelfSignedKeyIsPrivateAndKept) {
  struct stat info{};
  ASSERT_EQ(::stat(certificate.files().key.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
  const std::string before = certificate.identity()->fingerprint();
  EXPECT_TRUE(before.starts_with("SHA256:"));
  EXPECT_EQ(before.size(), 7u + 64u);
  ASSERT_TRUE(keep_self_signed(certificate.files(), {"other"}));
  EXPECT_EQ(certificate.identity()->fingerprint(), before);
}

TEST_F(TlsTest, FilesThatDoNotFitAreNamed) {
  const TestCertificate other;
  const auto mixed =
      TlsIdentity::open({.certificate = certificate.files().certificate, .key = other.files().key});
  ASSERT_FALSE(mixed);
  EXPECT_NE(mixed.error().message.text().find(other.files().key), std::string::npos);
  EXPECT_EQ(TlsIdentity::open({.certificate = "/nowhere", .key = "/nowhere"}).error().code,
            Errc::Invalid);
}

}  // namespace
}  // namespace ty::net
