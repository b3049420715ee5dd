// Start times of runs, a day apart.
#pragma once

#include <string>

namespace tunehub {

inline const std::string kDay1 = "2026-01-01T00:00:00Z", kDay2 = "2026-01-02T00:00:00Z",
                         kDay3 = "2026-01-03T00:00:00Z", kDay4 = "2026-01-04T00:00:00Z";

}  // namespace tunehub
