#pragma once
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

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
  BucketRule pair{.burst = 10, .refill = Millis{10'000}};     ///< one account from one address
  BucketRule account{.burst = 60, .refill = Millis{30'000}};  ///< one account from new addresses
  BucketRule address{.burst = 30, .refill = Millis{2'000}};   ///< one address, all accounts
  BucketRule device{.burst = 10, .refill = Millis{10'000}};   ///< one account from a known device
  std::size_t capacity = 50'000;                              ///< of each
};

/// Where a sign-in comes from.
struct SignInOrigin {
  std::string address;
  /// Something only a device that has signed in to this very account before can show; empty: none.
  std::string device = {};
};

/// Slows down guessing of passwords without locking out whose password it is. Guesses from one
/// address use up what that address has for the account, and guesses from many addresses what new
/// addresses have for it together; a device that has signed in to the account before has tries of
/// its own that nobody else can use up, and an address from which it was signed in to lately still
/// has its own. Safe from any thread; never blocks. Ask before verifying, tell when it was the
/// right password:
///
///     TY_CO_DO(limiter.admit(account, origin));
///     if (co_await pool.run(verify…)) limiter.succeeded(account, origin);
class SignInLimiter {
 public:
  explicit SignInLimiter(const Clock& clock, SignInRules rules = {});

  /// Errc::Exhausted with `retry in N s` when somebody has tried too often. A refused attempt costs
  /// nothing more.
  Result<void> admit(std::string_view account, const SignInOrigin& origin);
  /// Gives the attempt back: people who know their password never run out.
  void succeeded(std::string_view account, const SignInOrigin& origin);

 private:
  struct Charge {
    BucketTable* table;
    std::string key;
  };
  std::vector<Charge> charges(std::string_view account, const SignInOrigin& origin);
  void remember(const std::string& pair);

  const Clock& clock_;
  mutable std::mutex mutex_;
  BucketTable pairs_;
  BucketTable accounts_;
  BucketTable addresses_;
  BucketTable devices_;
  /// Account and address that have signed in, the latest last; as many as the tables may have.
  std::size_t capacity_;
  std::list<std::string> known_order_;
  std::unordered_map<std::string, std::list<std::string>::iterator> known_;
};

/// The part of an address one guesser controls: all of an IPv4 address, the first 64 bits of an
/// IPv6 one.
std::string address_key(std::string_view address);

}  // namespace ty::auth
