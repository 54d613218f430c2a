#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "model/job.h"

namespace ty::model {

enum class JobSort : std::uint8_t { Newest, Oldest, Name, Ended };

/// Which jobs, in which order. Everything set must hold; a list means any of.
struct JobQuery {
  std::vector<WorkspaceId> workspaces;  ///< those the caller may see; empty: all (administrators)
  std::optional<UserId> owner;
  std::vector<JobState> states;
  std::string name_part;  ///< case-insensitive fragment of the name
  std::optional<std::pair<std::string, std::optional<std::string>>>
      label;  ///< key, and value if given
  std::optional<Dialect> dialect;
  std::optional<Time> created_from, created_to;
  JobSort sort = JobSort::Newest;
  int limit = 50;      ///< 1…500
  std::string cursor;  ///< opaque, from the page before
};

struct JobPage {
  std::vector<Job> jobs;
  std::string next_cursor;  ///< empty: this was the last page
};

}  // namespace ty::model
