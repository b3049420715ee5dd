// Where in a table the error stands for which the whole of it was refused.
#pragma once

#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/table/tuned_table.h"

namespace tunehub::service {

// One issue, its column by name where the header has one; none where the error has no place (such
// as too many bytes). The detail of core's table errors begins with the place, "line 3, field 9: ",
// and of JSON's with "row 3: ".
std::vector<core::RowIssue> PlaceOfRefusal(const core::Error& error, std::string_view csv);

}  // namespace tunehub::service
