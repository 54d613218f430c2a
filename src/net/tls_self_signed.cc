#include <fcntl.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/fd.h"
#include "net/impl/ip_address.h"
#include "net/impl/tls_context.h"
#include "net/messages.h"

namespace ty::net {

namespace {

constexpr long kTenYears = 3650L * 24 * 3600;

bool add_extension(X509* certificate, int kind, const std::string& value) {
  X509V3_CTX context{};
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const tls::Owned<X509_EXTENSION, X509_EXTENSION_free> extension(
      X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  return extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1;
}

tls::Owned<X509, X509_free> signed_certificate(EVP_PKEY* key,
                                               const std::vector<std::string>& names) {
  tls::Owned<X509, X509_free> certificate(X509_new());
  X509* x509 = certificate.get();
  std::array<unsigned char, 8> serial{};
  RAND_bytes(serial.data(), serial.size());
  serial[0] &= 0x7F;  // positive
  std::uint64_t number = 0;
  std::memcpy(&number, serial.data(), serial.size());
  X509_set_version(x509, 2);
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(x509), number);
  X509_gmtime_adj(X509_getm_notBefore(x509), -3600);
  X509_gmtime_adj(X509_getm_notAfter(x509), kTenYears);
  X509_set_pubkey(x509, key);
  X509_NAME* subject = X509_get_subject_name(x509);
  const auto* common = reinterpret_cast<const unsigned char*>("Trainyard");
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, common, -1, -1, 0);
  X509_set_issuer_name(x509, subject);
  std::string others;
  for (const std::string& name : names) {
    if (!others.empty()) others += ',';
    others += (is_ip_address(name) ? "IP:" : "DNS:") + name;
  }
  // Its own root: a client that is given this file as its root accepts the server.
  const bool good = add_extension(x509, NID_basic_constraints, "critical,CA:TRUE") &&
                    add_extension(x509, NID_ext_key_usage, "serverAuth") &&
                    add_extension(x509, NID_subject_key_identifier, "hash") &&
                    add_extension(x509, NID_subject_alt_name, others) &&
                    X509_sign(x509, key, EVP_sha256()) > 0;
  if (!good) certificate.reset();
  return certificate;
}

Result<void> write_file(const std::string& path, mode_t mode, BIO* bytes) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bytes, &data);
  const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode));
  if (fd.get() < 0 || ::write(fd.get(), data, static_cast<std::size_t>(size)) != size ||
      ::fsync(fd.get()) != 0) {
    return fail(disk_errc(errno),
                say::certificate_not_written({.file = path, .why = std::strerror(errno)}));
  }
  return {};
}

}  // namespace

Result<void> keep_self_signed(const TlsIdentity::Files& files,
                              const std::vector<std::string>& names) {
  if (::access(files.certificate.c_str(), F_OK) == 0 && ::access(files.key.c_str(), F_OK) == 0)
    return {};
  const tls::Owned<EVP_PKEY, EVP_PKEY_free> key(EVP_EC_gen("P-256"));
  const auto certificate =
      key ? signed_certificate(key.get(), names) : tls::Owned<X509, X509_free>();
  const tls::Owned<BIO, BIO_free_all> key_text(BIO_new(BIO_s_mem()));
  const tls::Owned<BIO, BIO_free_all> certificate_text(BIO_new(BIO_s_mem()));
  if (!certificate ||
      PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) !=
          1 ||
      PEM_write_bio_X509(certificate_text.get(), certificate.get()) != 1) {
    return fail(Errc::Internal, say::certificate_not_made({.why = tls::last_error()}));
  }
  TY_DO(write_file(files.key, 0600, key_text.get()));
  return write_file(files.certificate, 0644, certificate_text.get());
}

}  // namespace ty::net
