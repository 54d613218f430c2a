#pragma once
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jobspec/impl/foreign.h"
#include "jobspec/impl/params.h"
#include "jobspec/openpai_v2/template.h"

namespace ty::jobspec::openpai_v2 {

inline constexpr std::string_view kPluginKey = "com.microsoft.pai.runtimeplugin";
inline constexpr std::string_view kPluginPrefix = "com.microsoft.pai.runtimeplugin.";
inline constexpr std::int64_t kUsualShmMb = 512;

/// Reads one document. Split over files by what is read: parse.cc the job and its roles, plugins.cc
/// what starts beside them, extras.cc the rest of `extras`.
class V2Reader final : public ForeignReader {
 public:
  V2Reader(Ref top, const ReadOptions& options, Params& params, Report& report)
      : ForeignReader(top, model::Dialect::OpenPaiV2, options, report), params_(params) {}

  model::JobSpec read();
  Ref locate(const Subject& subject) const override;

 private:
  void read_head();
  void read_links(Ref from, const std::string& prefix);
  void read_parameters();
  void read_secrets();
  void add_secret(Ref ref, const std::string& path);

  void read_prerequisites();
  /// None, complained about, when there is no such prerequisite.
  Ref prerequisite(std::string_view type, Ref name);
  void read_auth(Ref image, model::RoleSpec& role);

  void read_roles();
  void read_role(Ref from, model::RoleSpec& role, int i);
  void read_resources(Ref from, model::RoleSpec& role, int i);
  void read_ports(Ref from, model::RoleSpec& role);
  void read_completion(Ref from, model::RoleSpec& role, int i);
  void read_threshold(Ref from,
                      std::string_view key,
                      std::int64_t standard,
                      std::optional<std::int64_t>& out,
                      std::int64_t count,
                      Part part,
                      int i);
  void warn_first_role_ends();

  void read_deployments();
  /// Lines of a list of texts, each rendered; none where the list is wrong.
  std::string read_lines(Ref list, std::string_view example, std::size_t role);
  std::string rendered(Ref at, std::string_view text, std::size_t role);

  void read_extras();
  void read_hived(Ref hived);
  void read_hived_role(Ref from, model::RoleSpec& role);
  void read_storages(Ref list);
  void read_notifications(Ref from);

  void read_role_plugins(Ref role, std::size_t i);
  void read_plugins(Ref list);
  void read_plugin(Ref plugin);
  void run_plugin(std::string_view name,
                  Ref parameters,
                  Ref at,
                  const std::vector<std::size_t>& on);
  void read_cmd(Ref parameters, const std::vector<std::size_t>& on);
  void read_git(Ref parameters, Ref at, const std::vector<std::size_t>& on);
  void add_storage(const std::string& name, const std::string& target, Ref at, std::size_t role);

  std::size_t role_index(std::string_view name) const;  ///< size(): there is none

  Params& params_;
  std::vector<Ref> roles_;                ///< as spec_.roles
  std::vector<std::vector<Ref>> mounts_;  ///< of each role
  std::vector<std::string> kept_extras_;  ///< `"key":value` of what is not in the model's own words
  std::vector<Ref> kept_plugins_;
};

}  // namespace ty::jobspec::openpai_v2
