#include "auth/sealing.h"

#include <sodium.h>

#include <array>
#include <vector>

#include "auth/messages.h"

namespace ty::auth {

namespace {

constexpr int kVariant = sodium_base64_VARIANT_URLSAFE_NO_PADDING;
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
  std::string hex(2 * key.size() + 1, '\0');
  sodium_bin2hex(hex.data(), hex.size(), key.data(), key.size());
  hex.pop_back();
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
  std::vector<unsigned char> box(crypto_secretbox_NONCEBYTES + crypto_secretbox_MACBYTES +
                                 text.size());
  randombytes_buf(box.data(), crypto_secretbox_NONCEBYTES);
  crypto_secretbox_easy(box.data() + crypto_secretbox_NONCEBYTES,
                        reinterpret_cast<const unsigned char*>(text.data()),
                        text.size(),
                        box.data(),
                        bytes.data());
  sodium_memzero(bytes.data(), bytes.size());
  std::string out(sodium_base64_encoded_len(box.size(), kVariant), '\0');
  sodium_bin2base64(out.data(), out.size(), box.data(), box.size(), kVariant);
  out.pop_back();
  return out;
}

Result<Secret> unseal(const Secret& key, std::string_view sealed) {
  const auto refuse = [] { return fail(Errc::Invalid, say::sealed_with_another_key()); };
  Key bytes;
  if (sealed.empty() || !read_key(key, bytes)) return refuse();
  std::vector<unsigned char> box(sealed.size());
  std::size_t size = 0;
  const bool whole = sodium_base642bin(box.data(),
                                       box.size(),
                                       sealed.data(),
                                       sealed.size(),
                                       nullptr,
                                       &size,
                                       nullptr,
                                       kVariant) == 0;
  constexpr std::size_t kHead = crypto_secretbox_NONCEBYTES + crypto_secretbox_MACBYTES;
  if (!whole || size < kHead) return refuse();
  std::string text(size - kHead, '\0');
  const int opened = crypto_secretbox_open_easy(reinterpret_cast<unsigned char*>(text.data()),
                                                box.data() + crypto_secretbox_NONCEBYTES,
                                                size - crypto_secretbox_NONCEBYTES,
                                                box.data(),
                                                bytes.data());
  sodium_memzero(bytes.data(), bytes.size());
  if (opened != 0) return refuse();
  return Secret(std::move(text));
}

}  // namespace ty::auth
