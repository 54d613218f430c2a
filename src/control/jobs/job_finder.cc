#include "control/jobs/job_finder.h"

#include "base/text.h"
#include "control/messages.h"

namespace ty::control {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kShortestPrefix = 4;

}  // namespace

asio::awaitable<Result<model::Job>> JobFinder::look_up(const auth::Principal& who,
                                                       std::string reference) {
  if (const std::size_t at = reference.find('~'); at != std::string::npos) {
    TY_CO_TRY(const model::User owner, co_await users_.find_by_name(reference.substr(0, at)));
    co_return co_await jobs_.find_by_handle(owner.id, reference.substr(at + 1));
  }
  if (looks_like_job_id(reference)) co_return co_await jobs_.find(JobId(reference));
  Result<model::Job> own = co_await jobs_.find_by_handle(who.user, reference);
  if (own || own.error().code != Errc::NotFound || reference.size() < kShortestPrefix)
    co_return own;
  store::VisibleJobs visible{.owner = who.user, .workspaces = who.visible_workspaces()};
  co_return co_await jobs_.find_by_prefix(reference, std::move(visible));
}

asio::awaitable<Result<model::Job>> JobFinder::find(auth::Principal who,
                                                    std::string reference,
                                                    auth::Action action) {
  Result<model::Job> job = co_await look_up(who, reference);
  const auto nobody = [&] {
    return fail(Errc::NotFound, say::no_such_job_for_you({.name = shorten(reference)}));
  };
  if (!job) {
    if (job.error().code != Errc::NotFound) co_return job;
    co_return nobody();
  }
  const auth::Resource resource{.workspace = job->workspace, .owner = job->owner};
  if (!auth::may(who, auth::Action::ShowJob, resource)) {
    // A token that may not read anything gets told so; a stranger learns nothing.
    if (auth::standing(who, resource) >= auth::Standing::Viewer) {
      co_return std::unexpected(auth::may(who, auth::Action::ShowJob, resource).error());
    }
    co_return nobody();
  }
  if (auto allowed = auth::may(who, action, resource); !allowed)
    co_return std::unexpected(std::move(allowed).error());
  co_return job;
}

}  // namespace ty::control
