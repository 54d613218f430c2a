#include "api/face_router.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include "api/v1/problem.h"
#include "api/v1/token.h"

/// Two faces beside each other: one as ours is, and one as an older platform's might be, with a
/// token in the query and errors of its own shape.
namespace ty::api {
namespace {

namespace asio = boost::asio;
using net::Method;

Answer unused(Context&, Call&) {
  co_return fail(Errc::Internal, plain("the test runs operations itself"));
}

constexpr Operation kNew[] = {
    {"list_things", "/api/v1/things", Method::Get, Caller::SignedIn, auth::Scope::Read, unused},
    {"hello", "/api/v1/hello", Method::Get, Caller::Anyone, auth::Scope::Read, unused},
};
constexpr Operation kOld[] = {
    {"old_things", "/old/things", Method::Get, Caller::SignedIn, auth::Scope::Read, unused},
    {"old_change", "/old/things/{id}", Method::Put, Caller::SignedIn, auth::Scope::Write, unused},
    {"old_admin", "/old/users", Method::Get, Caller::Administrator, auth::Scope::Admin, unused},
};
constexpr std::string_view kNewPrefixes[] = {"/"};
constexpr std::string_view kOldPrefixes[] = {"/old", "/older/v2"};

Presented token_in_query(const net::Request& request) {
  return {.token = Secret(std::string(request.query("token").value_or("")))};
}

net::Response old_error(const Error& error, const net::Request&) {
  return net::json_response(error.code == Errc::NotFound ? 404 : 500,
                            "{\"error\":\"" + error.message.text() + "\"}");
}

constexpr Face kNewFace{.name = "new",
                        .prefixes = kNewPrefixes,
                        .contract = "",
                        .operations = kNew,
                        .read_token = v1::read_token,
                        .shape_error = v1::problem};
constexpr Face kOldFace{.name = "old",
                        .prefixes = kOldPrefixes,
                        .contract = "",
                        .operations = kOld,
                        .read_token = token_in_query,
                        .shape_error = old_error};
constexpr const Face* kFaces[] = {&kNewFace, &kOldFace};

class Faces : public testing::Test {
 protected:
  net::Response call(Method method, std::string_view url, std::string_view bearer = "") {
    net::Request request;
    request.method = method;
    request.id = "r1";
    TY_CHECK(net::parse_target(url, request.target).has_value(), "the test writes good addresses");
    if (!bearer.empty()) request.headers.add("Authorization", "Bearer " + std::string(bearer));
    asio::io_context io;
    auto answer = asio::co_spawn(io, router_.handle(request), asio::use_future);
    io.run();
    return answer.get();
  }
  static std::string body(const net::Response& response) {
    return std::get<std::string>(response.body);
  }

  int refused_ = 0;
  FaceRouter router_{kFaces,
                     {.authenticate = [](Secret token) -> asio::awaitable<Result<auth::Principal>> {
                        if (token.reveal() != "ann")
                          co_return fail(Errc::Unauthenticated, plain("who is that?"));
                        co_return auth::Principal{.name = "ann", .scopes = {auth::Scope::Read}};
                      },
                      .run = [](const Operation& operation, Call& call) -> Answer {
                        co_return net::text_response(
                            200, std::string(operation.id) + " for " + call.who.name);
                      },
                      .refused = [this] { ++refused_; }}};
};

TEST_F(Faces, EachReadsItsOwnToken) {
  EXPECT_EQ(body(call(Method::Get, "/api/v1/things", "ann")), "list_things for ann");
  EXPECT_EQ(body(call(Method::Get, "/old/things?token=ann")), "old_things for ann");
  EXPECT_EQ(call(Method::Get, "/old/things", "ann").status, 500);
  EXPECT_EQ(call(Method::Get, "/api/v1/things?token=ann").status, 401);
  EXPECT_EQ(refused_, 2);
}

TEST_F(Faces, EachShapesItsOwnErrors) {
  EXPECT_EQ(body(call(Method::Get, "/old/things?token=bob")), "{\"error\":\"who is that?\"}");
  EXPECT_NE(body(call(Method::Get, "/api/v1/things", "bob")).find("\"request_id\":\"r1\""),
            std::string::npos);
}

TEST_F(Faces, WhatIsNotThereIsSaidInTheShapeOfWhoeverOwnsTheAddress) {
  EXPECT_EQ(body(call(Method::Get, "/old/nothing")),
            "{\"error\":\"no such address: /old/nothing\"}");
  EXPECT_EQ(body(call(Method::Get, "/older/v2")), "{\"error\":\"no such address: /older/v2\"}");
  EXPECT_NE(body(call(Method::Get, "/older/v20")).find("\"not_found\""), std::string::npos);
  const net::Response wrong_method = call(Method::Delete, "/old/things");
  EXPECT_EQ(wrong_method.status, 405);
  EXPECT_EQ(wrong_method.headers.get("Allow"), "GET, HEAD, OPTIONS");
  EXPECT_TRUE(body(wrong_method).starts_with("{\"error\":"));
  EXPECT_EQ(call(Method::Options, "/old/things").status, 204);
}

TEST_F(Faces, RulesHoldInEveryFace) {
  EXPECT_EQ(call(Method::Get, "/api/v1/hello").status, 200);
  EXPECT_EQ(call(Method::Put, "/old/things/7?token=ann").status, 500);  // may only read
  EXPECT_EQ(call(Method::Get, "/old/users?token=ann").status, 500);     // is no administrator
  EXPECT_EQ(refused_, 2);
}

TEST(OwnerOf, TakesTheLongestPrefixOfWholeParts) {
  EXPECT_EQ(owner_of("/old/things", kFaces), &kOldFace);
  EXPECT_EQ(owner_of("/older", kFaces), &kNewFace);
  EXPECT_EQ(owner_of("/older/v2/x", kFaces), &kOldFace);
  EXPECT_EQ(owner_of("/", kFaces), &kNewFace);
}

}  // namespace
}  // namespace ty::api
