#include "net/impl/tls_context.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/x509.h>

#include <array>

#include "net/messages.h"

namespace ty::net::tls {

namespace {

/// `http/1.1` is what we speak; a client that offers other protocols only is told so at once.
int choose_protocol(SSL*,
                    const unsigned char** out,
                    unsigned char* out_size,
                    const unsigned char* offered,
                    unsigned int offered_size,
                    void*) {
  static constexpr unsigned char ours[] = "\x08http/1.1";
  unsigned char* chosen = nullptr;
  const int found =
      SSL_select_next_proto(&chosen, out_size, ours, sizeof ours - 1, offered, offered_size);
  *out = chosen;
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

}  // namespace

std::string last_error() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (code == 0) return "no reason was given";
  const char* reason = ERR_reason_error_string(code);
  if (reason != nullptr) return reason;
  std::array<char, 160> text{};
  ERR_error_string_n(code, text.data(), text.size());
  return text.data();
}

std::string fingerprint_of(const X509* certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  X509_digest(certificate, EVP_sha256(), digest.data(), &size);
  std::string text = "SHA256:";
  for (unsigned int i = 0; i < size; ++i)
    fmt::format_to(std::back_inserter(text), "{:02x}", digest[i]);
  return text;
}

Result<std::shared_ptr<const Context>> server_context(const TlsIdentity::Files& files) {
  ERR_clear_error();
  auto context = std::make_shared<Context>();
  context->ssl.reset(SSL_CTX_new(TLS_server_method()));
  SSL_CTX* ssl = context->ssl.get();
  if (ssl == nullptr) return fail(Errc::Internal, say::tls_unusable({.why = last_error()}));
  SSL_CTX_set_min_proto_version(ssl, TLS1_2_VERSION);
  SSL_CTX_set_options(ssl, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(ssl, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(ssl, SSL_SESS_CACHE_OFF);  // tickets need no memory of ours
  static constexpr unsigned char id[] = "trainyard";
  SSL_CTX_set_session_id_context(ssl, id, sizeof id - 1);
  SSL_CTX_set_alpn_select_cb(ssl, choose_protocol, nullptr);
  if (SSL_CTX_use_certificate_chain_file(ssl, files.certificate.c_str()) != 1) {
    return fail(Errc::Invalid,
                say::certificate_unusable({.file = files.certificate, .why = last_error()}));
  }
  if (SSL_CTX_use_PrivateKey_file(ssl, files.key.c_str(), SSL_FILETYPE_PEM) != 1) {
    return fail(Errc::Invalid,
                say::key_unusable(
                    {.file = files.key, .certificate = files.certificate, .why = last_error()}));
  }
  context->fingerprint = fingerprint_of(SSL_CTX_get0_certificate(ssl));
  return context;
}

}  // namespace ty::net::tls
