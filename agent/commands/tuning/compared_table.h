// A table of times as one side of a comparison.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/analysis/compare.h"
#include "core/base/result.h"
#include "core/family/family.h"

namespace tunehub::agent::tuning {

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

}  // namespace tunehub::agent::tuning
