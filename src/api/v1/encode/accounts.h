#pragma once
#include <string>
#include <vector>

#include "api/json_writer.h"
#include "control/sessions/session_service.h"
#include "control/tokens/token_service.h"
#include "control/users/user_service.h"
#include "control/workspaces/workspace_service.h"

namespace ty::api::v1 {

/// `link`: where a new user signs in for the first time.
void write_user(JsonWriter& out, const control::UserView& user, const std::string* link = nullptr);
/// `text`: the token itself, which only its maker ever sees.
void write_token(JsonWriter& out, const control::TokenView& token, const Secret* text = nullptr);
void write_workspace(JsonWriter& out, const control::WorkspaceView& workspace);
void write_memberships(JsonWriter& out, const std::vector<control::OwnWorkspace>& workspaces);
void write_me(JsonWriter& out,
              const control::UserView& user,
              const auth::Principal& who,
              const std::vector<control::OwnWorkspace>& workspaces);
void write_signed_in(JsonWriter& out, const control::SignedIn& signed_in);

}  // namespace ty::api::v1
