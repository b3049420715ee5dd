// What a table answers for each GEMM and M, without a launch.
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/shapes/model_shapes.h"
#include "examples/dispatch_gemms/gemms.h"

namespace tunehub::example {

// Lines on the standard output. Errors: dispatch.
core::Status PrintAnswers(const std::vector<core::Projection>& gemms,
                          const std::vector<Layer>& layers, const std::vector<int>& ms);

}  // namespace tunehub::example
