// A problem's output, read back from the device.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "kernels/gpu/memory.h"
#include "kernels/problem.h"

namespace tunehub::kernels::gpu {

// The values of these rows (of all batches behind one another). Where any element of the whole
// output is no number, the first value is none: an element that no launch wrote is wrong wherever
// it is. Errors: those of the driver.
core::Result<std::vector<float>> ReadRows(const Problem& problem, const Memory& output,
                                          const std::vector<std::int64_t>& rows);

}  // namespace tunehub::kernels::gpu
