#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

/// TLS 1.2 and newer, both ends. Nothing of OpenSSL shows here.
namespace ty::net {

namespace tls {
struct Context;  // impl/tls_context.h
}

/// `SHA256:` and 64 hexadecimal digits of a certificate, as it is sent: what people compare.
/// Takes the first certificate of a PEM text.
Result<std::string> certificate_fingerprint(std::string_view pem);

/// A server's certificate and key, read again when their files change. Safe to use from all
/// threads.
class TlsIdentity {
 public:
  struct Files {
    std::string certificate;  ///< PEM: the server's own first, then those that lead to its root
    std::string key;          ///< PEM, not encrypted
  };

  /// Invalid: a file cannot be read, or the two do not belong together.
  static Result<std::shared_ptr<TlsIdentity>> open(Files files);
  ~TlsIdentity();

  /// What a new connection is served with. Looks at the files at most once a second; when what they
  /// hold now cannot be used, that is logged once and the last good pair stays.
  std::shared_ptr<const tls::Context> current();
  /// Reads the files now.
  Result<void> reload();

  std::string fingerprint() const;

 private:
  explicit TlsIdentity(Files files);
  struct State;
  std::unique_ptr<State> state_;
};

/// Makes a certificate for these host names and addresses, signed by itself and good for ten years,
/// unless the files are there already. The key gets mode 600.
Result<void> keep_self_signed(const TlsIdentity::Files& files,
                              const std::vector<std::string>& names);

/// How a client knows that it speaks with the right server. There is no way not to look.
struct TlsTrust {
  std::string ca_file;      ///< PEM with the roots to trust; empty: those of the system
  std::string fingerprint;  ///< exactly this certificate, whoever signed it; empty: a root must
  bool operator==(const TlsTrust&) const = default;
};

/// The error code of a certificate that cannot be trusted is `Forbidden`; its message holds the
/// fingerprint.
class TlsClientContext {
 public:
  static Result<std::shared_ptr<const TlsClientContext>> make(const TlsTrust& trust);
  ~TlsClientContext();

  const std::shared_ptr<const tls::Context>& shared() const { return context_; }
  const TlsTrust& trust() const { return trust_; }

 private:
  TlsClientContext(TlsTrust trust, std::shared_ptr<const tls::Context> context);
  TlsTrust trust_;
  std::shared_ptr<const tls::Context> context_;
};

}  // namespace ty::net
