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
      pairs_(rules.pair, rules.capacity),
      accounts_(rules.account, rules.capacity),
      addresses_(rules.address, rules.capacity),
      devices_(rules.device, rules.capacity),
      capacity_(std::max<std::size_t>(rules.capacity, 1)) {}

namespace {
/// Account names differ by more than case in no installation; one bucket for all spellings of a
/// name.
std::string account_key(std::string_view account) { return to_lower(account.substr(0, 256)); }
std::string pair_key(std::string_view account, std::string_view other) {
  return account_key(account) + '\n' + std::string(other);
}
Seconds round_up(Millis wait) { return std::chrono::ceil<Seconds>(wait); }
}  // namespace

std::vector<SignInLimiter::Charge> SignInLimiter::charges(std::string_view account,
                                                          const SignInOrigin& origin) {
  if (!origin.device.empty()) return {{&devices_, pair_key(account, origin.device)}};
  const std::string address = address_key(origin.address);
  std::string pair = pair_key(account, address);
  std::vector<Charge> all;
  // Who signed in from here before does not pay for what is tried from elsewhere.
  if (!known_.contains(pair)) all.push_back({&accounts_, account_key(account)});
  all.push_back({&addresses_, address});
  all.push_back({&pairs_, std::move(pair)});
  return all;
}

void SignInLimiter::remember(const std::string& pair) {
  if (const auto found = known_.find(pair); found != known_.end()) {
    known_order_.splice(known_order_.end(), known_order_, found->second);
    return;
  }
  if (known_.size() >= capacity_) {
    known_.erase(known_order_.front());
    known_order_.pop_front();
  }
  known_order_.push_back(pair);
  known_.emplace(pair, std::prev(known_order_.end()));
}

Result<void> SignInLimiter::admit(std::string_view account, const SignInOrigin& origin) {
  const Time now = clock_.now();
  const std::scoped_lock lock(mutex_);
  const std::vector<Charge> all = charges(account, origin);
  // All are asked before any is charged: a blocked address must not use up somebody's account.
  Millis wait{0};
  for (const Charge& one : all) wait = std::max(wait, one.table->wait(one.key, now));
  if (wait > Millis{0})
    return fail(Errc::Exhausted, say::too_many_sign_ins({.seconds = round_up(wait).count()}));
  for (const Charge& one : all) (void)one.table->take(one.key, now);
  return {};
}

void SignInLimiter::succeeded(std::string_view account, const SignInOrigin& origin) {
  const Time now = clock_.now();
  const std::scoped_lock lock(mutex_);
  for (const Charge& one : charges(account, origin)) one.table->give_back(one.key, now);
  if (!origin.address.empty()) remember(pair_key(account, address_key(origin.address)));
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
