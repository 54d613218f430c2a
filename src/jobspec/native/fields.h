#pragma once
#include <cstdint>
#include <span>
#include <string_view>

/// The native dialect in one table: the parser asks it which keys exist and what to suggest, the
/// schema and the reference page are printed from it. A key that is not here does not exist.
namespace ty::jobspec::native {

enum class Level : std::uint8_t {
  Job,   ///< top level only
  Role,  ///< inside a role, or at the top level for the only role or as default for each
  Both   ///< means the job's at the top level, the role's inside a role
};

struct Field {
  std::string_view key;
  Level level = Level::Job;
  std::string_view example;   ///< YAML; the first line is quoted in messages
  std::string_view schema;    ///< Draft-07 fragment
  std::string_view fallback;  ///< what holds without the key, in words
  std::string_view english;
  std::string_view chinese;
};

/// A value that is a map of its own, or an item of a list.
struct Object {
  std::string_view name;  ///< of the definition in the schema
  std::span<const Field> fields;
};

/// Keys of the top level and of roles, in canonical order.
std::span<const Field> fields();

std::span<const Field> retry_fields();
std::span<const Field> alert_fields();
std::span<const Field> metric_fields();
std::span<const Field> policy_fields();
std::span<const Field> run_as_fields();
std::span<const Field> image_fields();
std::span<const Field> gpu_fields();
std::span<const Field> port_fields();
std::span<const Field> mount_fields();
std::span<const Field> restart_fields();
std::span<const Field> done_fields();
std::span<const Field> sku_fields();
std::span<const Object> objects();

const Field* find(std::span<const Field> fields, std::string_view key);

}  // namespace ty::jobspec::native
