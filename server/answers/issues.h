// Writes issues of rows as receipts and problems show them.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/row/row.h"

namespace tunehub::server {

// The most issues of one kind in a list. Counts include all issues.
inline constexpr std::size_t kMaxListed = 1'000;

// [{"row","column","code","detail"}, ...]: a problem's "errors".
nlohmann::ordered_json IssuesJson(const std::vector<core::RowIssue>& issues);

// The forms of a revision in a request.
inline constexpr std::string_view kPinForm =
    "a number from 0, or a pin such as 81-0f3a5c2e9b7d4186a1c0e8f2d4b69753";

// Returns the error bad_parameter: "NAME: 'VALUE' WHY", with an excerpt of the value.
core::Error BadParameter(std::string_view name, std::string_view value, std::string_view why);

// Returns the error bad_parameter: "NAME: 'VALUE' is not allowed, only ALLOWED".
core::Error NotAllowed(std::string_view name, std::string_view value, std::string_view allowed);

core::Error ComesTwice(std::string_view name);

}  // namespace tunehub::server
