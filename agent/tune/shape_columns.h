// What each column of a file is whose rows name their kernel and shape themselves.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/family/families.h"
#include "core/table/csv.h"

namespace tunehub::agent {

// One kernel's time in what `rocprofv3 --kernel-trace --stats` writes. Its rows name no shape.
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

struct ShapeColumns {
  struct Key {
    std::size_t field = 0;
    std::string name;
    bool is_size = false;
  };
  struct Time {
    std::size_t field = 0;
    std::string line;  // what is timed there
    double us = 1;     // in one of its unit
  };

  std::vector<Key> keys;    // kernel, config, B, M, N, K, then the others by name
  std::vector<Time> times;  // none: there is a trace
  std::optional<std::size_t> gfx, cu_num, status, us, trace;
  std::vector<std::string> unread;  // neither of the key nor a time
};

// The key: `kernel`, `config`, sizes (B, M, N, K, N8, ...), the shape columns of any family, and
// what AITER's Triton benches call theirs; `batch` is B. The time: `us`; else each column whose
// name ends with a unit, as in "Triton (Time (ms))"; else, if `unit` says one, each that names
// none. Or `trace`. Errors: bad_header, no_times, no_shape.
core::Result<ShapeColumns> ShapeColumnsOf(const core::Families& families,
                                          const core::CsvRecord& header, const std::string& unit);

}  // namespace tunehub::agent
