#pragma once
#include <boost/asio/awaitable.hpp>
#include <string>

#include "auth/permission.h"
#include "auth/principal.h"
#include "store/job_store.h"
#include "store/user_store.h"

namespace ty::control {

/// Turns what people write for a job into the job, if they may see it: its id, the name of one of
/// their own, the first four or more characters of an id, or `owner~handle`. A job of a workspace
/// one does not belong to does not exist for one: NotFound, the same words as for an id nobody ever
/// used. Any thread.
class JobFinder {
 public:
  JobFinder(store::JobStore& jobs, store::UserStore& users) : jobs_(jobs), users_(users) {}

  /// Visible to `who`, and `who` may do `action` to it; Forbidden when only the second fails.
  boost::asio::awaitable<Result<model::Job>> find(auth::Principal who,
                                                  std::string reference,
                                                  auth::Action action);

 private:
  boost::asio::awaitable<Result<model::Job>> look_up(const auth::Principal& who,
                                                     std::string reference);

  store::JobStore& jobs_;
  store::UserStore& users_;
};

}  // namespace ty::control
