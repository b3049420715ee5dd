// Rows that no lookup of AITER can ever find, or only by luck: worth a warning, never a rejection.
#pragma once

#include <string>
#include <vector>

#include "core/family/family.h"
#include "core/family/targets.h"

namespace tunehub::core {

struct ReachWarning {
  std::string column;
  std::string code;  // fp8_of_other_arch, token_no_tier, m_off_grid, no_such_cu_num
  std::string detail;
};

// `cells` in canonical text.
std::vector<ReachWarning> CheckReach(const Family& family, const Targets& targets,
                                     const Cells& cells);

}  // namespace tunehub::core
