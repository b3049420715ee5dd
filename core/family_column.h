// One column of a family file: its members, and the rules that tie them together.
#pragma once

#include "core/family.h"
#include "core/json_object.h"

namespace tunehub::core {

// Reads "/columns/N". What is wrong is added to the errors of `json`.
Column ParseColumn(JsonObject& json);

}  // namespace tunehub::core
