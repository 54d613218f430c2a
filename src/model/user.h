#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/secret.h"
#include "base/time.h"

/// Who may do something, and where. Permissions are decided from these in `auth` and `control`.
namespace ty::model {

struct User {
  UserId id;
  std::string name;  ///< unique, what people type
  std::string display_name;
  std::string email;
  bool administrator = false;
  bool disabled = false;
  Secret password_hash;  ///< argon2id; empty: no password sign-in
  Time created_at{};
  std::optional<Time> last_seen_at;
};

struct Workspace {
  WorkspaceId id;
  std::string name;  ///< unique
  std::string description;
  Time created_at{};
};

/// What a person is inside one workspace. Each may do all that the one before may.
enum class WorkspaceRole : std::uint8_t {
  Viewer,   ///< sees jobs and logs
  Member,   ///< submits, and changes what is their own
  Manager,  ///< changes everybody's jobs and the workspace itself
};

struct Membership {
  UserId user;
  std::string user_name;
  WorkspaceId workspace;
  std::string workspace_name;
  WorkspaceRole role = WorkspaceRole::Member;
};

/// A personal access token. Only the hash of what its owner holds is kept.
struct Token {
  TokenId id;
  UserId user;
  std::string name;
  std::string hash;  ///< SHA-256 of the token, hex
  std::vector<std::string> scopes;
  Time created_at{};
  std::optional<Time> expires_at;
  std::optional<Time> last_used_at;
};

/// A signed-in browser; like a token, only its hash is kept.
struct Session {
  std::string hash;
  UserId user;
  std::string client;  ///< what the browser calls itself, for the list of one's sessions
  Time created_at{};
  Time expires_at{};
  std::optional<Time> last_seen_at;
};

/// A link that signs in once.
struct SignInLink {
  std::string hash;
  UserId user;
  Time created_at{};
  Time expires_at{};
};

}  // namespace ty::model
