// Remarks about rows as the hub writes them: [{"row", "column", "code", "detail"}].
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "core/table/tuned_table.h"

namespace tunehub::agent {

inline constexpr std::size_t kMaxRowIssues = 10'000;  // a receipt lists fewer

// A member's text as a terminal may show it, at most so many bytes; "" where it is no text.
std::string PlainMember(const nlohmann::json& object, const char* member,
                        std::size_t bytes = ~std::size_t{0});

// What is not of that form is passed over, and what comes behind so many.
std::vector<core::RowIssue> RowIssuesOf(const nlohmann::json& list);

}  // namespace tunehub::agent
