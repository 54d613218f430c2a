#pragma once
#include <memory>
#include <string>

#include "base/result.h"
#include "store/impl/driver.h"

namespace ty::store {

/// Opens the file, makes it if missing, and sets it to WAL with full syncs. Readers open what the
/// writer has made. With a `reserve` the write-ahead log owns so many bytes of disk from the start,
/// also over restarts: commits go there alone, so they succeed on a full disk until it is used up.
Result<std::unique_ptr<Connection>> open_sqlite(const std::string& path,
                                                Connection::Access access,
                                                std::int64_t reserve = 0);

}  // namespace ty::store
