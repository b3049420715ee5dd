// One column of a family file: its members, and the rules that tie them together.
#pragma once

#include <string_view>

#include "core/base/json_object.h"
#include "core/family/family.h"

namespace tunehub::core {

// Reads "/columns/N". What is wrong is added to the errors of `json`.
Column ParseColumn(JsonObject& json);

// Whether a cell of an enum may say `text`: one of its values; with a prefix also a new one, of
// letters, digits and _ behind it; in a config column without one also any name. A name begins
// with a letter or _ and goes on with these, digits and points. Scripts evaluate such cells.
bool IsEnumValue(const Column& column, std::string_view text);

}  // namespace tunehub::core
