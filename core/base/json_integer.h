// A whole number of what somebody else wrote, where the library's own conversion takes 1e300, 2.5
// and true for integers.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json_fwd.hpp>

namespace tunehub::core {

// Throws Json::out_of_range, for a caller that catches what `at` throws, where the value is no
// whole number within min..max. Json: nlohmann::json or ordered_json.
template <typename Json>
std::int64_t SureInteger(const Json& value, std::int64_t min,
                         std::int64_t max = std::numeric_limits<std::int64_t>::max());

}  // namespace tunehub::core
