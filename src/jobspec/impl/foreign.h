#pragma once
#include <bitset>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jobspec/impl/report.h"
#include "jobspec/impl/validate.h"
#include "jobspec/read.h"

namespace ty::jobspec {

/// What the parsers of the other platforms' files share: numbers may be numeric text, empty values
/// mean absent, unknown keys are kept with a warning. A dialect derives from it and adds its table
/// of keys.
class ForeignReader : public Origin {
 public:
  bool doubtful(Part part, int role) const override;

 protected:
  ForeignReader(Ref top, model::Dialect dialect, const ReadOptions& options, Report& report)
      : top_(top), options_(options), report_(report) {
    spec_.dialect = dialect;
  }

  /// null, empty text, empty map or list: as good as not written.
  static bool is_absent(Ref ref);
  /// The value, unless it is as good as not written.
  static Ref present(Ref map, std::string_view key);

  /// Each read_… leaves `out` alone and answers true where the key is absent, false where the value
  /// is wrong (reported).
  bool read_text(Ref map, std::string_view key, std::string& out, std::string_view example);
  bool read_whole(Ref map,
                  std::string_view key,
                  std::int64_t& out,
                  std::int64_t least,
                  std::int64_t most,
                  std::string_view example);
  bool read_count(Ref map,
                  std::string_view key,
                  std::optional<std::int64_t>& out,
                  std::string_view example);
  bool need_text(Ref map, std::string_view key, std::string& out, std::string_view example);
  bool wrong_type(Ref at, const Message& wanted, std::string_view example);
  /// Warns about every other key and keeps it for printing back.
  void keep_unknown(Ref map, std::span<const std::string_view> known);
  void keep_unknown(Ref map, std::initializer_list<std::string_view> known) {
    keep_unknown(map, std::span(known.begin(), known.size()));
  }

  void doubt(Part part, int role);

  Ref top_;
  const ReadOptions& options_;
  Report& report_;
  model::JobSpec spec_;

 private:
  std::vector<std::bitset<64>> doubts_;
};

}  // namespace ty::jobspec
