#pragma once
#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "net/tls.h"

namespace ty::net::tls {

template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
template <class T, auto Free>
using Owned = std::unique_ptr<T, Freed<Free>>;

/// What all sessions of one side share.
struct Context {
  Owned<SSL_CTX, SSL_CTX_free> ssl;
  std::string fingerprint;  ///< of the server's own certificate
};

/// The oldest error that OpenSSL remembers in this thread, in its words; forgets them all.
std::string last_error();

Result<std::shared_ptr<const Context>> server_context(const TlsIdentity::Files& files);

std::string fingerprint_of(const X509* certificate);

}  // namespace ty::net::tls
