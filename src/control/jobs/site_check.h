#pragma once
#include <string>
#include <vector>

#include "config/config.h"
#include "engine/engine.h"
#include "jobspec/issue.h"
#include "model/job_spec.h"

namespace ty::control {

/// What must be known of this site before a job is stored.
struct SiteView {
  const engine::Engine& engine;
  const config::Config& config;
  const engine::Capabilities& able;  ///< the engine's
};

/// A remark on a job that is stored nevertheless.
jobspec::Issue warning(std::string code, std::string path, Message message);

/// Makes the spec one that this site can run: its defaults and caps, said in `warnings` where they
/// change what was asked for. Invalid, with every fault, for what cannot run here, so that it is
/// told at once instead of when a task starts.
Result<void> fit_to_site(model::JobSpec& spec,
                         const SiteView& site,
                         std::vector<jobspec::Issue>& warnings);

}  // namespace ty::control
