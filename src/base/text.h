#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ty {

std::string_view trim(std::string_view text);
std::vector<std::string> split(std::string_view text, char separator);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
std::string to_lower(std::string_view text);
std::string to_upper(std::string_view text);

/// The text cut at `max` characters (not bytes) with `…` at the end, for quoting in messages.
std::string shorten(std::string_view text, std::size_t max = 60);

/// Offset of the first byte that is not valid UTF-8, or npos.
std::size_t invalid_utf8(std::string_view text);

/// `closest("gpu", {"gpus", "cpus"})` is "gpus"; empty when nothing is near enough to suggest.
std::string closest(std::string_view word, const std::vector<std::string_view>& choices);

/// Quoted for a POSIX shell; plain words stay as they are.
std::string shell_quote(std::string_view word);

/// `12 B`, `3.4 MB`, `1.0 GiB`-style for people (powers of 1024, short units: KB MB GB TB).
std::string human_bytes(std::int64_t bytes);

/// `1 task`, `3 tasks`.
std::string count_of(std::int64_t n, std::string_view singular, std::string_view plural = {});

}  // namespace ty
