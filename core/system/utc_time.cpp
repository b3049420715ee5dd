#include "core/system/utc_time.h"

#include <array>
#include <cstdio>
#include <ctime>

namespace tunehub::core {

std::string UtcText(std::chrono::system_clock::time_point time) {
  const auto since = std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch());
  const std::time_t seconds = since.count() / 1'000'000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> day{}, fraction{};
  std::strftime(day.data(), day.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(fraction.data(), fraction.size(), ".%06dZ",
                static_cast<int>(since.count() % 1'000'000));
  return std::string(day.data()) + fraction.data();
}

}  // namespace tunehub::core
