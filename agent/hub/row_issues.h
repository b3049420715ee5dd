// Remarks about rows as the hub writes them: [{"row", "column", "code", "detail"}].
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "core/table/tuned_table.h"

namespace tunehub::agent {

// What is not of that form is passed over.
std::vector<core::RowIssue> RowIssuesOf(const nlohmann::json& list);

}  // namespace tunehub::agent
