#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "net/impl/read_buffer.h"
#include "net/impl/tls_context.h"

namespace ty::net::tls {

/// One TLS connection without its socket: plain bytes on one side, encrypted ones on the other.
/// Whoever owns it carries the encrypted bytes: `room`/`arrived` from the socket, `output`/`sent`
/// to it. One read and one write may be under way at the same time: after the handshake reading
/// never has to write.
class Session {
 public:
  enum class Step : std::uint8_t {
    Done,
    NeedsInput,  ///< bytes of the other side are missing
    Ended,       ///< the other side has said goodbye
    Failed,      ///< `problem` says why; `output` may hold an alert for the other side
  };

  static std::unique_ptr<Session> accept(std::shared_ptr<const Context> context);
  /// `host` is what the certificate must be for, a name or an address.
  static std::unique_ptr<Session> connect(const TlsClientContext& context, const std::string& host);

  Step handshake();
  Step read(std::span<char> into, std::size_t& got);
  /// Looks whether the other side has ended, without taking anything away.
  Step peek();
  /// Encrypts some bytes of `text`; how many is counted in `taken`.
  Step write(std::string_view text, std::size_t& taken);
  void say_goodbye();
  const Message& problem() const { return problem_; }
  bool is_untrusted() const { return is_untrusted_; }  ///< failed over the server's certificate

  std::span<char> room() { return in_.room(); }
  void arrived(std::size_t bytes) {
    in_.arrived(bytes);
    if (bytes >= kBulk) in_.grow_to(4 * kBulk);
  }
  void input_ended() { in_ended_ = true; }
  /// What the other side has sent and nobody has read, still encrypted.
  std::string_view unread() const { return in_.unread(); }

  std::string_view output() const { return std::string_view(out_).substr(out_at_); }
  void sent(std::size_t bytes);

 private:
  explicit Session(std::shared_ptr<const Context> context);
  Step step_of(int result);
  Message certificate_problem() const;
  static const BIO_METHOD* method();
  static int take(BIO* bio, char* into, int size);
  static int give(BIO* bio, const char* from, int size);

  static constexpr std::size_t kBulk = std::size_t{16} * 1024;  ///< many bytes are on their way

  std::shared_ptr<const Context> context_;  ///< kept: a reload must not pull it away
  Owned<SSL, SSL_free> ssl_;
  std::string pinned_;  ///< a client's: the one fingerprint that will do
  ReadBuffer in_;
  bool in_ended_ = false;
  std::string out_;
  std::size_t out_at_ = 0;
  Message problem_;
  bool is_untrusted_ = false;
};

}  // namespace ty::net::tls
