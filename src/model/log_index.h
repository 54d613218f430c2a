#pragma once
#include <cstdint>

/// A task's log on disk is two files: `X` holds the bytes exactly as the task wrote them (stdout
/// and stderr through one pipe, so their order is the task's own), `X.idx` a row of these records.
/// The writer appends bytes first, then a record; a reader trusts only records whose `offset` lies
/// inside the file.
namespace ty::model {

struct LogIndexRecord {
  std::int64_t at_ms = 0;          ///< when the bytes from `offset` on arrived, UTC milliseconds
  std::uint64_t offset = 0;        ///< first byte of that chunk
  std::uint64_t lines_before = 0;  ///< newlines before `offset`
};
static_assert(sizeof(LogIndexRecord) == 24);

}  // namespace ty::model
