#include "auth/rate_limit.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "auth/messages.h"
#include "base/text.h"

namespace ty::auth {

BucketTable::BucketTable(BucketRule rule, std::size_t capacity)
    : rule_(rule), capacity_(std::max<std::size_t>(capacity, 1)) {}

double BucketTable::tokens_now(const Bucket& bucket, Time now) const {
  // A clock set back must not take tokens away.
  const auto passed = std::max(now - bucket.at, Millis{0});
  const double gained =
      static_cast<double>(passed.count()) / static_cast<double>(rule_.refill.count());
  return std::min(rule_.burst, bucket.tokens + gained);
}

BucketTable::Bucket& BucketTable::touch(const std::string& key, Time now) {
  if (const auto found = buckets_.find(key); found != buckets_.end()) {
    Bucket& bucket = found->second;
    bucket.tokens = tokens_now(bucket, now);
    bucket.at = now;
    order_.splice(order_.end(), order_, bucket.place);
    return bucket;
  }
  // Full buckets say nothing that their absence would not; those touched longest ago fill first.
  for (int looked = 0; looked < 2 && !order_.empty(); ++looked) {
    const auto oldest = buckets_.find(order_.front());
    const bool full = tokens_now(oldest->second, now) >= rule_.burst;
    if (!full && buckets_.size() < capacity_) break;
    buckets_.erase(oldest);
    order_.pop_front();
  }
  order_.push_back(key);
  return buckets_.emplace(key, Bucket{rule_.burst, now, std::prev(order_.end())}).first->second;
}

std::optional<Millis> BucketTable::take(const std::string& key, Time now) {
  if (const Millis missing = wait(key, now); missing > Millis{0}) return missing;
  touch(key, now).tokens -= 1;
  return {};
}

Millis BucketTable::wait(const std::string& key, Time now) const {
  const auto found = buckets_.find(key);
  const double tokens = found == buckets_.end() ? rule_.burst : tokens_now(found->second, now);
  if (tokens >= 1) return Millis{0};
  return Millis{static_cast<std::int64_t>(
      std::ceil((1 - tokens) * static_cast<double>(rule_.refill.count())))};
}

void BucketTable::give_back(const std::string& key, Time now) {
  if (!buckets_.contains(key)) return;
  Bucket& bucket = touch(key, now);
  bucket.tokens = std::min(rule_.burst, bucket.tokens + 1);
}

SignInLimiter::SignInLimiter(const Clock& clock, SignInRules rules)
    : clock_(clock),
      accounts_(rules.account, rules.capacity),
      addresses_(rules.address, rules.capacity) {}

namespace {
/// Account names differ by more than case in no installation; one bucket for all spellings of a
/// name.
std::string account_key(std::string_view account) { return to_lower(account.substr(0, 256)); }
Seconds round_up(Millis wait) { return std::chrono::ceil<Seconds>(wait); }
}  // namespace

Result<void> SignInLimiter::admit(std::string_view account, std::string_view address) {
  const Time now = clock_.now();
  const std::string by_account = account_key(account);
  const std::string by_address = address_key(address);
  const std::scoped_lock lock(mutex_);
  // Both are asked before either is charged: a blocked address must not use up somebody's account.
  const Millis wait = std::max(accounts_.wait(by_account, now), addresses_.wait(by_address, now));
  if (wait > Millis{0}) {
    return fail(Errc::Exhausted, say::too_many_sign_ins({.seconds = round_up(wait).count()}));
  }
  (void)accounts_.take(by_account, now);
  (void)addresses_.take(by_address, now);
  return {};
}

void SignInLimiter::succeeded(std::string_view account, std::string_view address) {
  const Time now = clock_.now();
  const std::scoped_lock lock(mutex_);
  accounts_.give_back(account_key(account), now);
  addresses_.give_back(address_key(address), now);
}

Seconds SignInLimiter::retry_after(std::string_view account, std::string_view address) const {
  const Time now = clock_.now();
  const std::scoped_lock lock(mutex_);
  return round_up(std::max(accounts_.wait(account_key(account), now),
                           addresses_.wait(address_key(address), now)));
}

std::string address_key(std::string_view address) {
  std::string text(address.substr(0, 64));
  if (text.size() > 1 && text.front() == '[') text = text.substr(1, text.find(']') - 1);
  in6_addr v6{};
  if (inet_pton(AF_INET6, text.c_str(), &v6) != 1) return text;
  char shown[INET6_ADDRSTRLEN] = {};
  if (IN6_IS_ADDR_V4MAPPED(&v6)) {
    inet_ntop(AF_INET, v6.s6_addr + 12, shown, sizeof shown);
    return shown;
  }
  std::memset(v6.s6_addr + 8, 0, 8);
  inet_ntop(AF_INET6, &v6, shown, sizeof shown);
  return std::string(shown) + "/64";
}

}  // namespace ty::auth
