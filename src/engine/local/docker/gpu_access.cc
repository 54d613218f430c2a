#include "engine/local/docker/gpu_access.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace ty::engine::docker {
namespace {

namespace json = boost::json;

constexpr std::string_view kCdiKind = "nvidia.com/gpu";

const json::array* list_at(const json::object& from, std::string_view key) {
  const json::value* found = from.if_contains(key);
  return found != nullptr ? found->if_array() : nullptr;
}

std::string_view text_of(const json::value& value) {
  return value.is_string() ? std::string_view(value.get_string()) : std::string_view();
}

/// Whether a folder of CDI has something about NVIDIA's GPUs.
bool describes_gpus(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    std::ifstream file(entry.path());
    const std::string text((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    if (text.find(kCdiKind) != std::string::npos) return true;
  }
  return false;
}

/// The toolkit names every GPU by its number, newer ones also by its UUID, which survives a change
/// of slots.
std::string cdi_name(const GpuAccess& access, const Gpu& gpu, int index) {
  std::string by_uuid = fmt::format("{}={}", kCdiKind, gpu.uuid);
  return access.cdi_names.contains(by_uuid) ? by_uuid : fmt::format("{}={}", kCdiKind, index);
}

}  // namespace

GpuAccess gpu_access(std::string_view info) {
  GpuAccess access;
  boost::system::error_code error;
  const json::value parsed = json::parse(info, error);
  if (error || !parsed.is_object()) return access;
  const json::object& top = parsed.get_object();
  if (const json::array* devices = list_at(top, "DiscoveredDevices")) {
    for (const json::value& device : *devices) {
      if (!device.is_object()) continue;
      const json::value* id = device.get_object().if_contains("ID");
      const std::string_view name = id != nullptr ? text_of(*id) : std::string_view();
      if (name.starts_with(kCdiKind)) access.cdi_names.emplace(name);
    }
  }
  bool has_cdi = !access.cdi_names.empty();
  if (const json::array* folders = list_at(top, "CDISpecDirs"); folders && !has_cdi) {
    for (const json::value& folder : *folders)
      has_cdi = has_cdi || describes_gpus(std::string(text_of(folder)));
  }
  const json::value* runtimes = top.if_contains("Runtimes");
  const bool has_nvidia =
      runtimes != nullptr && runtimes->is_object() && runtimes->get_object().contains("nvidia");
  if (has_nvidia) {
    access.way = GpuAccess::Way::Nvidia;
  } else if (has_cdi) {
    access.way = GpuAccess::Way::Cdi;
  }
  return access;
}

std::string device_requests(const GpuAccess& access,
                            const std::vector<Gpu>& gpus,
                            const model::Placement& placement) {
  const bool is_cdi = access.way == GpuAccess::Way::Cdi;
  json::array ids;
  for (const int index : placement.gpus) {
    const auto at = static_cast<std::size_t>(index);
    if (index < 0 || at >= gpus.size() || gpus[at].uuid.empty()) continue;
    ids.emplace_back(is_cdi ? cdi_name(access, gpus[at], index) : gpus[at].uuid);
  }
  if (ids.empty()) return {};
  json::object request = {{"Driver", is_cdi ? "cdi" : "nvidia"}, {"DeviceIDs", std::move(ids)}};
  if (!is_cdi) {
    json::array all;  // one of the inner lists must be met, all of its words
    all.push_back(json::array{"gpu", "compute", "utility", "video"});
    request["Capabilities"] = std::move(all);
  }
  json::array requests;
  requests.push_back(std::move(request));
  return json::serialize(requests);
}

}  // namespace ty::engine::docker
