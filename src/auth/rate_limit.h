#pragma once
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"
#include "base/time.h"

namespace ty::auth {

struct BucketRule {
  double burst = 10;      ///< attempts at once
  Millis refill{10'000};  ///< one more attempt after so long
};

/// Token buckets by key. A bucket that is full again is forgotten; past `capacity` the one that was
/// touched longest ago goes, so memory is bounded whatever keys are thrown at it. Not safe from
/// several threads.
class BucketTable {
 public:
  BucketTable(BucketRule rule, std::size_t capacity);
  /// Takes one token. Null on success, else how long until there is one; nothing is taken then.
  std::optional<Millis> take(const std::string& key, Time now);
  /// How long until `take` would succeed; zero when it would now.
  Millis wait(const std::string& key, Time now) const;
  void give_back(const std::string& key, Time now);
  std::size_t size() const { return buckets_.size(); }

 private:
  struct Bucket {
    double tokens = 0;
    Time at{};
    std::list<std::string>::iterator place;
  };
  double tokens_now(const Bucket& bucket, Time now) const;
  Bucket& touch(const std::string& key, Time now);

  BucketRule rule_;
  std::size_t capacity_;
  std::unordered_map<std::string, Bucket> buckets_;
  std::list<std::string> order_;  ///< touched longest ago first
};

struct SignInRules {
  BucketRule account{.burst = 10, .refill = Millis{10'000}};
  BucketRule address{.burst = 30, .refill = Millis{2'000}};
  std::size_t capacity = 50'000;  ///< accounts, and as many addresses
};

/// Slows down guessing of passwords, per account and per address. Safe from any thread; never
/// blocks. Ask before verifying, tell when it was the right password:
///
///     TY_CO_DO(limiter.admit(account, address));
///     if (co_await pool.run(verify…)) limiter.succeeded(account, address);
class SignInLimiter {
 public:
  explicit SignInLimiter(const Clock& clock, SignInRules rules = {});

  /// Errc::Exhausted with `retry in N s` when either has tried too often. A refused attempt costs
  /// nothing more.
  Result<void> admit(std::string_view account, std::string_view address);
  /// Gives the attempt back: people who know their password never run out.
  void succeeded(std::string_view account, std::string_view address);
  /// For a `Retry-After` header: how long until `admit` would agree.
  Seconds retry_after(std::string_view account, std::string_view address) const;

 private:
  const Clock& clock_;
  mutable std::mutex mutex_;
  BucketTable accounts_;
  BucketTable addresses_;
};

/// The part of an address one guesser controls: all of an IPv4 address, the first 64 bits of an
/// IPv6 one.
std::string address_key(std::string_view address);

}  // namespace ty::auth
