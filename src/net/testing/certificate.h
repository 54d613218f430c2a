#pragma once
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "base/ids.h"
#include "net/tls.h"

namespace ty::net {

/// A certificate for 127.0.0.1 and localhost, in a folder that goes away again.
class TestCertificate {
 public:
  TestCertificate() {
    std::filesystem::create_directories(folder_);
    made_ = keep_self_signed(files(), {"127.0.0.1", "localhost"});
  }
  ~TestCertificate() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  TestCertificate(const TestCertificate&) = delete;
  TestCertificate& operator=(const TestCertificate&) = delete;

  const Result<void>& made() const { return made_; }
  TlsIdentity::Files files() const {
    return {.certificate = folder_ / "certificate.pem", .key = folder_ / "key.pem"};
  }
  std::shared_ptr<TlsIdentity> identity() const { return *TlsIdentity::open(files()); }
  TlsTrust trust() const { return {.ca_file = files().certificate}; }

 private:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("ty-tls-" + random_hex(6));
  Result<void> made_;
};

}  // namespace ty::net
