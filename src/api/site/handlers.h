#pragma once
#include "api/operation.h"

/// What the operations of the site do; the table in face.cc says who may call them.
namespace ty::api::site {

// page.cc
Answer show_page(Context& context, Call& call);
Answer show_sign_in(Context& context, Call& call);
Answer show_asset(Context& context, Call& call);

// server.cc
Answer show_contract(Context& context, Call& call);
Answer show_job_schema(Context& context, Call& call);
Answer show_format_schema(Context& context, Call& call);
Answer check_alive(Context& context, Call& call);
Answer check_ready(Context& context, Call& call);
Answer show_metrics(Context& context, Call& call);

}  // namespace ty::api::site
