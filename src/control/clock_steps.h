#pragma once
#include <boost/asio/awaitable.hpp>
#include <string>

#include "base/result.h"
#include "base/time.h"

namespace ty::store {
class JobStore;
class SettingStore;
}  // namespace ty::store

namespace ty::control {

/// Which start of the machine this is; empty where the kernel does not say.
std::string boot_id();

/// A server counts by its own clock (SteadyClock), which does not follow when somebody sets the
/// machine's. The next server takes the machine's calendar as it is then: what is stored of jobs
/// that have not ended, and of sessions, is moved by as much as the clock was set since, so that
/// they have run, waited and lived as long as before. `offset` is that of the new server's
/// clock. Once, before jobs are loaded; writes nothing when nothing was set.
boost::asio::awaitable<Result<void>> follow_clock(store::JobStore& jobs,
                                                  store::SettingStore& settings,
                                                  std::string boot,
                                                  Millis offset);

}  // namespace ty::control
