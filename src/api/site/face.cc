#include "api/site/face.h"

#include "api/site/handlers.h"
#include "api/v1/problem.h"
#include "api/v1/token.h"

namespace ty::api::site {

namespace {

using net::Method;
using enum Caller;
using enum auth::Scope;

constexpr Operation kOperations[] = {
    {"show_contract", "/api/openapi.yaml", Method::Get, Anyone, Read, show_contract},
    {"show_job_schema", "/schema/job.v1.json", Method::Get, Anyone, Read, show_job_schema},
    {"show_format_schema", "/schema/{file}", Method::Get, Anyone, Read, show_format_schema},
    {"check_alive", "/healthz", Method::Get, Anyone, Read, check_alive},
    {"check_ready", "/readyz", Method::Get, Anyone, Read, check_ready},
    {"show_metrics", "/metrics", Method::Get, Administrator, Read, show_metrics},
    {"show_page", "/", Method::Get, Anyone, Read, show_page},
    {"show_sign_in", "/signin", Method::Get, Anyone, Read, show_sign_in},
    {"show_asset", "/assets/{file}", Method::Get, Anyone, Read, show_asset},
};

constexpr std::string_view kPrefixes[] = {"/"};

}  // namespace

const Face& face() {
  static constexpr Face kFace{.name = "site",
                              .prefixes = kPrefixes,
                              .contract = "openapi.yaml",
                              .operations = kOperations,
                              .read_token = v1::read_token,
                              .shape_error = v1::problem};
  return kFace;
}

}  // namespace ty::api::site
