#pragma once
#include <string>
#include <vector>

#include "jobspec/impl/report.h"
#include "jobspec/impl/tree.h"
#include "model/job_spec.h"

/// What a dialect has no words for, as a JSON object that changes the job read from its words into
/// the job that was meant: `{"time_limit": 3600, "roles": {"worker": {"after": […]}}}`. Keys and
/// values are those of the model's JSON; roles are named.
namespace ty::jobspec {

/// The places where two jobs differ in what they mean, as paths of notes.h with the value of
/// `meant`. Spellings of the same thing do not count.
struct Difference {
  std::string path;
  std::string value;  ///< JSON
};
std::vector<Difference> differences(const model::JobSpec& meant, const model::JobSpec& read);

/// The object for those of the differences that `keep` lists.
std::string carry(const model::JobSpec& meant,
                  const model::JobSpec& read,
                  const std::vector<Difference>& keep);

/// For parsers, before validate(). Secrets, registry passwords and the dialect cannot be set so.
void apply_carried(model::JobSpec& spec, Ref carried, Report& report);

}  // namespace ty::jobspec
