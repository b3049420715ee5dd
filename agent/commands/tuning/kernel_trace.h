// One kernel's time in what `rocprofv3 --kernel-trace --stats` writes. Its rows name no shape.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/table/csv.h"

namespace tunehub::agent::tuning {

bool IsTraceHeader(const core::CsvRecord& header);

struct TracedKernel {
  double us = 0;      // of one call
  std::string names;  // of the rows that it is the time of
};

// The kernel that is called `kernel`, else all whose names hold it: the parts of one operator,
// whose times are added. Errors, with the file: bad_trace, no_kernel, several_kernels (not called
// equally often, so no parts of one operator).
core::Result<TracedKernel> ReadTrace(const std::string& file, std::string_view csv,
                                     const std::string& kernel);

}  // namespace tunehub::agent::tuning
