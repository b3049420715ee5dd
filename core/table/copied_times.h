// Times that stand for several token tiers and were measured for at most one of them.
#pragma once

#include <vector>

#include "core/family/family.h"
#include "core/row/row.h"
#include "core/row/row_issue.h"

namespace tunehub::core {

// A warning `copied_time` for each such row but the one of the largest tier and those whose time
// is not believed as it is. Only in families whose lookup goes by token tiers: elsewhere tuners
// leave out what they do not measure.
std::vector<RowIssue> CopiedTimes(const Family& family, const std::vector<Row>& rows);

}  // namespace tunehub::core
