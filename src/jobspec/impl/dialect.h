#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jobspec/impl/notes.h"
#include "jobspec/impl/params.h"
#include "jobspec/impl/report.h"
#include "jobspec/impl/tree.h"
#include "jobspec/read.h"
#include "model/job_spec.h"

namespace ty::jobspec {

/// All that is known of one dialect of job files. A dialect is a folder: its `dialect.cc` defines
/// one of these, and `registry.cc` lists it; nothing else has to know.
struct DialectEntry {
  model::Dialect dialect;
  Message (*name)();         ///< inside a sentence: `GPU manager`
  Message (*title)();        ///< what one file is: `a GPU manager job`
  std::string_view address;  ///< where such a file can be sent over HTTP

  /// The keys of the document that speak for this dialect; none: it is not this one. Rules of
  /// different dialects are all evaluated, exactly one must hold (job-model §3).
  std::vector<Ref> (*evidence)(Ref top);
  /// Its top-level keys, to guess what an unknown file was meant to be.
  std::vector<std::string_view> (*keys)();

  /// What is returned is only good if `report` got no error. Null: recognised, not read.
  model::JobSpec (*parse)(Ref document, const ReadOptions& options, Params& params, Report& report);

  /// The job in this dialect's canonical form. What it has no words for, print() of jobspec/print.h
  /// finds by reading the text back; the printer notes only what it can say better: a value that
  /// became another one, or one whose loss changes results (notes.h). `carried`, when not empty, is
  /// a JSON object to be written where parse() finds it (carry.h). Null: not written.
  std::string (*print)(const model::JobSpec& spec, const std::string& carried, Notes& notes);
  /// The free place where `carried` is written, for messages: `extras.trainyard`. Empty: there is
  /// none, and what has no words is lost.
  std::string_view carry_place = "";

  /// JSON Schema (Draft-07) for editors. Null: none.
  std::string (*schema)() = nullptr;
};

/// In the order in which the rules of detection are told.
std::span<const DialectEntry* const> dialects();
const DialectEntry& entry_of(model::Dialect dialect);

namespace native {
extern const DialectEntry kDialect;
}
namespace openpai_v1 {
extern const DialectEntry kDialect;
}
namespace openpai_v2 {
extern const DialectEntry kDialect;
}
namespace ffdl {
extern const DialectEntry kDialect;
}
namespace gpu_manager {
extern const DialectEntry kDialect;
}
namespace volcano {
extern const DialectEntry kDialect;
}
namespace pumpkin {
extern const DialectEntry kDialect;
}

/// For `evidence`.
bool is_map(Ref ref);
bool is_list(Ref ref);
bool has_any(Ref map, std::initializer_list<std::string_view> keys);

}  // namespace ty::jobspec
