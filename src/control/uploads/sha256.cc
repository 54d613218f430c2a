#include "control/uploads/sha256.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "base/encoding.h"
#include "control/messages.h"

namespace ty::control {

namespace {

class Digest {
 public:
  Digest() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    // Looked up once: by EVP_sha256() OpenSSL 3 searches its providers each time.
    static EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    EVP_DigestInit_ex2(context_.get(), algorithm, nullptr);
  }
  void add(std::string_view bytes) { EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()); }
  std::string hex() {
    unsigned char raw[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    EVP_DigestFinal_ex(context_.get(), raw, &size);
    return to_hex({reinterpret_cast<const char*>(raw), size});
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::string sha256(std::string_view text) {
  Digest digest;
  digest.add(text);
  return digest.hex();
}

Result<std::string> sha256_of_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return fail(Errc::Internal,
                say::server_file_unreadable({.path = path, .why = std::strerror(errno)}));
  Digest digest;
  std::vector<char> buffer(1 << 20);
  ssize_t n = 0;
  while ((n = ::read(fd, buffer.data(), buffer.size())) > 0)
    digest.add({buffer.data(), static_cast<std::size_t>(n)});
  const int code = errno;
  ::close(fd);
  if (n < 0)
    return fail(Errc::Internal,
                say::server_file_unreadable({.path = path, .why = std::strerror(code)}));
  return digest.hex();
}

}  // namespace ty::control
