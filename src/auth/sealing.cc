#include "auth/sealing.h"

#include <sodium.h>

#include <array>

#include "auth/messages.h"
#include "base/encoding.h"

namespace ty::auth {

namespace {

using Key = std::array<unsigned char, crypto_secretbox_KEYBYTES>;

bool read_key(const Secret& key, Key& out) {
  std::size_t size = 0;
  return sodium_hex2bin(out.data(),
                        out.size(),
                        key.reveal().data(),
                        key.reveal().size(),
                        nullptr,
                        &size,
                        nullptr) == 0 &&
         size == out.size();
}

}  // namespace

Secret make_sealing_key() {
  TY_CHECK(sodium_init() >= 0, "libsodium starts wherever the kernel gives random bytes");
  Key key;
  crypto_secretbox_keygen(key.data());
  std::string hex = to_hex({reinterpret_cast<const char*>(key.data()), key.size()});
  sodium_memzero(key.data(), key.size());
  return Secret(std::move(hex));
}

bool is_sealing_key(const Secret& key) {
  Key bytes;
  return key.reveal().size() == 2 * bytes.size() && read_key(key, bytes);
}

std::string seal(const Secret& key, const Secret& value) {
  Key bytes;
  TY_CHECK(read_key(key, bytes), "a sealing key has 64 hexadecimal digits");
  const std::string& text = value.reveal();
  std::string box(crypto_secretbox_NONCEBYTES + crypto_secretbox_MACBYTES + text.size(), '\0');
  auto* const nonce = reinterpret_cast<unsigned char*>(box.data());
  randombytes_buf(nonce, crypto_secretbox_NONCEBYTES);
  crypto_secretbox_easy(nonce + crypto_secretbox_NONCEBYTES,
                        reinterpret_cast<const unsigned char*>(text.data()),
                        text.size(),
                        nonce,
                        bytes.data());
  sodium_memzero(bytes.data(), bytes.size());
  return to_base64(box, Base64::UrlBare);
}

Result<Secret> unseal(const Secret& key, std::string_view sealed) {
  const auto refuse = [] { return fail(Errc::Invalid, say::sealed_with_another_key()); };
  Key bytes;
  if (sealed.empty() || !read_key(key, bytes)) return refuse();
  const auto box = from_base64(sealed, Base64::UrlBare);
  constexpr std::size_t kHead = crypto_secretbox_NONCEBYTES + crypto_secretbox_MACBYTES;
  if (!box || box->size() < kHead) return refuse();
  const auto* const nonce = reinterpret_cast<const unsigned char*>(box->data());
  std::string text(box->size() - kHead, '\0');
  const int opened = crypto_secretbox_open_easy(reinterpret_cast<unsigned char*>(text.data()),
                                                nonce + crypto_secretbox_NONCEBYTES,
                                                box->size() - crypto_secretbox_NONCEBYTES,
                                                nonce,
                                                bytes.data());
  sodium_memzero(bytes.data(), bytes.size());
  if (opened != 0) return refuse();
  return Secret(std::move(text));
}

}  // namespace ty::auth
