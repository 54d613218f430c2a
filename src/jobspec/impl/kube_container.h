#pragma once
#include <map>
#include <string>
#include <string_view>

#include "jobspec/impl/kube_quantity.h"
#include "jobspec/impl/placed_reader.h"

namespace ty::jobspec {

/// What the GPU manager's tasks and Volcano's containers have in common: amounts in Kubernetes'
/// notation, commands as lists or texts, and ports with short names.
class KubeReader : public PlacedReader {
 protected:
  using PlacedReader::PlacedReader;

  /// Absent leaves `out` alone. Wrong: reported, and the part is in doubt.
  bool read_amount(
      Ref map, std::string_view key, KubeKind kind, Part part, int role, std::int64_t& out);

  /// `command` replaces the image's entrypoint, `args` its arguments; a text with blanks is a
  /// script, which upstream refused.
  void read_command(Ref from, int role, model::RoleSpec& out);

  /// 1 to 15 of `a-z 0-9 -` with a letter; upper case is forgiven.
  bool check_port_name(Ref at, std::string& name);
};

}  // namespace ty::jobspec
