#include "jobspec/impl/defaults.h"

#include <algorithm>
#include <array>

#include "jobspec/impl/limits.h"

namespace ty::jobspec {

model::PullPolicy default_pull(std::string_view image) {
  if (image.empty() || image.find('@') != std::string_view::npos)
    return model::PullPolicy::IfMissing;
  const std::string_view last = image.substr(image.rfind('/') + 1);
  const std::size_t colon = last.find(':');
  const bool moving = colon == std::string_view::npos || last.substr(colon + 1) == "latest";
  return moving ? model::PullPolicy::Always : model::PullPolicy::IfMissing;
}

bool ranked_by_name(std::string_view role) {
  constexpr std::array<std::string_view, 7> kUnranked = {
      "ps", "pserver", "psserver", "parameter_server", "evaluator", "eval", "tensorboard"};
  return std::ranges::find(kUnranked, role) == kUnranked.end();
}

void fill_defaults(model::Resources& resources, std::int64_t gpus, const SiteDefaults& site) {
  resources.cpu_milli =
      gpus > 0 ? std::min(gpus * site.cpu_milli_per_gpu, limits::kCpuMilli) : site.cpu_milli;
  resources.memory =
      gpus > 0 ? std::min(gpus * site.memory_per_gpu, limits::kMaxMemory) : site.memory;
}

bool is_gpu_type(std::string_view text) {
  const auto in = [](char c, char from, char to) { return c >= from && c <= to; };
  const bool form = !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [&](char c) {
    return in(c, 'a', 'z') || in(c, 'A', 'Z') || in(c, '0', '9') || c == '-' || c == '_' ||
           c == '.';
  });
  return form &&
         std::ranges::any_of(text, [&](char c) { return in(c, 'A', 'Z') || in(c, '0', '9'); }) &&
         std::ranges::any_of(text, [&](char c) { return in(c, 'A', 'Z') || in(c, 'a', 'z'); });
}

}  // namespace ty::jobspec
