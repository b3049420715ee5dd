// Rows that name their kernel and shape themselves, in the columns of no family: what drivers and
// benches write.
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

// One kernel's time in what `rocprofv3 --kernel-trace --stats` writes. Its rows name no shape.
struct TracedKernel {
  double us = 0;      // of one call
  std::string names;  // of the rows that it is the time of
};

// The kernel that is called `kernel`, else all whose names hold it: the parts of one operator,
// whose times are added. Errors, with the file: bad_trace, no_kernel, several_kernels (not called
// equally often, so no parts of one operator).
core::Result<TracedKernel> ReadTrace(const std::filesystem::path& path, const std::string& kernel);

// What each column of a file is whose rows name their kernel and shape themselves.
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

// The time of one run, as its cell says it: none where it is not above zero, or where the status is
// not ok. Error bad_time: no number, also nan.
core::Result<std::optional<double>> RunOf(std::string_view us, std::string_view status);

// A tuned table, or one that has only the shape's columns and `us`. Rows of one key and candidate
// are runs of it; a row without a time above zero, or whose `status` is not ok, has none. The
// environment is what lines "# name: value" say before the header, and the file's name. Errors:
// those of core::CsvReader and ShapeOf with file and line, empty_table, no_times (no column `us`),
// bad_time (a time that is no number, also nan).
core::Result<analysis::Side> ReadSide(const core::Family& family, const std::string& file,
                                      std::string_view csv);

struct ShapeSide {
  analysis::Side side;
  std::vector<std::string> unread;  // columns that are neither of the key nor a time
};

// Columns as ShapeColumnsOf has them; a `trace` is a file beside this one, of one shape, in which
// the row's kernel is looked up. Rows of one key are its runs; of several times of a row each is a
// `line` of the key. Errors, each with file and line: bad_cell, bad_time, those of ShapeColumnsOf,
// core::CsvReader, core::CheckTableText, core::FileBytes and ReadTrace.
core::Result<ShapeSide> ReadShapeRows(const core::Families& families, const std::string& file,
                                      std::string_view csv, const std::string& unit);

}  // namespace tunehub::agent
