#pragma once
#include <optional>

#include "api/face.h"

/// What the server is besides its APIs: the page, health, figures, schemas, the contract itself.
namespace ty::api::site {

const Face& face();

/// The page, for an address that only the browser knows (`/jobs/k41f…/logs`). Null: this request
/// does not ask for a page, or asks for something that does not exist.
std::optional<net::Response> page_for(const net::Request& request);

}  // namespace ty::api::site
