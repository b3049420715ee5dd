// Rows that name their kernel and shape themselves, in the columns of no family: what drivers and
// benches write.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/compare.h"
#include "core/base/result.h"
#include "core/family/families.h"

namespace tunehub::agent::tuning {

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

}  // namespace tunehub::agent::tuning
