// Runs a layer's GEMMs on the GPU, one after the other, with default and with tuned kernels.
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/family/family.h"
#include "core/shapes/model_shapes.h"
#include "examples/dispatch_gemms/gemms.h"
#include "examples/dispatch_gemms/options.h"

namespace tunehub::example {

// Prints a line per GEMM and M, and the sums; `fnuz` as for ProblemOf. Errors: wrong_result,
// dispatch, those of ProblemOf and of the driver.
core::Status RunLayers(const core::Family& family, bool fnuz, const Options& options,
                       const std::vector<core::Projection>& gemms,
                       const std::vector<Layer>& layers);

}  // namespace tunehub::example
