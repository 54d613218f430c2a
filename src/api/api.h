#pragma once
#include <memory>
#include <string>

#include "config/config.h"
#include "control/cluster/cluster_service.h"
#include "control/cluster/scheduling_service.h"
#include "control/events/event_service.h"
#include "control/jobs/job_service.h"
#include "control/jobs/usage_service.h"
#include "control/logs/log_service.h"
#include "control/registries/registry_service.h"
#include "control/sessions/authenticator.h"
#include "control/sessions/session_service.h"
#include "control/tokens/token_service.h"
#include "control/users/user_service.h"
#include "control/workspaces/workspace_service.h"
#include "net/http_server.h"

namespace ty::api {

/// What the HTTP edge may call; all of it outlives the Api.
struct Services {
  control::JobService& jobs;
  control::LogService& logs;
  control::UsageService& usage;
  control::Authenticator& authenticator;
  control::SessionService& sessions;
  control::TokenService& tokens;
  control::UserService& users;
  control::WorkspaceService& workspaces;
  control::RegistryService& registries;
  control::SchedulingService& scheduling;
  control::ClusterService& cluster;
  control::EventService& events;
  const config::Config& config;
  std::string version;
  std::string engine;  ///< `local (process runtime)`, for /version and the page
};

/// The HTTP face of the server: every route of contract/openapi.yaml, who may call it, and what
/// every answer shares (request id, access log, problem bodies, metrics). Filled at construction,
/// then read-only and used by all threads.
class Api {
 public:
  explicit Api(Services services);
  ~Api();

  net::Handler handler();
  void done(const net::Exchange& exchange);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ty::api
