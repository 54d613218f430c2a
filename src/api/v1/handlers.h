#pragma once
#include "api/operation.h"

/// What the operations of v1 do; the table in face.cc says who may call them.
namespace ty::api::v1 {

// accounts.cc
Answer sign_in(Context& context, Call& call);
Answer sign_out(Context& context, Call& call);
Answer change_password(Context& context, Call& call);
Answer show_me(Context& context, Call& call);
Answer list_workspaces(Context& context, Call& call);
Answer create_workspace(Context& context, Call& call);
Answer delete_workspace(Context& context, Call& call);
Answer set_workspace_member(Context& context, Call& call);
Answer remove_workspace_member(Context& context, Call& call);
Answer list_tokens(Context& context, Call& call);
Answer create_token(Context& context, Call& call);
Answer delete_token(Context& context, Call& call);
Answer list_users(Context& context, Call& call);
Answer create_user(Context& context, Call& call);
Answer set_user_disabled(Context& context, Call& call);
Answer make_sign_in_link(Context& context, Call& call);

// cluster.cc
Answer list_nodes(Context& context, Call& call);
Answer list_queue(Context& context, Call& call);

// events.cc
Answer follow_events(Context& context, Call& call);

// job_actions.cc
Answer stop_job(Context& context, Call& call);
Answer pause_job(Context& context, Call& call);
Answer resume_job(Context& context, Call& call);
Answer set_job_limit(Context& context, Call& call);
Answer move_job(Context& context, Call& call);
Answer delete_job(Context& context, Call& call);
Answer clone_job(Context& context, Call& call);
Answer retry_job(Context& context, Call& call);

// job_details.cc
Answer show_job(Context& context, Call& call);
Answer list_job_events(Context& context, Call& call);
Answer show_job_spec(Context& context, Call& call);
Answer list_job_tries(Context& context, Call& call);
Answer list_job_attempts(Context& context, Call& call);
Answer explain_job(Context& context, Call& call);

// job_list.cc
Answer list_jobs(Context& context, Call& call);
Answer count_jobs(Context& context, Call& call);

// job_logs.cc
Answer read_job_logs(Context& context, Call& call);
Answer list_job_log_lines(Context& context, Call& call);
Answer search_job_log(Context& context, Call& call);

// job_submit.cc
Answer submit_job(Context& context, Call& call);
Answer check_job_file(Context& context, Call& call);
Answer convert_job_file(Context& context, Call& call);

// job_usage.cc
Answer show_job_metrics(Context& context, Call& call);

// registries.cc
Answer list_registries(Context& context, Call& call);
Answer set_registry(Context& context, Call& call);
Answer delete_registry(Context& context, Call& call);

// scheduling.cc
Answer show_scheduling(Context& context, Call& call);
Answer set_scheduling(Context& context, Call& call);
Answer set_node_draining(Context& context, Call& call);

// version.cc
Answer show_version(Context& context, Call& call);

}  // namespace ty::api::v1
