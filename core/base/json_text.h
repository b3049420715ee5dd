// JSON that must leave as it came in: members in their order, values by their own text, which a
// parsed document no longer has (1.0 and 1, a member that comes twice).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tunehub::core {

struct JsonMember {
  std::string name;        // unescaped
  std::string_view value;  // its text, blanks within it included
};

// The members of an object, in their order, each as often as it comes. Errors: bad_json with line
// and column, also of what nests too deep; not_an_object.
Result<std::vector<JsonMember>> JsonMembers(std::string_view text);

// JSON with a line for each member and item, as nlohmann's dump and Python's json.dump have it, and
// every value by its own text.
std::string IndentedJson(std::string_view json, int indent);

// An object's text without the blanks between its parts. Errors: as above, and twice_in_object
// where it, or an object in it, has a member twice.
Result<std::string> CompactJsonObject(std::string_view text);

// The same of a value that is known to be JSON.
std::string WithoutBlanks(std::string_view json);

// One text for all objects that are equal: every object's members by name. What is no JSON stays as
// it is.
std::string SortedJson(std::string_view json);

}  // namespace tunehub::core
