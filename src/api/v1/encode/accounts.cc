#include "api/v1/encode/accounts.h"

#include "base/text.h"

namespace ty::api::v1 {

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

void write_user(JsonWriter& out, const control::UserView& user, const std::string* link) {
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

void write_token(JsonWriter& out, const control::TokenView& token, const Secret* text) {
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

void write_workspace(JsonWriter& out, const control::WorkspaceView& workspace) {
  out.object()
      .field("name", workspace.name)
      .field("description", workspace.description)
      .field("created_at", workspace.created_at)
      .end_object();
}

void write_memberships(JsonWriter& out, const std::vector<control::OwnWorkspace>& workspaces) {
  out.array();
  for (const control::OwnWorkspace& workspace : workspaces) {
    out.object()
        .field("name", workspace.name)
        .field("role", role_word(workspace.role))
        .end_object();
  }
  out.end_array();
}

void write_me(JsonWriter& out,
              const control::UserView& user,
              const auth::Principal& who,
              const std::vector<control::OwnWorkspace>& workspaces) {
  out.object()
      .field("name", user.name)
      .field("display_name", user.display_name)
      .field("email", user.email)
      .field("administrator", user.administrator)
      .field("has_password", user.has_password)
      .field("scopes", split(who.scopes.str(), ' '))
      .key("workspaces");
  write_memberships(out, workspaces);
  out.end_object();
}

void write_signed_in(JsonWriter& out, const control::SignedIn& signed_in) {
  out.object()
      .field("token", signed_in.token.reveal())
      .field("expires_at", signed_in.expires_at)
      .field("user", signed_in.user)
      .field("has_password", signed_in.has_password)
      .end_object();
}

}  // namespace ty::api::v1
