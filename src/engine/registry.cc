#include "engine/registry.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "engine/fake/open.h"
#include "engine/local/open.h"
#include "engine/messages.h"

namespace ty::engine {

namespace {

struct Entry {
  std::string_view name;
  Result<std::unique_ptr<Engine>> (*open)(const config::Config& config, Host host);
};

constexpr std::array kEngines = {
    Entry{"local", open_local},
    Entry{"fake", open_fake},
};

}  // namespace

std::vector<std::string> engine_names() {
  std::vector<std::string> names;
  for (const Entry& engine : kEngines) names.emplace_back(engine.name);
  return names;
}

Result<void> check_engine(std::string_view name) {
  if (std::ranges::find(kEngines, name, &Entry::name) != kEngines.end()) return {};
  return fail(Errc::Invalid, say::no_such_engine({.name = shorten(name), .names = engine_names()}));
}

Result<std::unique_ptr<Engine>> open_engine(const config::Config& config, Host host) {
  TY_DO(check_engine(config.engine));
  return std::ranges::find(kEngines, config.engine, &Entry::name)->open(config, std::move(host));
}

}  // namespace ty::engine
