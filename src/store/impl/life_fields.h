#pragma once
#include <cstdint>
#include <forward_list>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/result.h"
#include "model/job.h"
#include "store/tx.h"

/// Which column of `jobs` keeps which field of a job's life: the one list from which columns,
/// inserts, updates and reads are made. A field of model::JobLife that is missing here does not
/// compile; a column that no migration makes fails the tests.
namespace ty::store {

/// An UPDATE that names an indexed column rewrites its index entries even when the value stays, so
/// those are named only when the state changes, and they change only then.
enum class Written : std::uint8_t { Always, WithState };

template <class T>
struct LifeField {
  std::string_view column;
  T model::JobLife::* member;
  Written written = Written::Always;
};

inline constexpr std::tuple kLifeFields{
    LifeField{"state", &model::JobLife::state, Written::WithState},
    LifeField{"ending_as", &model::JobLife::ending_as},
    LifeField{"attempt", &model::JobLife::attempt},
    LifeField{"retries", &model::JobLife::retries},
    LifeField{"decision", &model::JobLife::decision},
    LifeField{"queued_at", &model::JobLife::queued_at},
    LifeField{"not_before", &model::JobLife::not_before},
    LifeField{"placed_at", &model::JobLife::placed_at},
    LifeField{"started_at", &model::JobLife::started_at},
    LifeField{"decided_at", &model::JobLife::decided_at},
    LifeField{"stop_at", &model::JobLife::stop_at},
    LifeField{"ended_at", &model::JobLife::ended_at, Written::WithState},
    LifeField{"ran", &model::JobLife::ran},
    LifeField{"time_limit", &model::JobLife::time_limit},
};
inline constexpr int kLifeColumns = std::tuple_size_v<decltype(kLifeFields)>;

/// Its place in `life_columns`.
consteval int life_column(std::string_view column) {
  int at = 0;
  int found = -1;
  const auto look = [&](std::string_view one) {
    if (one == column) found = at;
    ++at;
  };
  std::apply([&](const auto&... field) { (look(field.column), ...); }, kLifeFields);
  if (found < 0) throw "there is no such column";
  return found;
}

/// All columns in the order of the list, each after `prefix`: `j.state, j.ending_as, …`.
std::string life_columns(std::string_view prefix);
/// `ending_as = :ending_as, …`, with those of Written::WithState or without.
std::string life_assignments(bool with_state);

/// Values to bind, and the texts that some of them refer to.
struct LifeParams {
  std::vector<Param> params;
  std::forward_list<std::string> texts;

  /// Appends the values in the order of `life_columns` or `life_assignments`.
  void add(const model::JobLife& life, bool with_state);
};

/// From columns selected as `life_columns`, the first of which is `first`. Without tasks.
Result<void> read_life(const Rows& rows, int first, model::JobLife& life);

}  // namespace ty::store
