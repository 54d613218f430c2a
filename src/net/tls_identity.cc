#include <fmt/format.h>
#include <openssl/pem.h>
#include <sys/stat.h>

#include <array>
#include <ctime>
#include <mutex>

#include "net/impl/tls_context.h"
#include "net/messages.h"
#include "net/time_source.h"
#include "rt/log.h"

namespace ty::net {

namespace {

constexpr Millis kLook{1'000};

/// Tells one content of a file from another without reading it.
struct Stamp {
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
  bool operator==(const Stamp&) const = default;
};

Stamp stamp_of(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return {};
  return {.device = info.st_dev,
          .inode = info.st_ino,
          .size = info.st_size,
          .seconds = info.st_mtim.tv_sec,
          .nanoseconds = info.st_mtim.tv_nsec};
}

}  // namespace

struct TlsIdentity::State {
  Files files;
  mutable std::mutex mutex;
  std::shared_ptr<const tls::Context> context;
  std::array<Stamp, 2> stamps;
  SteadyTime looked;

  std::array<Stamp, 2> look() const { return {stamp_of(files.certificate), stamp_of(files.key)}; }
};

TlsIdentity::TlsIdentity(Files files) : state_(std::make_unique<State>()) {
  state_->files = std::move(files);
}
TlsIdentity::~TlsIdentity() = default;

Result<std::shared_ptr<TlsIdentity>> TlsIdentity::open(Files files) {
  std::shared_ptr<TlsIdentity> identity(new TlsIdentity(std::move(files)));
  TY_DO(identity->reload());
  return identity;
}

Result<void> TlsIdentity::reload() {
  const std::lock_guard lock(state_->mutex);
  // Before they are read: a change in between is found next time.
  state_->stamps = state_->look();
  state_->looked = kernel_time().now();
  TY_TRY(state_->context, tls::server_context(state_->files));
  return {};
}

std::shared_ptr<const tls::Context> TlsIdentity::current() {
  const std::lock_guard lock(state_->mutex);
  const SteadyTime now = kernel_time().now();
  if (now - state_->looked < kLook) return state_->context;
  state_->looked = now;
  const auto stamps = state_->look();
  if (stamps == state_->stamps) return state_->context;
  state_->stamps = stamps;
  auto fresh = tls::server_context(state_->files);
  if (fresh) {
    state_->context = *std::move(fresh);
    log::info("tls.reloaded fingerprint={}", state_->context->fingerprint);
  } else {
    log::error("tls.reload_failed problem={}", fresh.error().message);
  }
  return state_->context;
}

std::string TlsIdentity::fingerprint() const {
  const std::lock_guard lock(state_->mutex);
  return state_->context->fingerprint;
}

Result<std::string> certificate_fingerprint(std::string_view pem) {
  const tls::Owned<BIO, BIO_free_all> bio(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  const tls::Owned<X509, X509_free> certificate(
      PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  if (!certificate) return fail(Errc::Invalid, say::not_a_certificate({.why = tls::last_error()}));
  return tls::fingerprint_of(certificate.get());
}

}  // namespace ty::net
