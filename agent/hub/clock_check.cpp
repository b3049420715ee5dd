#include "agent/hub/clock_check.h"

#include <fmt/core.h>

#include <ctime>
#include <optional>

#include "agent/base/eta.h"

namespace tunehub::agent {
namespace {

// A Date may name a year that no system_clock::time_point has.
using std::chrono::sys_seconds;
using std::chrono::system_clock;

// "Sun, 06 Nov 1994 08:49:37 GMT", the one form that is still written (RFC 9110).
std::optional<sys_seconds> HttpDate(const std::string& text) {
  std::tm parts{};
  const char* const end = ::strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return sys_seconds(std::chrono::seconds(::timegm(&parts)));
}

std::string Differs(std::chrono::seconds by, const char* how) {
  return fmt::format(
      "this host's clock is {} {} the hub's: the times of what this host measures are wrong by as "
      "much until one of the clocks is set",
      DurationText(std::chrono::round<std::chrono::minutes>(by)), how);
}

}  // namespace

std::string ClockDifference(const Answer& answer, system_clock::time_point sent,
                            system_clock::time_point received) {
  const auto date = HttpDate(answer.Header("date"));
  if (!date || answer.headers.contains("age")) return "";
  const sys_seconds first = std::chrono::floor<std::chrono::seconds>(sent);
  const sys_seconds last = std::chrono::floor<std::chrono::seconds>(received);
  if (*date > last + kClockPatience) return Differs(*date - last, "behind");
  if (*date < first - kClockPatience) return Differs(first - *date, "ahead of");
  return "";
}

}  // namespace tunehub::agent
