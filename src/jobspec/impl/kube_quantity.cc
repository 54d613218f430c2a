#include "jobspec/impl/kube_quantity.h"

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

/// digits × 10^ten × 2^two
struct Amount {
  std::string digits;  ///< without leading zeros; empty: zero
  std::int64_t ten = 0;
  int two = 0;
  bool negative = false;
};

struct Suffix {
  std::string_view text;
  int ten;
  int two;
};
constexpr Suffix kSuffixes[] = {{"", 0, 0},
                                {"n", -9, 0},
                                {"u", -6, 0},
                                {"m", -3, 0},
                                {"k", 3, 0},
                                {"M", 6, 0},
                                {"G", 9, 0},
                                {"T", 12, 0},
                                {"P", 15, 0},
                                {"E", 18, 0},
                                {"Ki", 0, 10},
                                {"Mi", 0, 20},
                                {"Gi", 0, 30},
                                {"Ti", 0, 40},
                                {"Pi", 0, 50},
                                {"Ei", 0, 60}};

/// `e3`, `E-2`; none: no exponent.
std::optional<std::int64_t> exponent_of(std::string_view text) {
  if (text.size() < 2 || (text.front() != 'e' && text.front() != 'E')) return std::nullopt;
  text.remove_prefix(1);
  const bool down = text.front() == '-';
  if (down || text.front() == '+') text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : text) {
    if (!is_digit(c)) return std::nullopt;
    value = std::min<std::int64_t>(value * 10 + (c - '0'), 2'000'000);
  }
  return down ? -value : value;
}

std::optional<Amount> parse_amount(std::string_view text) {
  Amount out;
  if (text.starts_with('+') || text.starts_with('-')) {
    out.negative = text.front() == '-';
    text.remove_prefix(1);
  }
  std::size_t i = 0;
  while (i < text.size() && is_digit(text[i])) ++i;
  out.digits = text.substr(0, i);
  if (i < text.size() && text[i] == '.') {
    const std::size_t from = ++i;
    while (i < text.size() && is_digit(text[i])) ++i;
    out.digits += text.substr(from, i - from);
    out.ten = -static_cast<std::int64_t>(i - from);
  }
  if (out.digits.empty()) return std::nullopt;
  out.digits.erase(0, std::min(out.digits.find_first_not_of('0'), out.digits.size()));
  const std::string_view unit = text.substr(i);
  for (const Suffix& suffix : kSuffixes) {
    if (suffix.text != unit) continue;
    out.ten += suffix.ten;
    out.two = suffix.two;
    return out;
  }
  const auto exponent = exponent_of(unit);
  if (!exponent) return std::nullopt;
  out.ten += *exponent;
  return out;
}

/// Rounded up; none when it does not fit. `exact` says whether nothing was rounded.
std::optional<std::int64_t> whole_of(Amount amount, bool& exact) {
  exact = true;
  constexpr std::size_t kKept = 20;  // 10^20 × 2^60 fits into 127 bits
  while (amount.digits.size() > kKept && amount.ten < 0) {
    exact = exact && amount.digits.back() == '0';
    amount.digits.pop_back();
    ++amount.ten;
  }
  if (amount.digits.empty()) return exact ? 0 : 1;
  if (amount.digits.size() > kKept) return std::nullopt;
  Wide value = 0;
  for (const char c : amount.digits) value = value * 10 + static_cast<unsigned>(c - '0');
  for (; amount.ten > 0; --amount.ten) {
    value *= 10;
    if (value > static_cast<Wide>(kMax)) return std::nullopt;
  }
  if (amount.ten == 0 && value > static_cast<Wide>(kMax)) return std::nullopt;
  value <<= amount.two;
  if (amount.ten < 0) {
    if (amount.ten < -38) {
      exact = false;
      return 1;
    }
    Wide divisor = 1;
    for (std::int64_t i = amount.ten; i < 0; ++i) divisor *= 10;
    const bool rest = value % divisor != 0;
    exact = exact && !rest;
    value = value / divisor + (exact ? 0 : 1);
  }
  if (value > static_cast<Wide>(kMax)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

/// `1GB`, `1 Gi`, `512mb` → `1Gi`, `512Mi`.
std::string nearest_memory(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size() && (is_digit(text[i]) || text[i] == '.')) ++i;
  const std::string_view figure = text.substr(0, i);
  const std::string unit = to_upper(trim(text.substr(i)).substr(0, 1));
  const bool usable =
      !figure.empty() && figure.size() <= 20 && is_digit(figure.front()) && is_digit(figure.back());
  if (!usable || unit.empty() || std::string_view("KMGTPE").find(unit) == std::string_view::npos) {
    return "1Gi";
  }
  return std::string(figure) + unit + "i";
}

Message no_amount(std::string_view text, KubeKind kind) {
  const std::string quote = in_quotes(text);
  switch (kind) {
    case KubeKind::Cpu:
      return say::invalid_cpus({.value = quote, .examples = Words{"2", "0.5", "500m"}});
    case KubeKind::Memory:
      return say::invalid_memory({.value = quote, .example = nearest_memory(text)});
    case KubeKind::Count:
      break;
  }
  return say::not_whole({.value = quote});
}

Parsed<std::int64_t> parse(std::string_view text, KubeKind kind, int shift) {
  auto amount = parse_amount(trim(text));
  if (!amount) return refuse("quantity", no_amount(text, kind));
  if (amount->negative && !amount->digits.empty())
    return refuse("range", say::value_too_small({.value = shorten(text), .least = 0}));
  amount->ten += shift;
  bool exact = true;
  const auto value = whole_of(std::move(*amount), exact);
  if (!value) {
    const std::string_view most = kind == KubeKind::Memory ? "64Ti" : "1024";
    return refuse("overflow", say::does_not_fit({.value = shorten(text), .most = most}));
  }
  if (kind == KubeKind::Count && !exact) {
    return refuse("fraction", say::fraction_of_one({.value = shorten(text)}));
  }
  return *value;
}

}  // namespace

Parsed<std::int64_t> parse_kube_milli(std::string_view text, KubeKind kind) {
  return parse(text, kind, 3);
}
Parsed<std::int64_t> parse_kube_whole(std::string_view text, KubeKind kind) {
  return parse(text, kind, 0);
}

std::string format_kube_cpu(std::int64_t milli) {
  return milli % 1000 == 0 ? std::to_string(milli / 1000) : std::to_string(milli) + "m";
}

std::string format_kube_bytes(std::int64_t bytes) {
  constexpr std::pair<std::int64_t, std::string_view> kUnits[] = {
      {kTiB, "Ti"}, {kGiB, "Gi"}, {kMiB, "Mi"}, {kKiB, "Ki"}};
  for (const auto& [size, unit] : kUnits) {
    if (bytes != 0 && bytes % size == 0) return std::to_string(bytes / size).append(unit);
  }
  return std::to_string(bytes);
}

}  // namespace ty::jobspec
