#include "jobspec/openpai_v2/reader.h"

/// Where in the file a finding of the common validation belongs.
namespace ty::jobspec::openpai_v2 {

Ref V2Reader::locate(const Subject& subject) const {
  const auto inside = [](Ref from, std::string_view key) {
    const Ref found = from ? from.find(key) : Ref{};
    return found ? found : from;
  };
  if (subject.role < 0) {
    switch (subject.part) {
      case Part::Name:
        return inside(top_, "name");
      case Part::Description:
        return inside(top_, "description");
      case Part::Workspace:
        return top_.find("defaults") ? inside(top_.find("defaults"), "virtualCluster") : top_;
      case Part::Secrets:
        return inside(top_, "secrets");
      case Part::Params:
        return inside(top_, "parameters");
      case Part::Extras:
      case Part::Priority:
      case Part::Alerts:
        return inside(top_, "extras");
      default:
        return inside(top_, "taskRoles");
    }
  }
  const auto index = static_cast<std::size_t>(subject.role);
  const Ref role = roles_[index];
  switch (subject.part) {
    case Part::Count:
      return inside(role, "instances");
    case Part::Image:
      return inside(role, "dockerImage");
    case Part::Command:
      return inside(role, "commands");
    case Part::Cpus:
      return inside(inside(role, "resourcePerInstance"), "cpu");
    case Part::Memory:
      return inside(inside(role, "resourcePerInstance"), "memoryMB");
    case Part::Gpus:
      return inside(inside(role, "resourcePerInstance"), "gpu");
    case Part::Ports:
      return inside(inside(inside(role, "resourcePerInstance"), "ports"), subject.key);
    case Part::Shm: {
      const Ref shm = inside(inside(role, "extraContainerOptions"), "shmMB");
      return shm;
    }
    case Part::FailWhen:
      return inside(inside(role, "completion"), "minFailedInstances");
    case Part::DoneWhen:
      return inside(inside(role, "completion"), "minSucceededInstances");
    case Part::Mounts:
      return subject.index < mounts_[index].size() ? mounts_[index][subject.index] : role;
    default:
      return role;
  }
}

}  // namespace ty::jobspec::openpai_v2
