#pragma once
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "engine/local/docker/client.h"

namespace ty::engine::docker {

/// One bridge network for each job that has containers. Making one takes Docker as long as starting
/// a container, so a network whose job is over waits a moment for the next job; nobody else is in
/// it then. Each has its own subnet: Docker's own choice ends after thirty.
///
/// Safe to call from any thread; `acquire` may block while a network is made.
class Networks {
 public:
  /// `subnets` as `10.210.0.0/16`: network n gets the n-th /24 of it; empty: Docker chooses.
  Networks(Client& client, std::string owner, std::string subnets, const Clock& clock);

  /// The name of the job's network; once for each of its containers.
  Result<std::string> acquire(const JobId& job);
  /// Addresses on a network for so many tasks, the same each time; none where Docker chooses them,
  /// or where there are too few for all.
  std::vector<std::string> addresses(const std::string& network, std::size_t tasks) const;
  /// Once for each container that is gone. True: it was the job's last.
  bool release(const JobId& job);
  /// A container that was there before us.
  void adopt(const JobId& job, const std::string& network);
  /// What a former server made and nobody uses; called once, after all `adopt`.
  void take_leftovers();
  /// Removes networks nobody has used for so long.
  void trim(Millis unused);

 private:
  static constexpr int kMost = 256;
  struct Lease {
    int slot = -1;
    int containers = 0;
    bool is_being_made = true;
  };

  std::string name_of(int slot) const;
  std::optional<int> slot_of(const std::string& name) const;
  Result<int> make();
  Result<void> create(int slot);

  Client& client_;
  const std::string owner_;
  const std::string subnets_;
  const Clock& clock_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<JobId, Lease> leases_;
  std::map<int, Time> spare_;  // slot, since when
  std::set<int> taken_;        // leased, spare, being made or somebody else's
};

}  // namespace ty::engine::docker
