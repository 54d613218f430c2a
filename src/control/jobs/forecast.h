#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/message.h"
#include "base/time.h"

namespace ty::sched {
struct Explanation;
}

namespace ty::control {

/// When it starts, if everything goes on as it usually does.
struct StartEstimate {
  Time early{};
  Time likely{};
  Time late{};
};

/// What becomes of a job that waits, or would: why, where in the queue, until when.
struct Forecast {
  enum class Verdict : std::uint8_t {
    StartsNow,
    Waits,       ///< it will start when others end
    Held,        ///< something a person decided keeps it: drain, reservation, limit, back-off
    Impossible,  ///< these nodes cannot run it, even empty
    Unknown,
  };
  Verdict verdict = Verdict::Unknown;
  std::vector<Message> reasons;  ///< what keeps it, the most important first
  std::int64_t position = 0;     ///< from 1
  std::int64_t waiting = 0;      ///< how many wait in all
  std::optional<StartEstimate> estimate;
  Message change;  ///< all that together would start it now; empty when nothing would

  /// All reasons as one.
  Message whole() const;
};

/// In people's words what the scheduler answered.
Forecast to_forecast(const sched::Explanation& told);

}  // namespace ty::control
