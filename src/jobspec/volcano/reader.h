#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jobspec/impl/kube_container.h"
#include "jobspec/volcano/parse.h"

namespace ty::jobspec::volcano {

/// One Job: `parse.cc` reads the job and its tasks, `pod.cc` the pod templates, `container.cc` and
/// `volumes.cc` what is in them, `plugins.cc` what plugins ask for.
class JobReader final : public KubeReader {
 public:
  JobReader(Ref top, const ReadOptions& options, Report& report)
      : KubeReader(top, model::Dialect::Volcano, options, report) {}
  model::JobSpec read();

 private:
  void read_carried();
  void read_metadata();
  void read_spec(Ref spec);
  void read_priority(Ref map);
  void read_volumes(Ref spec);
  void read_tasks(Ref spec);
  void read_task(Ref task, int i);
  void read_depends_on(Ref task, int i, model::RoleSpec& role);
  void read_policies(Ref map, int role, std::vector<model::Policy>& out);
  std::optional<model::Policy> read_policy(Ref item, std::vector<model::PolicyEvent>& seen);
  void read_events(Ref item, model::Policy& policy, std::vector<model::PolicyEvent>& seen);
  /// `10m`, `1h30m`, `500ms`, as Go writes them.
  std::optional<Seconds> read_duration(Ref map, std::string_view key);
  void finish_counts(Ref spec);
  void check_service_name();

  void read_plugins(Ref spec);
  void read_plugin(Ref plugin);
  void read_ssh_flag(Ref plugin, std::string_view flag, const std::string& value);
  void give_part(std::string_view role, std::string_view part);

  void read_pod(Ref task, int i, model::RoleSpec& role);
  void read_cluster_fields(Ref pod);
  void read_restart_policy(Ref pod, model::RoleSpec& role);
  void read_node_selector(Ref pod, int i, model::RoleSpec& role);
  void read_times(Ref pod, model::RoleSpec& role);
  void read_containers(Ref pod, int i, model::RoleSpec& role);
  void read_pod_security(Ref context, int i, model::RoleSpec& role);
  void read_user(Ref context);
  void read_container(Ref container, Ref pod, int i, model::RoleSpec& role);
  void read_environment(Ref container, int i, model::RoleSpec& role);
  void read_value_from(Ref entry, const std::string& name, int i, model::RoleSpec& role);
  void read_resources(Ref container, int i, model::RoleSpec& role);
  void read_extended(Ref limits, Ref requests, int i, model::RoleSpec& role);
  void read_ports(Ref container, int i, model::RoleSpec& role);
  void read_mounts(Ref container, Ref pod, int i, model::RoleSpec& role);
  bool read_volume(Ref volume, Ref at, int i, model::RoleSpec& role, model::Mount& mount);
  void add_mount(int i, model::RoleSpec& role, model::Mount mount, Ref at);

  struct JobVolume {
    model::Mount mount;
    Ref at;
  };
  std::vector<JobVolume> volumes_;  ///< of the job: in every container
  std::optional<Seconds> grace_;
  bool states_shm_ = false;  ///< the container being read has a memory volume at /dev/shm
};

}  // namespace ty::jobspec::volcano
