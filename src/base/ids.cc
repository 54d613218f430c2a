#include "base/ids.h"

#include <sys/random.h>

#include <algorithm>
#include <vector>

#include "base/encoding.h"
#include "base/result.h"

namespace ty {

namespace {
void fill_random(unsigned char* out, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t n = ::getrandom(out + done, size - done, 0);
    if (n > 0) done += static_cast<std::size_t>(n);
    TY_CHECK(n > 0 || errno == EINTR, "the kernel always has random bytes for us");
  }
}
}  // namespace

std::string random_hex(std::size_t bytes) {
  std::string raw(bytes, '\0');
  fill_random(reinterpret_cast<unsigned char*>(raw.data()), raw.size());
  return to_hex(raw);
}

JobId random_job_id() {
  std::string text = random_hex(16);
  unsigned char letter = 0;
  do fill_random(&letter, 1);
  while (letter >= 26 * 9);  // so that every letter is equally likely
  text[0] = static_cast<char>('a' + letter % 26);
  return JobId(std::move(text));
}

bool looks_like_job_id(std::string_view text) {
  if (text.size() != 32 || text[0] < 'a' || text[0] > 'z') return false;
  return std::all_of(text.begin() + 1, text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  });
}

}  // namespace ty
