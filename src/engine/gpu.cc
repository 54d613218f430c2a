#include "engine/gpu.h"

#include <charconv>
#include <optional>

#include "base/text.h"
#include "engine/messages.h"

namespace ty::engine {

namespace {

std::optional<int> small_number(std::string_view text) {
  int n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  const bool is_good =
      error == std::errc{} && end == text.data() + text.size() && n >= 1 && n <= 1024;
  return is_good ? std::optional(n) : std::nullopt;
}

}  // namespace

Result<std::vector<Gpu>> configured_gpus(const std::vector<std::string>& entries) {
  std::vector<Gpu> gpus;
  int group = 0;
  for (const std::string& entry : entries) {
    const auto parts = split(entry, ':');
    const auto numbers = split(parts.size() == 2 ? parts[1] : "1", '/');
    const auto count = small_number(numbers[0]);
    const auto linked = numbers.size() == 2 ? small_number(numbers[1]) : count;
    if (parts.size() > 2 || parts[0].empty() || numbers.size() > 2 || !count || !linked) {
      return fail(Errc::Invalid, say::not_a_gpu_inventory({.value = shorten(entry)}));
    }
    for (int i = 0; i < *count; ++i) {
      if (i > 0 && i % *linked == 0) ++group;
      Gpu gpu;
      gpu.type = gpu.model = parts[0];
      gpu.link_group = group;
      gpus.push_back(std::move(gpu));
    }
    ++group;
  }
  return gpus;
}

}  // namespace ty::engine
