// A CU count as targets.json and devices.json have it.
#pragma once

#include <string>

#include "core/base/json_object.h"

namespace tunehub::core {

// 0 where the member is missing; fails where it is below `least` or absurd.
int ReadCuNum(JsonObject& json, const std::string& member, int least);

}  // namespace tunehub::core
