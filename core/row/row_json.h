// Cells as JSON: integers, numbers and flags as such, JSON as itself, everything else as text,
// nothing as null.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "core/family/family.h"

namespace tunehub::core {

nlohmann::ordered_json CellJson(const Column& column, std::string_view cell);

// Every column of the family, optional ones only where they have a value.
nlohmann::ordered_json RowJson(const Family& family, const Cells& cells);

}  // namespace tunehub::core
