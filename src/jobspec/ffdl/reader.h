#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "jobspec/ffdl/parse.h"
#include "jobspec/impl/placed_reader.h"

namespace ty::jobspec::ffdl {

/// One manifest: `parse.cc` reads what runs, `stores.cc` where its files are, `watch.cc` what is
/// measured and who is told.
class ManifestReader final : public PlacedReader {
 public:
  ManifestReader(Ref top, const ReadOptions& options, Report& report);
  model::JobSpec read();

 private:
  void read_job();
  void read_links();
  void read_roles();
  void read_servers(const model::RoleSpec& worker);
  void read_resources(model::Resources& out, int role);
  bool read_cpus(std::string_view key, std::string_view example, int role, std::int64_t& out);
  bool read_memory(std::string_view key, std::string_view example, int role, std::int64_t& out);
  void read_framework(model::RoleSpec& role);
  std::string image_of(const std::string& name, const std::string& version) const;
  void set_command(model::RoleSpec& role, std::string command, bool by_mpi);
  std::string with_run_dates(std::string command);

  void read_stores(model::RoleSpec& role);
  struct Store {
    Ref at;
    Ref connection;
    std::string type;
    std::string root;           ///< of a folder of the machine
    std::string url;            ///< of an object store
    std::string data, results;  ///< folders below the root, or buckets
    std::optional<std::string> secret;

    /// Where the file names one of them.
    Ref place_of(std::string_view key) const {
      const Ref block = at.find(key);
      const Ref name = block ? block.find("container") : Ref{};
      return name ? name : block ? block : at;
    }
  };
  void read_store(Ref at, model::RoleSpec& role);
  void read_connection(Store& store);
  std::string read_container(Ref store, std::string_view key);
  void mount_folders(Store& store, model::RoleSpec& role);
  void mount_buckets(const Store& store, model::RoleSpec& role);
  void refuse_store(const Store& store);
  void read_code(Ref store, const std::string& root, model::RoleSpec& role);
  void add_upload(Ref at, model::RoleSpec& role);
  void add_mount(model::RoleSpec& role, model::Mount mount, Ref at);

  void read_metrics();
  void read_metric_groups(Ref metrics);
  void read_metric_group(Ref group, std::int64_t window);
  std::optional<std::string> expand_macros(Ref at);
  void read_alerts();
  void read_alert(Ref item, std::string_view kind);
  bool read_alert_time(Ref item, std::string_view kind, model::Alert& alert);

  std::string text_of(std::string_view key) const;

  bool prophecis_ = false;  ///< one of its own keys is there
  bool servers_ = false;    ///< dist-tf: workers and parameter servers
};

}  // namespace ty::jobspec::ffdl
