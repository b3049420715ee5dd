// A CU count as targets.json and devices.json have it.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string>

#include "core/base/json_object.h"

namespace tunehub::core {

// 0 where the member is missing; fails where it is below `least` or absurd.
inline int ReadCuNum(JsonObject& json, const std::string& member, int least) {
  constexpr std::int64_t kMost = 4096;  // as in the family files
  const std::int64_t cu_num = json.Integer(member, 0);
  if (cu_num < least || cu_num > kMost) {
    json.Fail(member, fmt::format("must be an integer from {} to {}", least, kMost));
    return least;
  }
  return static_cast<int>(cu_num);
}

}  // namespace tunehub::core
