// Reads rows of drivers and benches. Their columns for kernel and shape belong to no family.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/compare.h"
#include "core/base/result.h"
#include "core/family/families.h"
#include "core/family/family.h"
#include "core/table/csv.h"

namespace tunehub::agent {

// One kernel's time in the output of `rocprofv3 --kernel-trace --stats`. Its rows name no shape.
struct TracedKernel {
  double us = 0;      // the time of one call
  std::string names;  // names of the kernels whose times were added
};

// Returns the time of the kernel named `kernel`. If there is none, returns the sum over all kernels
// whose names contain `kernel`, as parts of one operator. Errors, with the file: bad_trace,
// no_kernel, several_kernels (the kernels' numbers of calls differ, so they are not parts of one
// operator).
core::Result<TracedKernel> ReadTrace(const std::filesystem::path& path, const std::string& kernel);

// The meaning of each column of a file whose rows name their kernel and shape.
struct ShapeColumns {
  struct Key {
    std::size_t field = 0;
    std::string name;
    bool is_size = false;
  };
  struct Time {
    std::size_t field = 0;
    std::string line;  // the implementation that was timed: "Triton"
    double us = 1;     // microseconds in one unit of the column
  };

  std::vector<Key> keys;    // columns kernel, config, B, M, N, K, then others by name
  std::vector<Time> times;  // empty if a trace has the time
  std::optional<std::size_t> gfx, cu_num, status, us, trace;
  std::vector<std::string> unread;  // columns that are neither shape key nor time
};

// Shape key columns are `kernel`, `config`, sizes (B, M, N, K, N8, ...), the shape columns of any
// family, and names of AITER's Triton benches. `batch` means B. The time is in one of these places:
// the column `us`; each column that ends with a unit, such as "Triton (Time (ms))"; with `unit`,
// each column without a unit; the file that `trace` names. Errors: bad_header, no_times, no_shape.
core::Result<ShapeColumns> ShapeColumnsOf(const core::Families& families,
                                          const core::CsvRecord& header, const std::string& unit);

// Returns the time of one run from its cell. Returns nothing if the time is not above 0 or the
// status is not ok. Errors: bad_time (no number, or nan).
core::Result<std::optional<double>> RunOf(std::string_view us, std::string_view status);

// Reads a tuned table, or a CSV with the shape's columns and `us`. Rows with the same shape key and
// candidate are runs of that candidate. A row is not a run if its time is not above 0 or `status`
// is not ok. The environment consists of the file's name and the lines "# name: value" before the
// header. Errors, with file and line: those of core::CsvReader and ShapeOf, empty_table, no_times
// (no column `us`), bad_time (no number, or nan).
core::Result<analysis::Side> ReadSide(const core::Family& family, const std::string& file,
                                      std::string_view csv);

struct ShapeSide {
  analysis::Side side;
  std::vector<std::string> unread;  // columns that are neither shape key nor time
};

// Reads the columns of ShapeColumnsOf. The cell `trace` names a file beside this file, with the
// kernel times of the row's shape. Rows with the same shape key are its runs. If a row has several
// times, their shape keys differ in `line`. Errors, with file and line: bad_cell, bad_time, those
// of ShapeColumnsOf, core::CsvReader, core::CheckTableText, core::FileBytes and ReadTrace.
core::Result<ShapeSide> ReadShapeRows(const core::Families& families, const std::string& file,
                                      std::string_view csv, const std::string& unit);

}  // namespace tunehub::agent
