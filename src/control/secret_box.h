#pragma once
#include <map>
#include <mutex>
#include <string>

#include "auth/ssh_key.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/secret.h"
#include "model/job_spec.h"

namespace ty::control {

/// Seals the secrets that job files bring along before anything is stored, and opens them when a
/// task starts. The key lies beside the database, mode 600; it is made when the first secret
/// arrives. Any thread.
class SecretBox {
 public:
  explicit SecretBox(std::string key_file) : key_file_(std::move(key_file)) {}

  /// Every `@name` of the spec (jobspec/read.h) becomes its sealed value.
  Result<void> seal(model::JobSpec& spec, const std::map<std::string, Secret>& values) const;
  /// For the database.
  Result<std::string> seal(const Secret& value) const;
  /// Path → value of all the job's sealed secrets.
  Result<model::TextMap> open(const model::JobSpec& spec) const;
  Result<Secret> open(const model::SecretRef& ref) const;
  /// With which the tasks of a job reach each other; nothing of it is stored.
  Result<auth::SshKeyPair> ssh_key(const JobId& job) const;

 private:
  Result<Secret> key() const;

  std::string key_file_;
  mutable std::mutex mutex_;
  mutable Secret key_;
};

}  // namespace ty::control
