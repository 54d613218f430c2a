#pragma once
#include <optional>
#include <string>

#include "engine/engine.h"
#include "engine/local/process/journal.h"
#include "engine/local/runtime.h"

namespace ty::engine {

/// What the local engine tells of its tasks: journals turned into reports. From any thread.
class Reports {
 public:
  Reports(ReportSink sink, Runtime& runtime) : sink_(std::move(sink)), runtime_(runtime) {}

  void preparing(const model::TaskKey& key, Message told) const;
  void started(const model::TaskKey& key, const JournalFacts& facts) const;
  /// What the journal does not say of an end.
  struct Besides {
    /// Why the results of a task that ended well are not where they belong.
    std::optional<model::Ending> not_saved = {};
    std::optional<model::Ending> stopped_for = {};  ///< why we stopped it ourselves
  };
  void ended(const model::TaskKey& key,
             const JournalFacts& facts,
             bool is_started_reported,
             Besides besides) const;
  void ended(const model::TaskKey& key, const JournalFacts& facts, bool is_started_reported) const {
    ended(key, facts, is_started_reported, Besides{});
  }
  /// The end of one that has no journal to tell it.
  void fault(const model::TaskKey& key, model::Ending ending) const;

 private:
  const ReportSink sink_;
  Runtime& runtime_;
  const SystemClock clock_;
};

}  // namespace ty::engine
