#pragma once
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "base/message.h"
#include "base/time.h"

/// Numbers with and without units, read exactly. What is refused says what to write instead.
namespace ty::jobspec {

struct Refusal {
  std::string_view code;
  Message message;
};
template <class T>
using Parsed = std::expected<T, Refusal>;

inline std::unexpected<Refusal> refuse(std::string_view code, Message message) {
  return std::unexpected(Refusal{code, std::move(message)});
}

inline constexpr std::int64_t kKiB = std::int64_t{1} << 10;
inline constexpr std::int64_t kMiB = std::int64_t{1} << 20;
inline constexpr std::int64_t kGiB = std::int64_t{1} << 30;
inline constexpr std::int64_t kTiB = std::int64_t{1} << 40;

/// `4`, `4.0`, `1e3`; not `012`, `0x10`, `1_000`: parsers disagree on what those mean.
Parsed<std::int64_t> parse_whole(std::string_view text);

/// `4`, `0.5`, `500m` → millicores, rounded up.
Parsed<std::int64_t> parse_cpus(std::string_view text);
std::string format_cpus(std::int64_t milli);

/// `16G 16GB 16Gi 16GiB` are all 16 × 2^30 bytes; a fraction is rounded up to a byte; no unit is a
/// fault.
Parsed<std::int64_t> parse_memory(std::string_view text);
/// Exact, in the largest unit that divides it: `16GB`, `0.5KB`.
std::string format_memory(std::int64_t bytes);

/// `90s 30m 12h 7d 1h30m`.
Parsed<Seconds> parse_time(std::string_view text);

/// `"two"`: how a message quotes a text, cut at 60 characters.
std::string in_quotes(std::string_view text);
/// Names and words of files in a message: the same in every language.
using Words = Value::Texts;
/// The first few names of a list that a hostile file may have made long.
Words some_of(const Words& names);

}  // namespace ty::jobspec
