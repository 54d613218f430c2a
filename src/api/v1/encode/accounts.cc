#include "api/v1/encode/accounts.h"

#include "base/text.h"

namespace ty::api {

namespace {

std::string_view role_word(model::WorkspaceRole role) {
  switch (role) {
    case model::WorkspaceRole::Viewer:
      return "viewer";
    case model::WorkspaceRole::Member:
      return "member";
    case model::WorkspaceRole::Manager:
      return "manager";
  }
  return "viewer";
}

}  // namespace

void write_user(JsonWriter& out, const model::User& user, const std::string* link) {
  out.object()
      .field("name", user.name)
      .field("display_name", user.display_name)
      .field("email", user.email)
      .field("administrator", user.administrator)
      .field("disabled", user.disabled)
      .field("created_at", user.created_at)
      .field("last_seen_at", user.last_seen_at);
  if (link != nullptr) out.field("link", *link);
  out.end_object();
}

void write_token(JsonWriter& out, const model::Token& token, const Secret* text) {
  out.object()
      .field("id", token.id.value)
      .field("name", token.name)
      .field("scopes", token.scopes)
      .field("created_at", token.created_at)
      .field("expires_at", token.expires_at)
      .field("last_used_at", token.last_used_at);
  if (text != nullptr) out.field("token", text->reveal());
  out.end_object();
}

void write_workspace(JsonWriter& out, const model::Workspace& workspace) {
  out.object()
      .field("name", workspace.name)
      .field("description", workspace.description)
      .field("created_at", workspace.created_at)
      .end_object();
}

void write_memberships(JsonWriter& out, const std::vector<model::Membership>& memberships) {
  out.array();
  for (const model::Membership& membership : memberships) {
    out.object()
        .field("name", membership.workspace_name)
        .field("role", role_word(membership.role))
        .end_object();
  }
  out.end_array();
}

void write_me(JsonWriter& out,
              const model::User& user,
              const auth::Principal& who,
              const std::vector<model::Membership>& memberships) {
  out.object()
      .field("name", user.name)
      .field("display_name", user.display_name)
      .field("email", user.email)
      .field("administrator", user.administrator)
      .field("has_password", !user.password_hash.empty())
      .field("scopes", split(who.scopes.str(), ' '))
      .key("workspaces");
  write_memberships(out, memberships);
  out.end_object();
}

void write_signed_in(JsonWriter& out, const control::SignedIn& signed_in) {
  out.object()
      .field("token", signed_in.token.reveal())
      .field("expires_at", signed_in.expires_at)
      .field("user", signed_in.user.name)
      .field("has_password", !signed_in.user.password_hash.empty())
      .end_object();
}

}  // namespace ty::api
