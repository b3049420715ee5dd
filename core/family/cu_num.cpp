#include "core/family/cu_num.h"

#include <fmt/core.h>

#include <cstdint>

namespace tunehub::core {
namespace {

constexpr std::int64_t kMaxCuNum = 4096;  // as in the family files

}  // namespace

int ReadCuNum(JsonObject& json, const std::string& member, int least) {
  const std::int64_t cu_num = json.Integer(member, 0);
  if (cu_num < least || cu_num > kMaxCuNum) {
    json.Fail(member, fmt::format("must be an integer from {} to {}", least, kMaxCuNum));
    return least;
  }
  return static_cast<int>(cu_num);
}

}  // namespace tunehub::core
