#include "engine/local/paths.h"

#include <fmt/format.h>

namespace ty::engine {

std::string owner_mark(std::string_view data_dir) {
  std::uint32_t mark = 2166136261;  // FNV-1a
  for (const char c : data_dir) mark = (mark ^ static_cast<unsigned char>(c)) * 16777619;
  return fmt::format("{:08x}", mark);
}

std::string try_name(const model::TaskKey& key) {
  return fmt::format("{}.{}.{}.{}", key.attempt, key.task.role, key.task.index, key.tries);
}

std::string job_runs(std::string_view data_dir, const JobId& job) {
  return fmt::format("{}/runs/{}/{}", data_dir, job.str().substr(0, 2), job.str());
}

std::string run_folder(std::string_view data_dir, const model::TaskKey& key) {
  return fmt::format("{}/{}", job_runs(data_dir, key.job), try_name(key));
}

std::string output_folder(std::string_view data_dir, const JobId& job) {
  return fmt::format("{}/outputs/{}/{}", data_dir, job.str().substr(0, 2), job.str());
}

std::string process_path(std::string_view run_dir, std::string_view target) {
  return fmt::format("{}{}{}", run_dir, target.starts_with('/') ? "" : "/", target);
}

}  // namespace ty::engine
