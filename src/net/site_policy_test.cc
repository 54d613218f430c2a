#include "net/site_policy.h"

#include <gtest/gtest.h>

namespace ty::net {
namespace {

Request request_with(std::initializer_list<std::pair<const char*, const char*>> fields) {
  Request request;
  for (const auto& [name, value] : fields) request.headers.add(name, value);
  return request;
}

TEST(SitePolicyTest, ALoopbackServerAnswersToAddressesAndItsOwnNamesOnly) {
  const SitePolicy policy({.listen = "127.0.0.1:8080"});
  for (const char* host : {"127.0.0.1:8080",
                           "localhost",
                           "LOCALHOST:8080",
                           "[::1]:8080",
                           "jobs.localhost:1",
                           "192.168.1.7",
                           "localhost."})
    EXPECT_TRUE(policy.answers_to(host)) << host;
  for (const char* host : {"evil.example:8080",
                           "127.0.0.1.evil.example",
                           "localhost.evil.example",
                           "notlocalhost",
                           "[::1",
                           ""})
    EXPECT_FALSE(policy.answers_to(host)) << host;
}

TEST(SitePolicyTest, AServerForOthersAnswersToAnyNameUnlessNamesAreGiven) {
  EXPECT_TRUE(SitePolicy({.listen = "0.0.0.0:80"}).answers_to("anything.example"));
  const SitePolicy named({.hosts = {"Train.example.org", "*.lab.example"}, .listen = "0.0.0.0:80"});
  EXPECT_TRUE(named.answers_to("train.example.org:443"));
  EXPECT_TRUE(named.answers_to("a.lab.example"));
  EXPECT_FALSE(named.answers_to("lab.example"));
  EXPECT_FALSE(named.answers_to("evil.example"));
  EXPECT_TRUE(named.answers_to("10.0.0.1"));
}

TEST(SitePolicyTest, AReboundNameIsMisdirected) {
  const SitePolicy policy({.listen = "127.0.0.1:8080"});
  const auto refused = policy.refuse(request_with({{"Host", "evil.example:8080"}}));
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 421);
  EXPECT_FALSE(policy.refuse(request_with({{"Host", "localhost:8080"}})));
}

TEST(SitePolicyTest, OnlyPagesOfThisSiteMayLeaveHttp) {
  const SitePolicy policy;
  const auto status = [&](const char* origin) {
    const auto refused = policy.refuse(request_with({{"Host", "here:1"},
                                                     {"Connection", "keep-alive, Upgrade"},
                                                     {"Upgrade", "websocket"},
                                                     {"Origin", origin}}));
    return refused ? refused->status : 0;
  };
  EXPECT_EQ(status("http://here:1"), 0);
  EXPECT_EQ(status("http://here:2"), 403);
  EXPECT_EQ(status("http://evil.example"), 403);
  EXPECT_EQ(status("null"), 403);
  EXPECT_FALSE(policy.refuse(
      request_with({{"Host", "here:1"}, {"Connection", "Upgrade"}, {"Upgrade", "websocket"}})));
}

TEST(SitePolicyTest, OverTlsAPlainPageOfTheSameNameIsAnotherSite) {
  Request request = request_with({{"Host", "here"}, {"Origin", "http://here"}});
  EXPECT_TRUE(check_same_origin(request));
  request.is_secure = true;
  EXPECT_FALSE(check_same_origin(request));
  request.headers.set("Origin", "https://here");
  EXPECT_TRUE(check_same_origin(request));
}

}  // namespace
}  // namespace ty::net
