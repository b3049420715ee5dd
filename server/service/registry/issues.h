// Remarks about rows as receipts and problems show them.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "core/row/row_issue.h"

namespace tunehub::service {

// At most this many remarks of a kind are listed; counts are always whole.
inline constexpr std::size_t kMaxListed = 1'000;

// [{"row","column","code","detail"}, ...]: a problem's "errors".
nlohmann::ordered_json IssuesJson(const std::vector<core::RowIssue>& issues);

}  // namespace tunehub::service
