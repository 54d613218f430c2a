#pragma once
#include <array>
#include <bitset>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "jobspec/impl/params.h"
#include "jobspec/impl/quantity.h"
#include "jobspec/impl/report.h"
#include "jobspec/impl/validate.h"
#include "jobspec/native/fields.h"
#include "jobspec/read.h"
#include "model/words.h"

namespace ty::jobspec::native {

/// A value with the key it stands under: what a complaint about it needs.
struct Slot {
  Ref ref;
  const Field* field = nullptr;
  explicit operator bool() const { return static_cast<bool>(ref); }
};

/// One native document → JobSpec. Every read_… takes a slot that may be empty, changes nothing
/// then, and answers whether the value (if any) was good; what was bad has been reported.
class NativeReader final : public Origin {
 public:
  NativeReader(Ref top, const ReadOptions& options, Params& params, Report& report)
      : top_(top), options_(options), params_(params), report_(report) {}

  model::JobSpec read();

  Ref locate(const Subject& subject) const override;
  bool doubtful(Part part, int role) const override;

 private:
  // parse.cc: the job
  void read_job();
  void read_priority();
  void read_labels();
  void read_secrets();
  void read_gang();
  void read_retry();
  void read_alerts();
  void read_alert(Ref item);
  void read_metrics();
  void read_metric_map(Ref map);
  void read_metric(Ref entry);
  void read_services();
  void read_run_as();
  bool read_policies(Slot slot, std::vector<model::Policy>& out);
  void read_roles();

  // parse_role.cc: one role
  void read_role(std::size_t index);
  void read_image(std::size_t index);
  void read_command(std::size_t index);
  void read_resources(std::size_t index);
  void read_gpus(std::size_t index);
  void read_ports(std::size_t index);
  void read_port(std::size_t index, Ref entry);
  void read_mounts(std::size_t index);
  void read_code(std::size_t index);
  void read_mount_item(std::size_t index, Ref item);
  void add_mount(std::size_t index,
                 Ref at,
                 Ref source_at,
                 std::string_view source,
                 std::string_view kind,
                 model::Mount mount);
  void read_completion(std::size_t index);
  void read_restart(std::size_t index);
  void read_after(std::size_t index);
  void read_sku(std::size_t index);
  void read_caps(std::size_t index);

  // values.cc: single values
  bool read_text(Slot slot, std::string& out);
  bool read_template(Slot slot, std::string& out);
  bool read_flag(Slot slot, bool& out);
  bool read_whole(Slot slot, std::int64_t& out, std::int64_t least, std::int64_t most);
  bool read_seconds(Slot slot, Seconds& out, Seconds least, Seconds most);
  bool read_memory(Slot slot, std::int64_t& out);
  bool read_cpus(Slot slot, std::int64_t& out);
  bool read_env(Slot slot, model::EnvMap& out);
  bool read_text_map(Slot slot, model::TextMap& out);
  /// One text or a list of them.
  bool read_texts(Slot slot, std::vector<std::string>& out);
  bool read_map(Slot slot);
  bool read_list(Slot slot);
  template <class T, class F>
  bool read_optional(Slot slot, std::optional<T>& out, F read_value) {
    T value{};
    if (!slot || !read_value(slot, value)) return !slot;
    out = value;
    return true;
  }
  bool read_limit(Slot slot, std::optional<Seconds>& out, Seconds least, Seconds most) {
    return read_optional<Seconds>(
        slot, out, [&](Slot s, Seconds& v) { return read_seconds(s, v, least, most); });
  }
  template <class E>
  bool read_word(Slot slot, E& out, Message (*what)()) {
    std::string word;
    if (!slot || !read_text(slot, word)) return !slot;
    const auto value = model::from_word<E>(word);
    if (!value) return wrong_word(slot.ref, what(), model::words<E>());
    out = *value;
    return true;
  }
  /// `"sad" is not a valid level; write info, minor or major`. `choices` are parted by commas.
  bool wrong_word(Ref at, const Message& what, std::string_view choices);
  bool wrong_type(const Slot& slot, const Message& wanted);
  bool has_value(const Slot& slot);
  bool refuse(const Slot& slot, const Refusal& refusal);

  // Keys
  void check_keys(Ref map, std::span<const Field> known, bool is_role);
  void check_sub_keys(Ref map, std::span<const Field> known);
  Slot job_slot(std::string_view key) const;
  Slot role_slot(std::size_t index, std::string_view key) const;
  Slot sub_slot(Ref map, std::span<const Field> known, std::string_view key) const {
    return {map.find(key), find(known, key)};
  }
  void doubt(Part part, int role) {
    doubts_[static_cast<std::size_t>(role) + 1].set(static_cast<std::size_t>(part));
  }

  Ref top_;
  const ReadOptions& options_;
  Params& params_;
  Report& report_;
  model::JobSpec spec_;

  /// Where each role is written; the document itself for the only role of a file without `roles`.
  struct RolePlace {
    Ref node;
    std::vector<Ref> ports;
    std::vector<Ref> mounts;
  };
  std::vector<RolePlace> places_;
  std::vector<std::bitset<64>> doubts_{1};  ///< the job's, then each role's
};

}  // namespace ty::jobspec::native
