#pragma once
#include <memory>
#include <string>

#include "base/result.h"
#include "store/impl/driver.h"

namespace ty::store {

/// Opens the file, makes it if missing, and sets it to WAL with full syncs. Readers open what the
/// writer has made.
Result<std::unique_ptr<Connection>> open_sqlite(const std::string& path, Connection::Access access);

}  // namespace ty::store
