#include "jobspec/impl/quantity.h"

#include <limits>
#include <optional>
#include <utility>

#include "base/text.h"
#include "jobspec/messages.h"

namespace ty::jobspec {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
using Wide = unsigned __int128;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::unexpected<Refusal> does_not_fit(std::string_view text, std::string_view most) {
  return refuse("overflow", say::does_not_fit({.value = shorten(text), .most = most}));
}

/// Digits with at most one point; `units` is how often the whole holds 1/10^decimals.
struct Decimal {
  std::string digits;  ///< without point and leading zeros; empty: zero
  int decimals = 0;
};

/// The number at the front of `text`, which is cut off it; none for `.5`, `5.`, `012`.
std::optional<Decimal> take_decimal(std::string_view& text) {
  std::size_t i = 0;
  while (i < text.size() && is_digit(text[i])) ++i;
  if (i == 0 || (i > 1 && text[0] == '0')) return std::nullopt;
  Decimal out{std::string(text.substr(0, i)), 0};
  if (i < text.size() && text[i] == '.') {
    const std::size_t from = ++i;
    while (i < text.size() && is_digit(text[i])) ++i;
    if (i == from) return std::nullopt;
    out.digits += text.substr(from, i - from);
    out.decimals = static_cast<int>(i - from);
  }
  while (out.decimals > 0 && out.digits.back() == '0') {
    out.digits.pop_back();
    --out.decimals;
  }
  out.digits.erase(0, std::min(out.digits.find_first_not_of('0'), out.digits.size()));
  text.remove_prefix(i);
  return out;
}

/// number × unit, rounded up; none when it does not fit. More decimals than a unit can show only
/// round up.
std::optional<std::int64_t> scaled(Decimal number, std::int64_t unit) {
  constexpr int kShown = 15;
  bool rest = false;
  while (number.decimals > kShown && !number.digits.empty()) {
    rest = rest || number.digits.back() != '0';
    number.digits.pop_back();
    --number.decimals;
  }
  if (number.digits.empty()) return rest ? 1 : 0;
  if (number.digits.size() > 26) return std::nullopt;  // 10^26 × 2^40 still fits into 127 bits
  Wide value = 0;
  for (const char c : number.digits) value = value * 10 + static_cast<unsigned>(c - '0');
  value *= static_cast<Wide>(unit);
  Wide divisor = 1;
  for (int i = 0; i < number.decimals; ++i) divisor *= 10;
  value = value / divisor + (value % divisor != 0 || rest ? 1 : 0);
  if (value > static_cast<Wide>(kMax)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

std::int64_t unit_of(char letter) {
  switch (letter) {
    case 'K':
      return kKiB;
    case 'M':
      return kMiB;
    case 'G':
      return kGiB;
    case 'T':
      return kTiB;
    default:
      return 0;
  }
}

}  // namespace

Parsed<std::int64_t> parse_whole(std::string_view text) {
  const auto not_whole = [&](bool number) {
    return refuse("type", say::not_whole({.value = number ? shorten(text) : in_quotes(text)}));
  };
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  auto number = take_decimal(rest);
  if (!number) return not_whole(false);
  std::int64_t exponent = 0;
  if (rest.starts_with('e') || rest.starts_with('E')) {
    rest.remove_prefix(1);
    const bool down = rest.starts_with('-');
    if (down || rest.starts_with('+')) rest.remove_prefix(1);
    if (rest.empty()) return not_whole(false);
    for (; !rest.empty() && is_digit(rest.front()); rest.remove_prefix(1)) {
      exponent = std::min<std::int64_t>(exponent * 10 + (rest.front() - '0'), 2'000'000);
    }
    if (down) exponent = -exponent;
  }
  if (!rest.empty()) return not_whole(false);
  if (number->digits.empty()) return 0;
  std::int64_t zeros = exponent - number->decimals;
  while (zeros < 0 && number->digits.back() == '0') {
    number->digits.pop_back();
    ++zeros;
  }
  if (zeros < 0) return not_whole(true);
  const auto fits = [&]() -> std::optional<std::int64_t> {
    if (static_cast<std::int64_t>(number->digits.size()) + zeros > 19) return std::nullopt;
    Wide value = 0;
    for (const char c : number->digits) value = value * 10 + static_cast<unsigned>(c - '0');
    for (; zeros > 0; --zeros) value *= 10;
    if (value > static_cast<Wide>(kMax)) return std::nullopt;
    return static_cast<std::int64_t>(value);
  };
  const auto value = fits();
  if (!value) {
    if (negative) {
      return refuse(
          "overflow",
          say::does_not_fit_below({.value = shorten(text), .least = "-9223372036854775807"}));
    }
    return does_not_fit(text, std::to_string(kMax));
  }
  return negative ? -*value : *value;
}

Parsed<std::int64_t> parse_cpus(std::string_view text) {
  std::string_view rest = text;
  const auto number = take_decimal(rest);
  const bool milli = number && rest == "m" && number->decimals == 0;
  if (!number || (!rest.empty() && !milli)) {
    return refuse(
        "quantity",
        say::invalid_cpus({.value = in_quotes(text), .examples = Words{"4", "0.5", "500m"}}));
  }
  const auto value = scaled(*number, milli ? 1 : 1000);
  if (!value) return does_not_fit(text, "1024");
  return *value;
}

std::string in_quotes(std::string_view text) { return "\"" + shorten(text) + "\""; }

Words some_of(const Words& names) {
  constexpr std::size_t kShown = 10;
  Words out;
  for (const std::string& name : names) {
    if (out.size() == kShown) {
      out.emplace_back("…");
      break;
    }
    out.push_back(shorten(name, 40));
  }
  return out;
}

std::string format_cpus(std::int64_t milli) {
  std::string text = std::to_string(milli / 1000);
  std::string part = std::to_string(1000 + milli % 1000).substr(1);
  while (!part.empty() && part.back() == '0') part.pop_back();
  return part.empty() ? text : text + "." + part;
}

Parsed<std::int64_t> parse_memory(std::string_view text) {
  std::string_view rest = text;
  const auto number = take_decimal(rest);
  if (number && !rest.empty()) {
    const std::int64_t unit = unit_of(rest.front());
    std::string_view tail = rest.substr(1);
    if (tail.starts_with('i')) tail.remove_prefix(1);
    if (tail.starts_with('B')) tail.remove_prefix(1);
    if (unit != 0 && tail.empty()) {
      const auto value = scaled(*number, unit);
      if (!value) return does_not_fit(text, "64TB");
      return *value;
    }
  }
  if (number && rest.empty()) {
    return refuse("quantity",
                  say::has_no_unit({.value = shorten(text), .example = shorten(text) + "GB"}));
  }
  const std::string_view letter = trim(rest);
  const char unit = letter.empty() ? '\0' : to_upper(letter.substr(0, 1)).front();
  const std::string_view figure = text.substr(0, text.size() - rest.size());
  const std::string cure = number && unit_of(unit) != 0 && figure.size() <= 20
                               ? std::string(figure) + unit + "B"
                               : std::string("16GB");
  return refuse("quantity", say::invalid_memory({.value = in_quotes(text), .example = cure}));
}

std::string format_memory(std::int64_t bytes) {
  if (bytes == 0) return "0KB";
  constexpr std::pair<std::int64_t, std::string_view> kUnits[] = {
      {kTiB, "TB"}, {kGiB, "GB"}, {kMiB, "MB"}, {kKiB, "KB"}};
  for (const auto& [size, unit] : kUnits) {
    if (bytes % size == 0) return std::to_string(bytes / size).append(unit);
  }
  // 1/1024 has ten decimals, so this is exact.
  std::string part = std::to_string(10'000'000'000 + bytes % kKiB * 9'765'625).substr(1);
  while (part.back() == '0') part.pop_back();
  return std::to_string(bytes / kKiB) + "." + part + "KB";
}

Parsed<Seconds> parse_time(std::string_view text) {
  if (const auto value = parse_duration(text)) return *value;
  std::string_view rest = text;
  const auto number = take_decimal(rest);
  const std::string_view figure = text.substr(0, text.size() - rest.size());
  const bool usable = number && number->decimals == 0 && figure.size() <= 9;
  if (number && rest.empty()) {
    return refuse("duration",
                  say::has_no_unit({.value = shorten(text),
                                    .example = usable ? std::string(figure) + "s" : "90s"}));
  }
  const std::string_view word = trim(rest);
  const std::string_view units = "smhd";
  const bool known =
      usable && !word.empty() && units.find(to_lower(word.substr(0, 1))) != std::string_view::npos;
  const std::string cure =
      known ? std::string(figure) + to_lower(word.substr(0, 1)) : std::string("2h");
  return refuse("duration", say::invalid_duration({.value = in_quotes(text), .example = cure}));
}

}  // namespace ty::jobspec
