#include "net/router.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

namespace ty::net {
namespace {

namespace asio = boost::asio;

Handler answer(std::string name) {
  return [name](Request&) -> asio::awaitable<Response> { co_return text_response(200, name); };
}

class RouterTest : public ::testing::Test {
 protected:
  RouterTest() {
    const auto add = [&](Method method, const char* pattern, const char* name) {
      router.add(
          {.method = method, .pattern = pattern, .operation = name, .handler = answer(name)});
    };
    add(Method::Get, "/", "home");
    add(Method::Get, "/api/v1/jobs", "list");
    add(Method::Post, "/api/v1/jobs", "submit");
    add(Method::Get, "/api/v1/jobs/{id}", "get");
    add(Method::Delete, "/api/v1/jobs/{id}", "delete");
    add(Method::Get, "/api/v1/jobs/search", "search");
    add(Method::Get, "/api/v1/jobs/{id}/logs", "logs");
    add(Method::Get, "/api/v1/jobs/{job}/tasks/{task}", "task");
    add(Method::Get, "/files/{rest...}", "files");
  }

  Request request(Method method, std::string_view target) {
    Request made;
    made.method = method;
    EXPECT_TRUE(parse_target(target, made.target));
    return made;
  }
  std::string find(Method method, std::string_view target) {
    Request made = request(method, target);
    const auto match = router.find(made);
    return match.route != nullptr ? match.route->operation : "none allow=" + match.allow;
  }
  Response handle(Request& made) {
    asio::io_context io;
    Response response;
    auto work = [&]() -> asio::awaitable<void> { response = co_await router.handle(made); };
    asio::co_spawn(io, work(), [](std::exception_ptr e) { EXPECT_FALSE(e); });
    io.run();
    return response;
  }

  Router router;
};

TEST_F(RouterTest, PrefersLiteralPartsAndComesBackWhenTheyLeadNowhere) {
  EXPECT_EQ(find(Method::Get, "/"), "home");
  EXPECT_EQ(find(Method::Get, "/api/v1/jobs/"), "list");
  EXPECT_EQ(find(Method::Post, "/api/v1/jobs"), "submit");
  EXPECT_EQ(find(Method::Get, "/api/v1/jobs/k12"), "get");
  EXPECT_EQ(find(Method::Get, "/api/v1/jobs/search"), "search");
  EXPECT_EQ(find(Method::Get, "/api/v1/jobs/search/logs"), "logs");
  EXPECT_EQ(find(Method::Delete, "/api/v1/jobs/search"), "delete");
  EXPECT_EQ(find(Method::Head, "/api/v1/jobs/k12"), "get");
}

TEST_F(RouterTest, HandsOverTheNamedParts) {
  Request made = request(Method::Get, "/api/v1/jobs/ann~bert%2F1/tasks/worker.0");
  ASSERT_NE(router.find(made).route, nullptr);
  EXPECT_EQ(made.param("job"), "ann~bert/1");
  EXPECT_EQ(made.param("task"), "worker.0");
  Request file = request(Method::Get, "/files/a/b%20c/d.js");
  ASSERT_NE(router.find(file).route, nullptr);
  EXPECT_EQ(file.param("rest"), "a/b%20c/d.js");
  Request none = request(Method::Get, "/files");
  ASSERT_NE(router.find(none).route, nullptr);
  EXPECT_EQ(none.param("rest"), "");
}

TEST_F(RouterTest, TellsUnknownPathsFromWrongMethods) {
  EXPECT_EQ(find(Method::Get, "/api/v2"), "none allow=");
  EXPECT_EQ(find(Method::Put, "/api/v1/jobs"), "none allow=GET, HEAD, POST, OPTIONS");
  EXPECT_EQ(find(Method::Get, "/api/v1/jobs/x/y/z/w"), "none allow=");

  Request wrong = request(Method::Put, "/api/v1/jobs/x");
  wrong.id = "r1";
  const Response refused = handle(wrong);
  EXPECT_EQ(refused.status, 405);
  EXPECT_EQ(refused.headers.get("Allow"), "GET, HEAD, DELETE, OPTIONS");
  EXPECT_NE(std::get<std::string>(refused.body).find("\"request_id\":\"r1\""), std::string::npos);

  Request unknown = request(Method::Get, "/nope");
  EXPECT_EQ(handle(unknown).status, 404);

  Request options = request(Method::Options, "/api/v1/jobs");
  const Response allowed = handle(options);
  EXPECT_EQ(allowed.status, 204);
  EXPECT_EQ(allowed.headers.get("Allow"), "GET, HEAD, POST, OPTIONS");
}

}  // namespace
}  // namespace ty::net
