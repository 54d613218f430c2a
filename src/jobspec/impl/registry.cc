#include <algorithm>
#include <array>

#include "base/result.h"
#include "jobspec/impl/dialect.h"

namespace ty::jobspec {

std::span<const DialectEntry* const> dialects() {
  static constexpr std::array<const DialectEntry*, 7> kAll = {&volcano::kDialect,
                                                              &openpai_v2::kDialect,
                                                              &openpai_v1::kDialect,
                                                              &ffdl::kDialect,
                                                              &gpu_manager::kDialect,
                                                              &pumpkin::kDialect,
                                                              &native::kDialect};
  return kAll;
}

const DialectEntry& entry_of(model::Dialect dialect) {
  const auto all = dialects();
  const auto found = std::ranges::find(all, dialect, &DialectEntry::dialect);
  TY_CHECK(found != all.end(), "every dialect is registered");
  return **found;
}

Message title(model::Dialect dialect) { return entry_of(dialect).title(); }

bool is_map(Ref ref) { return ref && ref.is_map(); }
bool is_list(Ref ref) { return ref && ref.is_list(); }
bool has_any(Ref map, std::initializer_list<std::string_view> keys) {
  return std::ranges::any_of(
      keys, [&](std::string_view key) { return static_cast<bool>(map.find(key)); });
}

}  // namespace ty::jobspec
