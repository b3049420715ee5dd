// PyTorch's TunableOp, run offline: torch.cuda.tunable tunes a list of GEMMs in a folder of its
// own.
#pragma once

#include <optional>
#include <vector>

#include "agent/engines/engine_run.h"
#include "core/row/tunable_shape.h"

namespace tunehub::agent::engines {

struct TunableSettings : EngineSettings {
  std::optional<int> iters, warmup;  // of each candidate; absent: as TunableOp does it
};

// Tunes `shapes`, which are no patterns. Whatever was found is in the run, also after a failure:
// report.outcome says how it ended. Errors: tuner_unstartable, file_unwritable, no_shapes.
core::Result<EngineRun> TuneTunable(const TunableSettings& settings,
                                    const std::vector<core::TunableShape>& shapes,
                                    const EngineObserver& observer);

}  // namespace tunehub::agent::engines
