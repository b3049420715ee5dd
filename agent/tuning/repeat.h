// Known candidates measured in several runs, until the runs agree.
#pragma once

#include <functional>

#include "agent/tuning/tune_shapes.h"

namespace tunehub::agent::tuning {

// Measures the shapes of `task`, which is of Purpose::kKnown, by calls of `once`, each a run of its
// own in the registry: core/analysis/settle.h's kEnoughRuns of all, then of those shapes alone that
// have a candidate whose runs do not agree, kMostRuns at most. Returns the first run's counts and
// shapes with the last run's key. Errors: those of `once`, at the first.
core::Result<Summary> MeasureUntilSettled(
    const TuneTask& task, const std::function<core::Result<Summary>(const TuneTask&)>& once,
    Observer& observer);

}  // namespace tunehub::agent::tuning
