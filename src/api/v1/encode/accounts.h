#pragma once
#include <string>
#include <vector>

#include "api/json_writer.h"
#include "control/users/account_service.h"

namespace ty::api {

/// `link`: where a new user signs in for the first time.
void write_user(JsonWriter& out, const model::User& user, const std::string* link = nullptr);
/// `text`: the token itself, which only its maker ever sees.
void write_token(JsonWriter& out, const model::Token& token, const Secret* text = nullptr);
void write_workspace(JsonWriter& out, const model::Workspace& workspace);
void write_memberships(JsonWriter& out, const std::vector<model::Membership>& memberships);
void write_me(JsonWriter& out,
              const model::User& user,
              const auth::Principal& who,
              const std::vector<model::Membership>& memberships);
void write_signed_in(JsonWriter& out, const control::SignedIn& signed_in);

}  // namespace ty::api
