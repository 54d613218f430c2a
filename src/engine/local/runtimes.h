#pragma once
#include <memory>

#include "base/result.h"
#include "engine/local/local_engine.h"
#include "engine/local/process/recycler.h"
#include "engine/local/runtime.h"

namespace ty::engine {

/// The runtime that the options ask for, or the first that works.
Result<std::unique_ptr<Runtime>> open_runtime(LocalOptions options,
                                              const std::vector<Gpu>& gpus,
                                              Recycler& recycler);

}  // namespace ty::engine
