#include <algorithm>
#include <utility>

#include "base/text.h"
#include "jobspec/impl/defaults.h"
#include "jobspec/messages.h"
#include "jobspec/volcano/reader.h"

/// The volumes of a pod and where its container sees them.
namespace ty::jobspec::volcano {

using model::Mount;
using model::MountKind;
using model::RoleSpec;

void JobReader::read_mounts(Ref container, Ref pod, int i, RoleSpec& role) {
  const std::vector<Ref> volumes = maps_in(pod, "volumes", "{name: data, emptyDir: {}}");
  for (const JobVolume& volume : volumes_) add_mount(i, role, volume.mount, volume.at);
  for (const Ref item : maps_in(container, "volumeMounts", "{name: data, mountPath: /data}")) {
    keep_unknown(item,
                 {"name", "mountPath", "readOnly", "subPath", "subPathExpr", "mountPropagation"});
    std::string name, sub;
    Mount mount;
    if (!need_text(item, "name", name, "name: data") ||
        !need_text(item, "mountPath", mount.target, "mountPath: /data")) {
      continue;
    }
    read_bool(item, "readOnly", mount.read_only, "readOnly: true");
    read_text(item, "subPath", sub, "subPath: train");
    if (const Ref at = present(item, "subPathExpr"))
      unsupported(at, say::needs_kubernetes_sub_path());
    const auto volume = std::ranges::find_if(volumes, [&](Ref one) {
      const Ref called = one.find("name");
      return called && called.is_scalar() && called->text == name;
    });
    if (volume == volumes.end()) {
      std::vector<std::string> known;
      for (const Ref one : volumes) {
        if (const Ref called = one.find("name"); called && called.is_scalar())
          known.emplace_back(called->text);
      }
      report_.error(item.find("name"),
                    "reference",
                    known.empty() ? say::no_volume_called({.name = shorten(name)})
                                  : say::no_volume_called_among(
                                        {.name = shorten(name), .names = some_of(known)}));
      continue;
    }
    mount.name = name;
    if (!read_volume(*volume, item, i, role, mount)) continue;
    if (!sub.empty()) mount.source += (mount.source.ends_with('/') ? "" : "/") + sub;
    add_mount(i, role, std::move(mount), item.find("mountPath"));
  }
}

void JobReader::add_mount(int i, RoleSpec& role, Mount mount, Ref at) {
  place_item(Part::Mounts, i, role.mounts.size(), at);
  role.mounts.push_back(std::move(mount));
}

/// False: nothing to mount, because it is shared memory, or was refused.
bool JobReader::read_volume(Ref volume, Ref, int i, RoleSpec& role, Mount& mount) {
  keep_unknown(volume,
               {"name",
                "emptyDir",
                "hostPath",
                "persistentVolumeClaim",
                "nfs",
                "configMap",
                "secret",
                "csi",
                "projected",
                "downwardAPI",
                "flexVolume"});
  if (const Ref empty = volume.find("emptyDir")) {
    std::string medium;
    std::int64_t size = 0;
    if (empty.is_map()) {
      keep_unknown(empty, {"medium", "sizeLimit"});
      read_text(empty, "medium", medium, "medium: Memory");
      read_amount(empty, "sizeLimit", KubeKind::Memory, Part::Shm, i, size);
    }
    if (medium == "Memory" && mount.target == "/dev/shm") {
      states_shm_ = true;
      role.resources.shm = size > 0 ? size : default_shm(role.resources.memory);
      return false;
    }
    mount.kind = MountKind::Scratch;
    mount.source = medium == "Memory" ? "memory:" : "scratch:";
    if (size > 0) mount.size_limit = size;
    return true;
  }
  if (const Ref host = map_in(volume, "hostPath", "hostPath: {path: /data}")) {
    keep_unknown(host, {"path", "type"});
    std::string path;
    if (!need_text(host, "path", path, "path: /data")) return false;
    mount.source = "host:" + path;
    return true;
  }
  if (const Ref claim =
          map_in(volume, "persistentVolumeClaim", "persistentVolumeClaim: {claimName: data}")) {
    keep_unknown(claim, {"claimName", "readOnly"});
    std::string name;
    if (!need_text(claim, "claimName", name, "claimName: data")) return false;
    read_bool(claim, "readOnly", mount.read_only, "readOnly: true");
    mount.source = "volume:" + name;
    return true;
  }
  if (const Ref nfs = map_in(volume, "nfs", "nfs: {server: nas, path: /data}")) {
    keep_unknown(nfs, {"server", "path", "readOnly"});
    std::string server, path;
    if (!need_text(nfs, "server", server, "server: nas") ||
        !need_text(nfs, "path", path, "path: /data")) {
      return false;
    }
    read_bool(nfs, "readOnly", mount.read_only, "readOnly: true");
    mount.source = "nfs://" + server + path;
    return true;
  }
  report_.error(volume, "unsupported", say::volume_needs_kubernetes());
  return false;
}

}  // namespace ty::jobspec::volcano
