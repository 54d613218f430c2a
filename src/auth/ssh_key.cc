#include "auth/ssh_key.h"

#include <sodium.h>

#include <array>
#include <cstdint>

#include "base/encoding.h"
#include "base/result.h"

namespace ty::auth {

namespace {

constexpr std::string_view kType = "ssh-ed25519";
constexpr std::size_t kLine = 70;  // of OpenSSH's own files
constexpr std::size_t kBlock = 8;  // what the private part is padded to without a cipher

using Seed = std::array<unsigned char, crypto_sign_SEEDBYTES>;
using PublicKey = std::array<unsigned char, crypto_sign_PUBLICKEYBYTES>;
using PrivateKey = std::array<unsigned char, crypto_sign_SECRETKEYBYTES>;

/// Numbers and texts as ssh writes them.
class Wire {
 public:
  Wire& number(std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8)
      bytes_ += static_cast<char>((value >> shift) & 0xff);
    return *this;
  }
  Wire& text(std::string_view value) {
    number(static_cast<std::uint32_t>(value.size()));
    bytes_ += value;
    return *this;
  }
  template <std::size_t N>
  Wire& text(const std::array<unsigned char, N>& value) {
    return text({reinterpret_cast<const char*>(value.data()), N});
  }
  Wire& pad() {
    for (char next = 1; bytes_.size() % kBlock != 0; ++next) bytes_ += next;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

Seed seed_of(const Secret& sealing_key, std::string_view name) {
  const std::string purpose = "trainyard ssh key of " + std::string(name);
  const std::string& key = sealing_key.reveal();
  Seed seed;
  crypto_generichash(seed.data(),
                     seed.size(),
                     reinterpret_cast<const unsigned char*>(purpose.data()),
                     purpose.size(),
                     reinterpret_cast<const unsigned char*>(key.data()),
                     key.size());
  return seed;
}

}  // namespace

SshKeyPair derive_ssh_key(const Secret& sealing_key, std::string_view name) {
  TY_CHECK(sodium_init() >= 0, "libsodium starts wherever the kernel gives random bytes");
  Seed seed = seed_of(sealing_key, name);
  PublicKey open;
  PrivateKey closed;
  crypto_sign_seed_keypair(open.data(), closed.data(), seed.data());
  sodium_memzero(seed.data(), seed.size());

  const std::string blob = Wire().text(kType).text(open).bytes();
  // The two equal numbers tell a reader with a passphrase that it was the right one.
  const std::string inner =
      Wire().number(0).number(0).text(kType).text(open).text(closed).text(name).pad().bytes();
  sodium_memzero(closed.data(), closed.size());
  const std::string whole =
      std::string("openssh-key-v1").append(1, '\0') +
      Wire().text("none").text("none").text("").number(1).text(blob).text(inner).bytes();

  std::string file = "-----BEGIN OPENSSH PRIVATE KEY-----\n";
  const std::string body = to_base64(whole);
  for (std::size_t at = 0; at < body.size(); at += kLine) file += body.substr(at, kLine) + "\n";
  file += "-----END OPENSSH PRIVATE KEY-----\n";
  return {Secret(std::move(file)),
          std::string(kType) + " " + to_base64(blob) + " " + std::string(name) + "\n"};
}

}  // namespace ty::auth
