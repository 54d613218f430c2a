#include <openssl/err.h>
#include <openssl/x509.h>

#include <cstdlib>

#include "net/impl/tls_context.h"
#include "net/messages.h"

namespace ty::net {

TlsClientContext::TlsClientContext(TlsTrust trust, std::shared_ptr<const tls::Context> context)
    : trust_(std::move(trust)), context_(std::move(context)) {}
TlsClientContext::~TlsClientContext() = default;

Result<std::shared_ptr<const TlsClientContext>> TlsClientContext::make(const TlsTrust& trust) {
  ERR_clear_error();
  auto context = std::make_shared<tls::Context>();
  context->ssl.reset(SSL_CTX_new(TLS_client_method()));
  SSL_CTX* ssl = context->ssl.get();
  if (ssl == nullptr) return fail(Errc::Internal, say::tls_unusable({.why = tls::last_error()}));
  SSL_CTX_set_min_proto_version(ssl, TLS1_2_VERSION);
  SSL_CTX_set_options(ssl, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(ssl, SSL_MODE_RELEASE_BUFFERS);
  static constexpr unsigned char http[] = "\x08http/1.1";
  SSL_CTX_set_alpn_protos(ssl, http, sizeof http - 1);
  // The chain and the name are always verified; tls::Session::handshake acts on the outcome,
  // because there the reason can be told together with the fingerprint. Nothing is sent before.
  SSL_CTX_set_verify(ssl, SSL_VERIFY_NONE, nullptr);
  if (!trust.ca_file.empty()) {
    if (SSL_CTX_load_verify_file(ssl, trust.ca_file.c_str()) != 1) {
      return fail(Errc::Invalid,
                  say::roots_unreadable({.file = trust.ca_file, .why = tls::last_error()}));
    }
  } else if (trust.fingerprint.empty()) {
    // The program carries its own OpenSSL, whose idea of where roots are is its builder's; Debian's
    // and most others' place is tried first, then that of Red Hat. SSL_CERT_FILE beats both.
    SSL_CTX_set_default_verify_paths(ssl);
    for (const char* file :
         {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"}) {
      if (std::getenv("SSL_CERT_FILE") == nullptr && SSL_CTX_load_verify_file(ssl, file) == 1)
        break;
    }
    ERR_clear_error();
  }
  return std::shared_ptr<const TlsClientContext>(new TlsClientContext(trust, std::move(context)));
}

}  // namespace ty::net
