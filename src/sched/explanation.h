#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/message.h"
#include "sched/request.h"

/// The truth about a request that waits, for people.
namespace ty::sched {

/// A code of messages.toml and its values: "none_free", "workspace_limit", "draining", …
using Statement = Message;

/// When it starts, if everything goes on as it usually does.
struct Estimate {
  Time early{};
  Time likely{};
  Time late{};
};

struct Explanation {
  enum class Verdict : std::uint8_t {
    StartsNow,  ///< the next plan starts it
    Waits,      ///< it will start when others end
    Held,  ///< something a person decided keeps it: drain, reservation, balance, limit, back-off
    Impossible,  ///< no set of these nodes could run it, even empty
    Unknown,     ///< no such request waits
  };
  Verdict verdict = Verdict::Unknown;
  std::vector<Statement> reasons;  ///< what keeps it, the most important first
  std::int64_t position = 0;       ///< from 1, in the order in which starts are decided
  std::int64_t waiting = 0;        ///< how many wait in all
  std::optional<Estimate> estimate;
  std::vector<Statement> change;  ///< what together would start it now; empty when nothing would

  /// All reasons as one: "needs 4 A100 at once; 3 are free on node-1".
  Message whole() const;
};

/// One line of `trainyard queue`.
struct QueueEntry {
  RequestId id;
  std::string name;
  WorkspaceId workspace;
  UserId owner;
  std::int64_t priority = 0;
  std::int64_t tasks = 0;
  std::int64_t gpus = 0;
  Time queued_at{};
};

}  // namespace ty::sched
