#pragma once
#include <string>
#include <string_view>

#include "jobspec/impl/quantity.h"
#include "jobspec/read.h"

namespace ty::jobspec {

/// A source as people write it → as the model keeps it (job-model §1.3, §2.1): `/abs` is
/// `host:/abs`, `….git@ref` is `git+….git@ref`, `./dir` is what was uploaded for it, a bare word is
/// an asset of `kind`
/// (`dataset`, `algorithm`, `model`, `storage`). Full forms stay as they are.
Parsed<std::string> resolve_source(std::string_view text,
                                   std::string_view kind,
                                   const ReadOptions& options);

}  // namespace ty::jobspec
