#include "control/secret_box.h"

#include <filesystem>
#include <fstream>

#include "auth/sealing.h"
#include "control/data_dir.h"
#include "control/messages.h"

namespace ty::control {

Result<Secret> SecretBox::key() const {
  const std::scoped_lock lock(mutex_);
  if (!key_.empty()) return key_;
  std::error_code ec;
  if (!std::filesystem::exists(key_file_, ec)) {
    Secret fresh = auth::make_sealing_key();
    TY_DO(replace_file(key_file_, fresh.reveal(), 0600));
    key_ = std::move(fresh);
    return key_;
  }
  std::ifstream in(key_file_, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(in), {});
  Secret found(std::move(text));
  if (!auth::is_sealing_key(found)) {
    return fail(Errc::Unavailable, say::not_a_sealing_key({.file = key_file_}));
  }
  key_ = std::move(found);
  return key_;
}

Result<void> SecretBox::seal(model::JobSpec& spec,
                             const std::map<std::string, Secret>& values) const {
  if (values.empty()) return {};
  TY_TRY(const Secret secret_key, key());
  const auto close = [&](model::SecretRef& ref) {
    if (!ref.sealed || !ref.sealed->starts_with('@')) return;
    const auto value = values.find(ref.sealed->substr(1));
    if (value != values.end()) ref.sealed = auth::seal(secret_key, value->second);
  };
  for (auto& [name, ref] : spec.secrets) close(ref);
  for (model::RoleSpec& role : spec.roles) {
    if (role.image_auth) close(role.image_auth->password);
    for (model::Mount& mount : role.mounts) {
      if (!mount.secret || !mount.secret->starts_with('@')) continue;
      const auto value = values.find(mount.secret->substr(1));
      if (value != values.end()) mount.secret = auth::seal(secret_key, value->second);
    }
  }
  return {};
}

Result<std::string> SecretBox::seal(const Secret& value) const {
  TY_TRY(const Secret secret_key, key());
  return auth::seal(secret_key, value);
}

Result<Secret> SecretBox::open(const model::SecretRef& ref) const {
  if (!ref.sealed) return Secret();
  TY_TRY(const Secret secret_key, key());
  return auth::unseal(secret_key, *ref.sealed);
}

Result<auth::SshKeyPair> SecretBox::ssh_key(const JobId& job) const {
  TY_TRY(const Secret secret_key, key());
  return auth::derive_ssh_key(secret_key, job.str());
}

Result<model::TextMap> SecretBox::open(const model::JobSpec& spec) const {
  model::TextMap values;
  for (const auto& [name, ref] : spec.secrets) {
    if (!ref.sealed) continue;
    Result<Secret> value = open(ref);
    if (!value)
      return std::unexpected(
          std::move(value).error().with_context(say::secret_called({.name = name})));
    values[name] = value->reveal();
  }
  return values;
}

}  // namespace ty::control
