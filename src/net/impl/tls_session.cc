#include "net/impl/tls_session.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cstring>

#include "net/impl/ip_address.h"
#include "net/messages.h"

namespace ty::net::tls {

namespace {

constexpr std::size_t kInput = std::size_t{18} * 1024;   // a record and its frame
constexpr std::size_t kRecord = std::size_t{16} * 1024;  // the most one record holds

long control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

}  // namespace

/// OpenSSL reads and writes our buffers: no socket, no copy more than needed.
const BIO_METHOD* Session::method() {
  static const BIO_METHOD* const made = [] {
    BIO_METHOD* method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "trainyard");
    BIO_meth_set_read(method, take);
    BIO_meth_set_write(method, give);
    BIO_meth_set_ctrl(method, control);
    BIO_meth_set_create(method, [](BIO* bio) {
      BIO_set_init(bio, 1);
      return 1;
    });
    return method;
  }();
  return made;
}

int Session::take(BIO* bio, char* into, int size) {
  auto& self = *static_cast<Session*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  const std::string_view unread = self.in_.unread();
  if (unread.empty()) {
    if (self.in_ended_) return 0;
    BIO_set_retry_read(bio);
    return -1;
  }
  const std::size_t count = std::min(unread.size(), static_cast<std::size_t>(size));
  std::memcpy(into, unread.data(), count);
  self.in_.used(count);
  return static_cast<int>(count);
}

int Session::give(BIO* bio, const char* from, int size) {
  auto& self = *static_cast<Session*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  self.out_.append(from, static_cast<std::size_t>(size));
  return size;
}

Session::Session(std::shared_ptr<const Context> context)
    : context_(std::move(context)), ssl_(SSL_new(context_->ssl.get())), in_(kInput) {
  TY_CHECK(ssl_ != nullptr, "there is memory for a TLS session");
  BIO* bio = BIO_new(method());
  BIO_set_data(bio, this);
  SSL_set_bio(ssl_.get(), bio, bio);
}

std::unique_ptr<Session> Session::accept(std::shared_ptr<const Context> context) {
  std::unique_ptr<Session> session(new Session(std::move(context)));
  SSL_set_accept_state(session->ssl_.get());
  return session;
}

std::unique_ptr<Session> Session::connect(const TlsClientContext& context,
                                          const std::string& host) {
  std::unique_ptr<Session> session(new Session(context.shared()));
  SSL* ssl = session->ssl_.get();
  session->pinned_ = context.trust().fingerprint;
  const bool is_address = is_ip_address(host);
  if (!is_address) SSL_set_tlsext_host_name(ssl, host.c_str());
  if (session->pinned_.empty()) {
    if (is_address) {
      X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str());
    } else {
      SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
      SSL_set1_host(ssl, host.c_str());
    }
  }
  SSL_set_connect_state(ssl);
  return session;
}

Session::Step Session::step_of(int result) {
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_NONE:
      return Step::Done;
    case SSL_ERROR_WANT_READ:
      return Step::NeedsInput;
    case SSL_ERROR_ZERO_RETURN:
      return Step::Ended;
    default:
      problem_ = in_ended_ ? say::peer_closed() : plain(last_error());
      return Step::Failed;
  }
}

Message Session::certificate_problem() const {
  const X509* certificate = SSL_get0_peer_certificate(ssl_.get());
  if (certificate == nullptr) return say::no_certificate_shown();
  const std::string fingerprint = fingerprint_of(certificate);
  if (!pinned_.empty()) {
    if (fingerprint == pinned_) return {};
    return say::certificate_changed({.trusted = pinned_, .fingerprint = fingerprint});
  }
  const long verified = SSL_get_verify_result(ssl_.get());
  if (verified == X509_V_OK) return {};
  return say::certificate_not_trusted(
      {.fingerprint = fingerprint, .why = X509_verify_cert_error_string(verified)});
}

Session::Step Session::handshake() {
  ERR_clear_error();
  const Step step = step_of(SSL_do_handshake(ssl_.get()));
  if (step != Step::Done || SSL_is_server(ssl_.get()) == 1) return step;
  if (Message why = certificate_problem(); !why.empty()) {
    problem_ = std::move(why);
    is_untrusted_ = true;
    return Step::Failed;
  }
  return step;
}

Session::Step Session::read(std::span<char> into, std::size_t& got) {
  ERR_clear_error();
  got = 0;
  // As many records as have arrived: what stops after the first shows in the next call.
  for (;;) {
    std::size_t more = 0;
    const Step step = step_of(SSL_read_ex(ssl_.get(), into.data() + got, into.size() - got, &more));
    got += more;
    if (step != Step::Done) return got > 0 ? Step::Done : step;
    if (got == into.size() || (in_.empty() && SSL_pending(ssl_.get()) == 0)) return step;
  }
}

Session::Step Session::peek() {
  ERR_clear_error();
  char byte = 0;
  std::size_t got = 0;
  return step_of(SSL_peek_ex(ssl_.get(), &byte, 1, &got));
}

Session::Step Session::write(std::string_view text, std::size_t& taken) {
  ERR_clear_error();
  return step_of(SSL_write_ex(ssl_.get(), text.data(), std::min(text.size(), kRecord), &taken));
}

void Session::say_goodbye() {
  ERR_clear_error();
  if (SSL_is_init_finished(ssl_.get()) == 1) SSL_shutdown(ssl_.get());
  ERR_clear_error();
}

void Session::sent(std::size_t bytes) {
  out_at_ += bytes;
  if (out_at_ < out_.size()) return;
  out_.clear();
  out_at_ = 0;
}

}  // namespace ty::net::tls
