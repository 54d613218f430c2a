#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "jobspec/issue.h"

namespace ty::jobspec {

/// What a printer says about values it could not write as they are. `path` names the place in the
/// model, as the model's JSON spells it, roles by name: `roles.worker.resources.shm`. A note about
/// a path speaks for everything below it.
class Notes {
 public:
  /// The nearest value was written instead. `message`: what it became.
  void changed(std::string_view path, Message message) {
    add(Severity::Warning, "convert.changed", path, std::move(message));
  }
  /// Written where only Trainyard looks for it; print() of jobspec/print.h finds these itself.
  void carried(std::string_view path, Message message) {
    add(Severity::Warning, "convert.carried", path, std::move(message));
  }
  /// There is no place for it.
  void lost(std::string_view path, Message message) {
    add(Severity::Warning, "convert.lost", path, std::move(message));
  }
  /// Not written, and without it the job could end differently: refused unless the person insists.
  void refused(std::string_view path, Message message) {
    add(Severity::Error, "convert.refused", path, std::move(message));
  }
  /// Whether a note speaks for this path: about itself or something above it.
  bool covers(std::string_view path) const;

  std::vector<Issue> issues;

 private:
  void add(Severity severity, std::string_view code, std::string_view path, Message message);
};

}  // namespace ty::jobspec
