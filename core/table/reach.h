// Rows that no lookup of AITER can ever find, or only by luck: worth a warning, never a rejection.
#pragma once

#include <vector>

#include "core/family/family.h"
#include "core/family/targets.h"
#include "core/row/row.h"

namespace tunehub::core {

// Without a line. Codes: unknown_gfx, gfx_never_asked, fp8_of_other_arch, token_no_tier,
// m_off_grid, no_such_cu_num. `cells` in canonical text.
std::vector<RowIssue> CheckReach(const Family& family, const Targets& targets, const Cells& cells);

}  // namespace tunehub::core
