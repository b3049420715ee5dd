// The part of a family file that says which products of a model ask it.
#pragma once

#include "core/base/json_object.h"
#include "core/family/family.h"

namespace tunehub::core {

// Precondition: the columns and the metric of `family` are read. What is wrong is added to the
// errors of `json`.
void ParseProducts(JsonObject& json, Family& family);

}  // namespace tunehub::core
