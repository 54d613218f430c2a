#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "engine/engine.h"

namespace ty::engine {

/// What a supervisor has written about its task (supervisor/journal.h), and whether it lives.
struct JournalFacts {
  bool has_begun = false;
  std::optional<pid_t> holder;  ///< the supervisor, while it lives
  std::optional<Time> running;
  std::vector<Message> warnings;

  struct Ended {
    Time at{};
    std::optional<int> exit_code;
    std::optional<int> signal;
    bool stop_asked = false;
    bool stopped_outside = false;  ///< by somebody who is not us: `docker stop`, Docker itself
    bool over_limit = false;
    std::int64_t oom_kills = 0;
    std::int64_t memory_limit = 0;
    std::int64_t peak_memory = 0;
    Millis cpu_time{0};
  };
  std::optional<Ended> ended;

  struct Failed {
    Time at{};
    std::string reason;
    Message message;
  };
  std::optional<Failed> failed;

  bool is_over() const { return ended || failed; }
};

/// Nothing there is no error: `has_begun` is false then.
JournalFacts read_journal(const std::string& run_dir);
/// The lines of a journal, read strictly: lines that make no sense or lack their newline count for
/// nothing.
JournalFacts parse_journal(std::string_view text);

/// The end of the task in the words of the model; a task without an end is lost.
model::Ending ending_of(const JournalFacts& facts);

}  // namespace ty::engine
