#include "agent/daemon/window.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <optional>

namespace tunehub::agent::daemon {
namespace {

constexpr int kMinutesPerHour = 60, kHoursPerDay = 24;

// "01:00" -> 60; also "24:00".
std::optional<int> Minute(std::string_view text) {
  if (text.size() != 5 || text[2] != ':') return std::nullopt;
  const auto number = [&](std::size_t at) -> std::optional<int> {
    int value = 0;
    const char* const begin = text.data() + at;
    const auto [end, error] = std::from_chars(begin, begin + 2, value);
    if (error != std::errc() || end != begin + 2 || value < 0) return std::nullopt;
    return value;
  };
  const auto hours = number(0), minutes = number(3);
  if (!hours || !minutes || *minutes >= kMinutesPerHour) return std::nullopt;
  const int total = *hours * kMinutesPerHour + *minutes;
  if (total > kHoursPerDay * kMinutesPerHour) return std::nullopt;
  return total;
}

}  // namespace

bool Window::Contains(int minute_of_day) const {
  if (begin <= end) return minute_of_day >= begin && minute_of_day < end;
  return minute_of_day >= begin || minute_of_day < end;
}

core::Result<Window> ParseWindow(std::string_view text) {
  const auto dash = std::min(text.find('-'), text.size());
  const auto begin = Minute(text.substr(0, dash));
  const auto end = Minute(text.substr(std::min(dash + 1, text.size())));
  if (!begin || !end || *begin == *end) {
    return core::Error{"bad_window", fmt::format("'{}' is no window such as 01:00-05:00", text)};
  }
  return Window{*begin, *end};
}

int MinuteOfDay() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  return local.tm_hour * kMinutesPerHour + local.tm_min;
}

}  // namespace tunehub::agent::daemon
