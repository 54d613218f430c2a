#pragma once
#include <memory>
#include <string>

#include "base/result.h"
#include "store/impl/driver.h"

namespace ty::store {

/// Connects with libpq, which is loaded when first needed: only those who choose PostgreSQL need it
/// installed.
Result<std::unique_ptr<Connection>> open_postgres(const std::string& url,
                                                  Connection::Access access);

/// The URL with limits on how long the network may be silent; those it names itself stay.
std::string with_network_limits(const std::string& url);

/// `PostgreSQL, host:port/database`, never with a password.
std::string describe_postgres(const std::string& url);

}  // namespace ty::store
