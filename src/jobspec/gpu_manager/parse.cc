#include "jobspec/gpu_manager/parse.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "jobspec/impl/defaults.h"
#include "jobspec/impl/kube_container.h"
#include "jobspec/impl/limits.h"
#include "jobspec/messages.h"
#include "model/names.h"

namespace ty::jobspec::gpu_manager {
namespace {

using model::RoleSpec;

constexpr std::array<std::string_view, 2> kJobKeys = {"jobname", "tasks"};
constexpr std::array<std::string_view, 8> kTaskKeys = {
    "amount", "name", "workingDir", "command", "args", "image", "resources", "ports"};
constexpr std::array<std::string_view, 3> kResourceKeys = {"cpu", "memory", "gpu"};
constexpr std::array<std::string_view, 2> kPortKeys = {"number", "name"};

template <std::size_t N>
bool holds(const std::array<std::string_view, N>& keys, std::string_view key) {
  return std::ranges::find(keys, key) != keys.end();
}

class JobReader final : public KubeReader {
 public:
  JobReader(Ref top, const ReadOptions& options, Report& report)
      : KubeReader(top, model::Dialect::GpuManager, options, report) {}

  model::JobSpec read() {
    check_keys(top_, kJobKeys);
    read_name();
    spec_.retry.on.clear();
    spec_.completion.at_end = model::AtEnd::CheckRole;
    read_tasks();
    validate(spec_, *this, report_);
    return std::move(spec_);
  }

 private:
  /// Wrong indentation shows as a known key in the wrong place; it must not be passed over.
  template <std::size_t N>
  void check_keys(Ref map, const std::array<std::string_view, N>& known) {
    const bool in_task = known.size() == kTaskKeys.size();
    for (const Ref entry : map) {
      const std::string_view key = entry->key;
      if (holds(known, key)) continue;
      if (holds(kTaskKeys, key) && map.index() == top_.index()) {
        misplaced(entry, say::belongs_into_a_task());
      } else if (holds(kTaskKeys, key) && !in_task) {
        misplaced(entry, say::belongs_beside({.key = "image"}));
      } else if (holds(kResourceKeys, key) && in_task) {
        misplaced(entry, say::belongs_below({.key = "resources:"}));
      } else if (key == "number" && in_task) {
        misplaced(entry, say::belongs_below({.key = "ports:"}));
      } else if (holds(kJobKeys, key)) {
        misplaced(entry, say::belongs_to_the_job_less_blanks());
      } else if ((key == "limits" || key == "requests") && known.size() == kResourceKeys.size()) {
        unsupported(entry, say::volcano_resources());
      } else {
        report_.warn_at_key(entry, "unknown_key", say::unknown_key_kept());
        spec_.unknown.push_back({entry.tree().pointer(entry), to_json(entry)});
      }
    }
  }
  void misplaced(Ref entry, Message message) {
    report_.error_at_key(entry, "misplaced_key", std::move(message));
  }

  void read_name() {
    std::string written;
    if (!need_text(top_, "jobname", written, "jobname: zs-mnist-1")) {
      doubt(Part::Name, -1);
      return;
    }
    const Ref at = top_.find("jobname");
    place(Part::Name, -1, at);
    spec_.name = model::gpu_manager_name(written);
    if (spec_.name == written) return;
    report_.warn(at,
                 "changed",
                 to_lower(written) == written
                     ? say::stored_without_underscores({.name = shorten(spec_.name)})
                     : say::stored_in_lower_case({.name = shorten(spec_.name)}));
  }

  void read_tasks() {
    constexpr std::string_view kExample = "{image: python:3.12, command: [python, train.py]}";
    const Ref tasks = present(top_, "tasks");
    if (!tasks) {
      report_.missing(top_, "tasks", "tasks: [" + std::string(kExample) + "]");
      return;
    }
    place(Part::Role, -1, tasks);
    std::vector<Ref> maps;
    if (tasks.is_map())
      maps.push_back(tasks);
    else
      maps = maps_in(top_, "tasks", kExample);
    for (const Ref task : maps) {
      if (spec_.roles.size() > limits::kRoles) break;
      const int i = static_cast<int>(spec_.roles.size());
      spec_.roles.emplace_back();
      place(Part::Role, i, task);
      read_task(task, i);
    }
  }

  void read_task(Ref from, int i) {
    RoleSpec& role = spec_.roles.back();
    check_keys(from, kTaskKeys);
    role.name = "task-" + std::to_string(i);
    read_text(from, "name", role.name, "name: worker");
    if (const Ref name = present(from, "name")) place(Part::Role, i, name);
    role.system_name = model::dns_name(role.name, {});
    role.ranked = ranked_by_name(role.name);
    if (const Ref amount = present(from, "amount")) place(Part::Count, i, amount);
    if (!read_whole(from, "amount", role.count, 1, limits::kTasks, "amount: 1"))
      doubt(Part::Count, i);
    need_text(from, "image", role.image, "image: python:3.12");
    if (const Ref image = present(from, "image")) place(Part::Image, i, image);
    role.pull = default_pull(role.image);
    std::string folder;
    if (read_text(from, "workingDir", folder, "workingDir: /nfs/testdata/code/zs/mnist") &&
        !folder.empty()) {
      place(Part::Workdir, i, from.find("workingDir"));
      role.workdir = folder;
    }
    read_command(from, i, role);
    read_resources(from, i, role);
    read_ports(from, i, role);
    role.completion.need = role.count;
    role.restart.lost = true;
  }

  void read_resources(Ref from, int i, RoleSpec& role) {
    const Ref resources = map_in(from, "resources", "resources: {cpu: 500m, memory: 1024Mi}");
    model::Resources& out = role.resources;
    if (resources) {
      check_keys(resources, kResourceKeys);
      read_amount(resources, "gpu", KubeKind::Count, Part::Gpus, i, out.gpus);
    }
    fill_defaults(out, std::clamp<std::int64_t>(out.gpus, 0, limits::kGpus), options_.defaults);
    if (resources) {
      read_amount(resources, "cpu", KubeKind::Cpu, Part::Cpus, i, out.cpu_milli);
      read_amount(resources, "memory", KubeKind::Memory, Part::Memory, i, out.memory);
    }
    out.shm = default_shm(out.memory);
  }

  void read_ports(Ref from, int i, RoleSpec& role) {
    const Ref ports = present(from, "ports");
    if (!ports) return;
    std::vector<Ref> maps;
    if (ports.is_map())
      maps.push_back(ports);
    else
      maps = maps_in(from, "ports", "{number: 8080, name: web}");
    for (const Ref item : maps) {
      check_keys(item, kPortKeys);
      // The untouched template has both keys and nothing behind them.
      if (!present(item, "number") && !present(item, "name")) continue;
      model::Port port;
      if (!present(item, "number")) {
        report_.missing(item, "number", "number: 8080");
        continue;
      }
      if (!read_whole(item, "number", port.first, 1, limits::kMaxPort, "number: 8080")) continue;
      port.label = "p" + std::to_string(port.first);
      if (!read_text(item, "name", port.label, "name: web")) continue;
      const Ref at = present(item, "name") ? item.find("name") : item.find("number");
      if (!check_port_name(at, port.label)) continue;
      place_item(Part::Ports, i, role.ports.size(), at);
      role.ports.push_back(std::move(port));
    }
  }
};

}  // namespace

model::JobSpec parse(Ref document, const ReadOptions& options, Params&, Report& report) {
  return JobReader(document, options, report).read();
}

}  // namespace ty::jobspec::gpu_manager
