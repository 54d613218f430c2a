#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/time.h"

namespace ty::sched {
struct Explanation;
}

namespace ty::control {

/// `text` is `code`'s English sentence with the values of `data` in it; other languages fill their
/// own.
struct Statement {
  std::string code;  ///< "free_gpus", "workspace_limit", "draining", …: docs/reference lists them
  std::string text;
  std::map<std::string, std::variant<std::int64_t, std::string>> data;
};

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
  std::string text;                ///< all reasons as one line
  std::vector<Statement> reasons;  ///< what keeps it, the most important first
  std::int64_t position = 0;       ///< from 1
  std::int64_t waiting = 0;        ///< how many wait in all
  std::optional<StartEstimate> estimate;
  std::optional<Statement> change;  ///< all that would start it now; its sentence names every part
};

/// In people's words what the scheduler answered.
Forecast to_forecast(const sched::Explanation& told);

}  // namespace ty::control
