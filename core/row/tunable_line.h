// A row of a family whose rows are lines of TunableOp's files: nothing in it may end its field or
// its line, or make another kind of line.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/family/family.h"
#include "core/row/row_issue.h"

namespace tunehub::core {

// Why PyTorch never writes such a field behind a shape; "": it may.
std::string WhyNoSolution(std::string_view solution);
std::string WhyNoBlasParams(std::string_view blas_params);

// The column and why it cannot stand in a line (code bad_line). Precondition: family.tunable_lines.
std::optional<RowIssue> WhyNoLine(const Family& family, const Cells& cells);

}  // namespace tunehub::core
