#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "base/secret.h"

namespace ty::control {

/// One line of the file in which earlier versions kept sign-ins to registries.
struct OldRegistryLogin {
  bool is_workspace = false;
  std::int64_t id = 0;
  std::string server;
  std::string username;
  Secret password;
};

/// `user 7 x<server> x<name> x<password>` a line, each text in hexadecimal digits. No file: none.
/// Blocks on the disk.
Result<std::vector<OldRegistryLogin>> read_old_registries(const std::string& file);

}  // namespace ty::control
