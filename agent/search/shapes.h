// Shapes out of untuned files, tuned files and jobs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/device/measurement.h"
#include "core/base/result.h"
#include "core/family/family.h"

namespace tunehub::agent {

// Every shape column of the family, canonical, by what `cell` gives for a column's name; a column
// without a cell takes the value that older files imply. Errors: missing_column, those of
// core::CanonicalCell.
core::Result<Columns> ShapeOf(
    const core::Family& family,
    const std::function<std::optional<std::string>(const std::string& column)>& cell);

// AITER's untuned CSV, or any table with the family's shape columns; others are passed over,
// repeats are dropped. Errors: those of core::ReadUntunedTable, with the file, and the first row
// that is none, with its line.
core::Result<std::vector<Columns>> ReadShapes(const core::Family& family, const std::string& file,
                                              std::string_view csv);

// The cells of `role` in one line of the family's table, by column; ids that a kernel's name makes
// superfluous and empty cells left out.
Columns ColumnsOf(const core::Family& family, core::Role role, std::string_view line);

}  // namespace tunehub::agent
