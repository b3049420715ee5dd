// What AITER's benches time, its operators, as rows for a hub: of defaults, which name no kernel,
// and of tuned rows. A hub makes speed-ups of them and serves none.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "agent/aiter/tuners/aiter_output.h"
#include "core/base/result.h"
#include "core/family/family.h"
#include "core/family/targets.h"
#include "core/row/target.h"

namespace tunehub::agent::tuners {

struct OperatorRows {
  std::string json;      // the body of POST /results; "": no row
  std::size_t rows = 0;  // of these a GPU is known, and the operator ran right
};

// `here`: the GPU of a report that names none; its gfx may be "".
OperatorRows DefaultRows(const core::Family& family, const std::vector<AiterTiming>& timings,
                         const core::Target& here);

// With the kernels of `tuned`, AITER's tuned table that was run. Errors: those of reading it.
core::Result<OperatorRows> TunedOperatorRows(const core::Family& family,
                                             const core::Targets& targets,
                                             const std::vector<AiterTiming>& timings,
                                             std::string_view tuned, const core::Target& here);

}  // namespace tunehub::agent::tuners
