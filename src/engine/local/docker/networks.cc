#include "engine/local/docker/networks.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <boost/json.hpp>
#include <charconv>

#include "base/text.h"
#include "engine/local/docker/container_plan.h"
#include "engine/messages.h"

namespace ty::engine::docker {
namespace {

namespace json = boost::json;

/// The n-th /24 of a network written as `10.210.0.0/16`; empty when there is none.
std::string nth_subnet(const std::string& subnets, int n) {
  const auto parts = split(subnets, '/');
  in_addr base = {};
  int bits = 0;
  if (parts.size() != 2 || ::inet_pton(AF_INET, parts[0].c_str(), &base) != 1) return {};
  std::from_chars(parts[1].data(), parts[1].data() + parts[1].size(), bits);
  if (bits < 8 || bits > 24 || n >= 1 << (24 - bits)) return {};
  in_addr net = {htonl((ntohl(base.s_addr) & 0xffffff00U) + (static_cast<std::uint32_t>(n) << 8))};
  char text[INET_ADDRSTRLEN] = {};
  ::inet_ntop(AF_INET, &net, text, sizeof(text));
  return std::string(text) + "/24";
}

}  // namespace

Networks::Networks(Client& client, std::string owner, std::string subnets, const Clock& clock)
    : client_(client), owner_(std::move(owner)), subnets_(std::move(subnets)), clock_(clock) {}

std::string Networks::name_of(int slot) const { return fmt::format("ty-{}-{}", owner_, slot); }

std::optional<int> Networks::slot_of(const std::string& name) const {
  const std::string prefix = fmt::format("ty-{}-", owner_);
  int slot = -1;
  if (!name.starts_with(prefix)) return std::nullopt;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + prefix.size(), end, slot);
  if (error != std::errc{} || stop != end || slot < 0 || slot >= kMost) return std::nullopt;
  return slot;
}

Result<std::string> Networks::acquire(const JobId& job) {
  std::unique_lock lock(mutex_);
  while (true) {
    const auto found = leases_.find(job);
    if (found == leases_.end()) break;
    if (!found->second.is_being_made) {
      ++found->second.containers;
      return name_of(found->second.slot);
    }
    changed_.wait(lock);
  }
  leases_[job] = Lease{};
  Result<int> slot = -1;
  if (!spare_.empty()) {
    slot = spare_.begin()->first;
    spare_.erase(spare_.begin());
  } else {
    lock.unlock();
    slot = make();
    lock.lock();
  }
  changed_.notify_all();
  if (!slot) {
    leases_.erase(job);
    return std::unexpected(std::move(slot).error());
  }
  leases_[job] = {.slot = *slot, .containers = 1, .is_being_made = false};
  return name_of(*slot);
}

std::vector<std::string> Networks::addresses(const std::string& network, std::size_t tasks) const {
  constexpr std::size_t kFirst = 2;  // 0 is the network, 1 the machine
  constexpr std::size_t kEnd = 255;  // everybody at once
  const std::optional<int> slot = slot_of(network);
  const std::string subnet = slot ? nth_subnet(subnets_, *slot) : std::string();
  std::vector<std::string> all;
  if (subnet.empty() || kFirst + tasks > kEnd) return all;
  const std::string prefix = subnet.substr(0, subnet.rfind('.') + 1);
  for (std::size_t i = 0; i < tasks; ++i) all.push_back(prefix + std::to_string(kFirst + i));
  return all;
}

Result<int> Networks::make() {
  Message refusal = say::no_network_free();
  for (int slot = 0; slot < kMost; ++slot) {
    {
      const std::lock_guard lock(mutex_);
      if (!taken_.insert(slot).second) continue;
    }
    auto created = create(slot);
    if (created) return slot;
    refusal = created.error().message;
    // An address range that somebody else uses stays taken for as long as we live.
    const bool is_overlap = Client::words_of(refusal).find("verlap") != std::string::npos;
    if (is_overlap) continue;
    const std::lock_guard lock(mutex_);
    taken_.erase(slot);
    return fail(created.error().code, say::no_network_for_job({.why = std::move(refusal)}));
  }
  return fail(Errc::Exhausted, say::no_network_range_for_job({.why = std::move(refusal)}));
}

Result<void> Networks::create(int slot) {
  json::object body = {{"Name", name_of(slot)},
                       {"CheckDuplicate", true},
                       {"Driver", "bridge"},
                       {"Labels", json::object{{kOwnerLabel, owner_}}}};
  if (const std::string subnet = nth_subnet(subnets_, slot); !subnet.empty()) {
    json::array config;
    config.push_back(json::object{{"Subnet", subnet}});
    body["IPAM"] = json::object{{"Config", std::move(config)}};
  }
  auto made = client_.post("/networks/create", json::serialize(body));
  // Ours from before, by name; somebody removes it by hand or nobody does.
  if (!made && made.error().code == Errc::Conflict) return {};
  if (!made) return std::unexpected(std::move(made).error());
  return {};
}

bool Networks::release(const JobId& job) {
  const std::lock_guard lock(mutex_);
  const auto found = leases_.find(job);
  if (found == leases_.end() || --found->second.containers > 0) return false;
  spare_[found->second.slot] = clock_.now();
  leases_.erase(found);
  return true;
}

void Networks::adopt(const JobId& job, const std::string& network) {
  const auto slot = slot_of(network);
  if (!slot) return;
  const std::lock_guard lock(mutex_);
  Lease& lease = leases_[job];
  lease = {.slot = *slot, .containers = lease.containers + 1, .is_being_made = false};
  taken_.insert(*slot);
}

void Networks::take_leftovers() {
  const std::string filter = fmt::format(R"({{"label":["{}={}"]}})", kOwnerLabel, owner_);
  const auto answer = client_.get("/networks?filters=" + Client::encode(filter));
  if (!answer) return;
  boost::system::error_code error;
  const json::value parsed = json::parse(*answer, error);
  if (error || !parsed.is_array()) return;
  const std::lock_guard lock(mutex_);
  for (const json::value& item : parsed.as_array()) {
    const json::value* name = item.is_object() ? item.as_object().if_contains("Name") : nullptr;
    if (name == nullptr || !name->is_string()) continue;
    const auto slot = slot_of(std::string(name->as_string()));
    if (slot && taken_.insert(*slot).second) spare_[*slot] = clock_.now();
  }
}

void Networks::trim(Millis unused) {
  while (true) {
    int slot = -1;
    {
      const std::lock_guard lock(mutex_);
      for (const auto& [number, since] : spare_) {
        if (clock_.now() - since >= unused) slot = number;
      }
      if (slot < 0) return;
      spare_.erase(slot);
    }
    const auto removed = client_.remove("/networks/" + name_of(slot));
    const std::lock_guard lock(mutex_);
    const bool is_gone = removed || removed.error().code == Errc::NotFound;
    if (is_gone) {
      taken_.erase(slot);
    } else {
      spare_[slot] = clock_.now();  // Docker is away, or still unplugs the last container
      return;
    }
  }
}

}  // namespace ty::engine::docker
