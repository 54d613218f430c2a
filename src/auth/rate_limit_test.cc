#include "auth/rate_limit.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace ty::auth {
namespace {

constexpr BucketRule kPlenty{.burst = 1000, .refill = 1s};

SignInOrigin from(std::string address) { return {.address = std::move(address)}; }

TEST(SignInLimiter, AnAccountRunsOutForNewAddressesAndRecovers) {
  ManualClock clock;
  SignInLimiter limiter(
      clock, {.pair = kPlenty, .account = {.burst = 3, .refill = 10s}, .address = kPlenty});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(limiter.admit("li", from("10.0.0." + std::to_string(i))));
  const auto refused = limiter.admit("LI", from("10.0.0.9"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::Exhausted);
  EXPECT_NE(refused.error().message.text().find("10 s"), std::string::npos);
  EXPECT_TRUE(limiter.admit("wang", from("10.0.0.9")));
  clock.advance(10s);
  EXPECT_TRUE(limiter.admit("li", from("10.0.0.9")));
  EXPECT_FALSE(limiter.admit("li", from("10.0.0.9")));
}

TEST(SignInLimiter, GuessesFromOneAddressLeaveTheOthersAlone) {
  ManualClock clock;
  SignInLimiter limiter(clock);
  int admitted = 0;
  for (int i = 0; i < 500; ++i) admitted += limiter.admit("li", from("10.0.0.1")) ? 1 : 0;
  EXPECT_EQ(admitted, 10);
  EXPECT_TRUE(limiter.admit("li", from("10.0.0.2")));
}

TEST(SignInLimiter, KnownDevicesAndAddressesAreNotLockedOut) {
  ManualClock clock;
  SignInLimiter limiter(clock);
  ASSERT_TRUE(limiter.admit("li", from("10.0.0.1")));
  limiter.succeeded("li", from("10.0.0.1"));
  for (int i = 0; i < 5000; ++i)
    (void)limiter.admit("li",
                        from("10." + std::to_string(i / 200) + ".1." + std::to_string(i % 200)));
  EXPECT_FALSE(limiter.admit("li", from("10.99.0.2"))) << "a new address";
  EXPECT_TRUE(limiter.admit("li", from("10.0.0.1"))) << "one it was signed in from";
  EXPECT_TRUE(limiter.admit("li", {.address = "10.99.0.2", .device = "laptop"}));
  // A stolen device has its own tries, and no more.
  int admitted = 0;
  for (int i = 0; i < 100; ++i)
    admitted += limiter.admit("li", {.address = "10.99.0.3", .device = "stolen"}) ? 1 : 0;
  EXPECT_EQ(admitted, 10);
}

TEST(SignInLimiter, AnAddressRunsOutWhateverAccountsItTries) {
  ManualClock clock;
  SignInLimiter limiter(clock, {.account = kPlenty, .address = {.burst = 3, .refill = 5s}});
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(limiter.admit("user" + std::to_string(i), from("2001:db8::" + std::to_string(i))));
  EXPECT_FALSE(limiter.admit("user9", from("2001:db8::ffff")));
  EXPECT_TRUE(limiter.admit("user9", from("2001:db8:0:1::1")));
}

TEST(SignInLimiter, ARefusedAddressDoesNotUseUpTheAccount) {
  ManualClock clock;
  SignInLimiter limiter(
      clock, {.account = {.burst = 2, .refill = 60s}, .address = {.burst = 1, .refill = 60s}});
  EXPECT_TRUE(limiter.admit("li", from("10.0.0.1")));
  for (int i = 0; i < 50; ++i) EXPECT_FALSE(limiter.admit("li", from("10.0.0.1")));
  EXPECT_TRUE(limiter.admit("li", from("10.0.0.2")));
}

TEST(SignInLimiter, WhoKnowsThePasswordNeverRunsOut) {
  ManualClock clock;
  SignInLimiter limiter(clock);
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_TRUE(limiter.admit("li", from("10.0.0.1")));
    limiter.succeeded("li", from("10.0.0.1"));
  }
}

TEST(BucketTable, MemoryIsBoundedAndFullBucketsAreForgotten) {
  const Time start = from_millis(1'700'000'000'000);
  BucketTable table({.burst = 5, .refill = 1s}, 1000);
  for (int i = 0; i < 20'000; ++i) (void)table.take("key" + std::to_string(i), start);
  EXPECT_LE(table.size(), 1000u);
  for (int i = 0; i < 2'000; ++i) (void)table.take("later" + std::to_string(i % 10), start + 1h);
  for (int i = 0; i < 2'000; ++i)
    (void)table.take("other" + std::to_string(i), start + 2h + Millis{i * 5000});
  EXPECT_LE(table.size(), 10u);
}

TEST(BucketTable, NeverAdmitsMoreThanBurstPlusRefill) {
  EXPECT_TRUE(rc::check([](const std::vector<std::uint16_t>& gaps) {
    const Time start = from_millis(1'700'000'000'000);
    BucketTable table({.burst = 4, .refill = 1s}, 10);
    Time now = start;
    double admitted = 0;
    for (const std::uint16_t gap : gaps) {
      now += Millis{gap % 3000};
      if (!table.take("k", now)) admitted += 1;
      const double most = 4 + static_cast<double>((now - start).count()) / 1000.0;
      RC_ASSERT(admitted <= most + 1e-6);
    }
  }));
}

TEST(BucketTable, TheWaitItNamesIsEnoughAndNotTooLong) {
  EXPECT_TRUE(rc::check([](std::uint16_t drained, std::uint16_t refill) {
    const Time start = from_millis(1'700'000'000'000);
    const Millis step{refill % 5000 + 1};
    BucketTable table({.burst = 3, .refill = step}, 10);
    for (int i = 0; i < 3 + drained % 5; ++i) (void)table.take("k", start);
    const auto wait = table.take("k", start);
    RC_ASSERT(wait.has_value());
    RC_ASSERT(*wait <= step);
    RC_ASSERT(!table.take("k", start + *wait));
  }));
}

TEST(BucketTable, AClockSetBackTakesNothingAway) {
  const Time start = from_millis(1'700'000'000'000);
  BucketTable table({.burst = 2, .refill = 1s}, 10);
  EXPECT_FALSE(table.take("k", start));
  EXPECT_FALSE(table.take("k", start - 1h));
  EXPECT_TRUE(table.take("k", start - 1h));
  EXPECT_FALSE(table.take("k", start - 1h + 1s));
}

TEST(AddressKey, GroupsWhatOneGuesserControls) {
  EXPECT_EQ(address_key("10.1.2.3"), "10.1.2.3");
  EXPECT_EQ(address_key("::ffff:10.1.2.3"), "10.1.2.3");
  EXPECT_EQ(address_key("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
  EXPECT_EQ(address_key("[2001:db8:1:2::9]"), "2001:db8:1:2::/64");
  EXPECT_EQ(address_key("unix"), "unix");
}

}  // namespace
}  // namespace ty::auth
