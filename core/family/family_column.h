// One column of a family file: its members, and the rules that tie them together.
#pragma once

#include "core/base/json_object.h"
#include "core/family/family.h"

namespace tunehub::core {

// Reads "/columns/N". What is wrong is added to the errors of `json`.
Column ParseColumn(JsonObject& json);

}  // namespace tunehub::core
