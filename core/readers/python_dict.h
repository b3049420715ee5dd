// How Python reads what a JSON text has twice, and which texts its int() takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/read_json.h"

namespace tunehub::core {

// A member that comes again has its last value in its first place; `twice`, if given, gets the name
// of each that does.
std::vector<JsonMember> AsDict(std::vector<JsonMember> members, std::vector<std::string>* twice);

// int(): blanks around it, a sign, and single underscores between digits are allowed. Nothing where
// Python raises; digits of other scripts, which Python takes, are none here.
std::optional<std::int64_t> PythonInt(std::string_view text);

}  // namespace tunehub::core
