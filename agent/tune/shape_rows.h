// Rows that name their kernel and shape themselves, in the columns of no family: what drivers and
// benches write.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/compare.h"
#include "core/base/result.h"
#include "core/family/families.h"
#include "core/family/family.h"

namespace tunehub::agent {

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
