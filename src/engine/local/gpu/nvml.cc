#include "engine/local/gpu/nvml.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "base/text.h"
#include "engine/messages.h"

namespace ty::engine {
namespace {

// The part of NVML's interface that we use, by its documented layout: its header is not free to
// carry along, and the library is only there where a driver is.
using Device = void*;
using EventSet = void*;
struct Memory {
  unsigned long long total, free, used;
};
struct Utilization {
  unsigned gpu, memory;
};
struct PciInfo {
  char old_bus_id[16];
  unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
  char bus_id[32];
};
struct EventData {
  Device device;
  unsigned long long type;
  unsigned long long data;
  unsigned gpu_instance, compute_instance;
};

constexpr int kSuccess = 0;
constexpr int kGpuIsLost = 15;
constexpr unsigned kTemperatureOfGpu = 0;
constexpr unsigned long long kCriticalXid = 8;
constexpr unsigned kMostLinks = 18;
constexpr int kSameHostBridge = 30;
/// Faults of the program that ran, not of the GPU.
constexpr std::array<unsigned long long, 6> kXidsOfPrograms = {13, 31, 43, 45, 68, 109};

/// The library's functions; those that older drivers lack may be null.
struct Api {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*count)(unsigned*) = nullptr;
  int (*by_index)(unsigned, Device*) = nullptr;
  int (*name)(Device, char*, unsigned) = nullptr;
  int (*uuid)(Device, char*, unsigned) = nullptr;
  int (*minor)(Device, unsigned*) = nullptr;
  int (*memory)(Device, Memory*) = nullptr;
  int (*utilization)(Device, Utilization*) = nullptr;
  int (*temperature)(Device, unsigned, unsigned*) = nullptr;
  int (*power)(Device, unsigned*) = nullptr;
  int (*pci)(Device, PciInfo*) = nullptr;
  int (*link_state)(Device, unsigned, unsigned*) = nullptr;
  int (*link_remote)(Device, unsigned, PciInfo*) = nullptr;
  int (*common_ancestor)(Device, Device, unsigned*) = nullptr;
  int (*new_events)(EventSet*) = nullptr;
  int (*register_events)(Device, unsigned long long, EventSet) = nullptr;
  int (*wait_event)(EventSet, EventData*, unsigned) = nullptr;
  int (*free_events)(EventSet) = nullptr;
  const char* (*error_text)(int) = nullptr;

  bool load(void* library) {
    const auto get = [library](auto& function, const char* symbol) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, symbol));
      return function != nullptr;
    };
    get(name, "nvmlDeviceGetName");
    get(minor, "nvmlDeviceGetMinorNumber");
    get(utilization, "nvmlDeviceGetUtilizationRates");
    get(temperature, "nvmlDeviceGetTemperature");
    get(power, "nvmlDeviceGetPowerUsage");
    get(pci, "nvmlDeviceGetPciInfo_v3");
    get(link_state, "nvmlDeviceGetNvLinkState");
    get(link_remote, "nvmlDeviceGetNvLinkRemotePciInfo_v2");
    get(common_ancestor, "nvmlDeviceGetTopologyCommonAncestor");
    get(new_events, "nvmlEventSetCreate");
    get(register_events, "nvmlDeviceRegisterEvents");
    get(wait_event, "nvmlEventSetWait_v2");
    get(free_events, "nvmlEventSetFree");
    get(error_text, "nvmlErrorString");
    return get(init, "nvmlInit_v2") && get(shutdown, "nvmlShutdown") &&
           get(count, "nvmlDeviceGetCount_v2") && get(by_index, "nvmlDeviceGetHandleByIndex_v2") &&
           get(uuid, "nvmlDeviceGetUUID") && get(memory, "nvmlDeviceGetMemoryInfo");
  }
};

class Nvml final : public GpuSource {
 public:
  Nvml(void* library, Api api, std::vector<Device> devices)
      : library_(library), api_(api), devices_(std::move(devices)) {
    const bool has_events = api_.new_events != nullptr && api_.register_events != nullptr &&
                            api_.wait_event != nullptr && api_.free_events != nullptr;
    if (!has_events || api_.new_events(&events_) != kSuccess) {
      events_ = nullptr;
      return;
    }
    for (Device device : devices_) api_.register_events(device, kCriticalXid, events_);
  }
  ~Nvml() override {
    if (events_ != nullptr) api_.free_events(events_);
    api_.shutdown();
    ::dlclose(library_);
  }

