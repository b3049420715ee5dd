// What is known of a family's times on a gfx, ready to estimate others by.
#pragma once

#include <cstddef>
#include <optional>

#include "core/analysis/estimates.h"
#include "core/row/roofline.h"
#include "server/service/analysis/speedups.h"
#include "server/service/registry/definitions.h"
#include "server/service/registry/snapshots.h"

namespace tunehub::service {

// A target, and which of its products is meant; null: any of them.
struct JudgedTarget {
  core::Target target;
  const core::Device* product = nullptr;
};

// The roofline of cells on a target of the same gfx with this CU count (0: the target's own).
std::optional<core::Roofline> RooflineOn(const Definitions& definitions, const core::Family& family,
                                         const core::Cells& cells, const JudgedTarget& on,
                                         int cu_num);

// Of the rows that are served where nobody asks for a provider, with a time that can be trusted.
// Throws Unavailable.
analysis::Estimates EstimatesOf(const Definitions& definitions, const FamilySnapshot& snapshot,
                                Speedups& speedups, const JudgedTarget& on);

}  // namespace tunehub::service
