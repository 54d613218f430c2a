#include "model/names.h"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <algorithm>
#include <cctype>

#include "base/encoding.h"
#include "base/text.h"

namespace ty::model {

namespace {

constexpr std::size_t kLongestName = 40;

bool becomes_dash(char c) { return c == '_' || c == '.' || c == '~' || c == ' ' || c == '-'; }
bool is_word(unsigned char c) { return c < 0x80 && std::isalnum(c) != 0; }

const RoleSpec& role_of(const JobSpec& spec, TaskRef task) {
  return spec.roles[static_cast<std::size_t>(task.role)];
}

std::string system_name(const JobSpec& spec, TaskRef task) {
  const RoleSpec& role = role_of(spec, task);
  return role.system_name.empty() ? dns_name(role.name, {}) : role.system_name;
}

/// Jobs of Volcano and of the GPU manager are known by their own name.
std::string cluster_name(const JobSpec& spec, const JobId& job) {
  return dns_name(shown_name(spec, job), job.str());
}

bool is_volcano_like(const JobSpec& spec) {
  return spec.dialect == Dialect::Volcano || spec.dialect == Dialect::GpuManager;
}

std::string numbered(TaskRef task) {
  return "task" + std::to_string(task.role) + "-" + std::to_string(task.index);
}

}  // namespace

std::string dns_name(std::string_view text, std::string_view fallback_id) {
  std::string name;
  for (const char c : to_lower(text)) {
    if (is_word(static_cast<unsigned char>(c)))
      name += c;
    else if (becomes_dash(c) && !name.empty() && name.back() != '-')
      name += '-';
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  if (name.empty())
    name = "j-" + std::string(fallback_id.substr(0, 8));
  else if (std::isdigit(static_cast<unsigned char>(name.front())))
    name = "j-" + name;
  while (name.back() == '-') name.pop_back();
  if (name.size() <= kLongestName) return name;
  unsigned char hash[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(name.data()), name.size(), hash);
  name.resize(kLongestName - 5);
  while (name.back() == '-') name.pop_back();
  return name + '-' + to_hex({reinterpret_cast<const char*>(hash), 2});
}

std::string gpu_manager_name(std::string_view text) {
  std::string name = to_lower(text);
  std::ranges::replace_if(name, becomes_dash, '-');
  return name;
}

std::string ident_name(std::string_view text) {
  std::string name(text);
  std::ranges::replace_if(name, [](unsigned char c) { return !is_word(c) && c != '_'; }, '_');
  return name;
}

std::string squeezed_name(std::string_view text) {
  std::string name = to_lower(text);
  std::erase_if(name, [](unsigned char c) { return !is_word(c); });
  return name;
}

std::string shown_name(const JobSpec& spec, const JobId& job) {
  return spec.name.empty() ? "job-" + job.str().substr(0, 7) : spec.name;
}

std::string task_host(const JobSpec& spec, TaskRef task) {
  return system_name(spec, task) + "-" + std::to_string(task.index);
}

std::string task_hostname(const JobSpec& spec, const JobId& job, TaskRef task) {
  if (spec.dialect == Dialect::Pumpkin) return job.str() + "-" + numbered(task);
  if (is_volcano_like(spec)) return cluster_name(spec, job) + "-" + task_host(spec, task);
  return task_host(spec, task);
}

std::string volcano_host(const JobSpec& spec, const JobId& job, TaskRef task) {
  if (spec.dialect == Dialect::Pumpkin) {
    return fmt::format("{}-{}.{}", job.str(), numbered(task), job.str());
  }
  if (!is_volcano_like(spec)) return task_host(spec, task);
  return task_hostname(spec, job, task) + "." + cluster_name(spec, job);
}

std::vector<std::string> task_aliases(const JobSpec& spec, const JobId& job, TaskRef task) {
  const std::string name = cluster_name(spec, job);
  const std::string by_role =
      fmt::format("{}-{}", dns_name(role_of(spec, task).name, job.str()), task.index);
  const std::string prefix = system_name(spec, task);
  std::vector<std::string> aliases = {task_host(spec, task)};
  for (std::string alias : {by_role,
                            numbered(task),
                            fmt::format("{}-{}", name, by_role),
                            fmt::format("{}-{}.{}", name, by_role, name),
                            fmt::format("{}-{}", job.str(), numbered(task)),
                            fmt::format("{}-{}.{}", job.str(), numbered(task), job.str()),
                            fmt::format("{}-{}.{}", prefix, task.index, prefix)}) {
    if (std::ranges::find(aliases, alias) == aliases.end()) aliases.push_back(std::move(alias));
  }
  return aliases;
}

}  // namespace ty::model