  std::vector<Gpu> inventory() override {
    std::vector<Gpu> gpus(devices_.size());
    std::vector<std::string> bus_ids(devices_.size());
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      char text[96] = {};
      Gpu& gpu = gpus[i];
      if (api_.name != nullptr && api_.name(devices_[i], text, sizeof(text)) == kSuccess)
        gpu.model = text;
      gpu.type = gpu_type_of(gpu.model);
      if (api_.uuid(devices_[i], text, sizeof(text)) == kSuccess) gpu.uuid = text;
      unsigned minor = 0;
      if (api_.minor != nullptr && api_.minor(devices_[i], &minor) == kSuccess)
        gpu.minor = static_cast<int>(minor);
      PciInfo pci = {};
      if (api_.pci != nullptr && api_.pci(devices_[i], &pci) == kSuccess) bus_ids[i] = pci.bus_id;
    }
    find_groups(gpus, bus_ids);
    sample(gpus);
    return gpus;
  }

  void sample(std::vector<Gpu>& gpus) override {
    read_events(gpus);
    for (std::size_t i = 0; i < std::min(gpus.size(), devices_.size()); ++i) {
      Gpu& gpu = gpus[i];
      Memory memory = {};
      const int code = api_.memory(devices_[i], &memory);
      if (code != kSuccess) {
        spoil(gpu, code == kGpuIsLost ? say::gpu_off_the_bus() : describe(code));
        continue;
      }
      gpu.memory = static_cast<std::int64_t>(memory.total);
      gpu.memory_used = static_cast<std::int64_t>(memory.used);
      Utilization load = {};
      if (api_.utilization != nullptr && api_.utilization(devices_[i], &load) == kSuccess)
        gpu.load_percent = static_cast<int>(load.gpu);
      unsigned number = 0;
      if (api_.temperature != nullptr &&
          api_.temperature(devices_[i], kTemperatureOfGpu, &number) == kSuccess) {
        gpu.celsius = static_cast<int>(number);
      }
      if (api_.power != nullptr && api_.power(devices_[i], &number) == kSuccess)
        gpu.watts = static_cast<int>(number / 1000);
    }
  }

 private:
  Message describe(int code) const {
    const char* text = api_.error_text != nullptr ? api_.error_text(code) : nullptr;
    return text != nullptr ? say::gpu_driver_says({.why = text})
                           : say::gpu_driver_error({.code = code});
  }

  static void spoil(Gpu& gpu, Message problem) {
    if (!gpu.healthy) return;
    gpu.healthy = false;
    gpu.problem = std::move(problem);
    gpu.load_percent = gpu.celsius = gpu.watts = -1;
  }

  void read_events(std::vector<Gpu>& gpus) {
    EventData event = {};
    while (events_ != nullptr && api_.wait_event(events_, &event, 0) == kSuccess) {
      if (event.type != kCriticalXid || std::ranges::count(kXidsOfPrograms, event.data) > 0)
        continue;
      const auto at = std::ranges::find(devices_, event.device);
      const auto index = static_cast<std::size_t>(at - devices_.begin());
      if (index < gpus.size()) spoil(gpus[index], say::gpu_critical_xid({.code = event.data}));
    }
  }

  /// Unites what is linked: by NVLink, or where there is none by a common PCIe bridge.
  void find_groups(std::vector<Gpu>& gpus, const std::vector<std::string>& bus_ids) const {
    std::vector<int> group(gpus.size());
    std::iota(group.begin(), group.end(), 0);
    const auto unite = [&](std::size_t a, std::size_t b) {
      const int from = group[b];
      const int to = group[a];
      std::ranges::replace(group, std::max(from, to), std::min(from, to));
    };
    bool has_links = false;
    std::optional<std::size_t> on_switch;
    for (std::size_t i = 0; i < gpus.size() && api_.link_state && api_.link_remote; ++i) {
      for (unsigned link = 0; link < kMostLinks; ++link) {
        unsigned is_active = 0;
        PciInfo remote = {};
        if (api_.link_state(devices_[i], link, &is_active) != kSuccess || is_active == 0 ||
            api_.link_remote(devices_[i], link, &remote) != kSuccess) {
          continue;
        }
        has_links = true;
        const auto peer = std::ranges::find(bus_ids, std::string(remote.bus_id));
        if (peer != bus_ids.end()) {
          unite(i, static_cast<std::size_t>(peer - bus_ids.begin()));
        } else {
          // A switch: everybody on it reaches everybody.
          if (on_switch) unite(*on_switch, i);
          on_switch = i;
        }
      }
    }
    for (std::size_t a = 0; a < gpus.size() && !has_links && api_.common_ancestor; ++a) {
      for (std::size_t b = a + 1; b < gpus.size(); ++b) {
        unsigned level = ~0U;
        if (api_.common_ancestor(devices_[a], devices_[b], &level) == kSuccess &&
            static_cast<int>(level) <= kSameHostBridge) {
          unite(a, b);
        }
      }
    }
    for (std::size_t i = 0; i < gpus.size(); ++i) gpus[i].link_group = group[i];
  }

  void* library_;
  Api api_;
  std::vector<Device> devices_;
  EventSet events_ = nullptr;
};

}  // namespace

std::unique_ptr<GpuSource> open_nvml() {
  void* library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  Api api;
  unsigned count = 0;
  if (!api.load(library) || api.init() != kSuccess) {
    ::dlclose(library);
    return nullptr;
  }
  std::vector<Device> devices;
  if (api.count(&count) == kSuccess) {
    for (unsigned i = 0; i < count; ++i) {
      Device device = nullptr;
      if (api.by_index(i, &device) == kSuccess) devices.push_back(device);
    }
  }
  if (devices.empty()) {
    api.shutdown();
    ::dlclose(library);
    return nullptr;
  }
  return std::make_unique<Nvml>(library, api, std::move(devices));
}

std::string gpu_type_of(std::string_view model) {
  std::string type;
  for (const std::string& word : split(model, ' ')) {
    if (word.empty() || word == "NVIDIA" || word == "Tesla" || word == "GeForce" ||
        word == "Quadro") {
      continue;
    }
    type += word.substr(0, word.find('-'));
    // Families need the number that follows.
    if (word != "RTX" && word != "GTX" && word != "TITAN") break;
  }
  return type.empty() ? "GPU" : type;
}

}  // namespace ty::engine
