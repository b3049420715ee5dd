#include "core/base/rfc3339.h"

#include <array>
#include <cstdio>
#include <ctime>

namespace tunehub::core {
namespace {

// PostgreSQL's limits for an offset and for the length of the text.
constexpr int kMaxOffsetHours = 15;
constexpr std::size_t kMaxText = 64;
// An offset or a leap second may move the moment out of the years 1 to 9999.
constexpr std::chrono::seconds kFirst =
    std::chrono::sys_days(std::chrono::year(1) / 1 / 1).time_since_epoch();
constexpr std::chrono::seconds kEnd =
    std::chrono::sys_days(std::chrono::year(10'000) / 1 / 1).time_since_epoch();

std::optional<int> Digits(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return std::nullopt;
  int value = 0;
  for (char c : text.substr(at, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

// Returns the offset from UTC in minutes, positive to the east.
std::optional<int> OffsetMinutes(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return std::nullopt;
  const auto hours = Digits(text, 1, 2), minutes = Digits(text, 4, 2);
  if (!hours || *hours > kMaxOffsetHours || !minutes || *minutes > 59) return std::nullopt;
  return (text[0] == '-' ? -1 : 1) * (*hours * 60 + *minutes);
}

// Reads "2026-01-31" at the beginning.
std::optional<std::chrono::sys_days> Date(std::string_view text) {
  const auto year = Digits(text, 0, 4), month = Digits(text, 5, 2), day = Digits(text, 8, 2);
  if (!year || *year == 0 || !month || !day || text[4] != '-' || text[7] != '-')
    return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date);
}

// Reads "12:00:00" at the beginning.
std::optional<std::chrono::seconds> TimeOfDay(std::string_view text) {
  const auto hour = Digits(text, 0, 2), minute = Digits(text, 3, 2), second = Digits(text, 6, 2);
  if (!hour || *hour > 23 || !minute || *minute > 59 || !second || *second > 60 || text[2] != ':' ||
      text[5] != ':') {
    return std::nullopt;
  }
  return std::chrono::hours(*hour) + std::chrono::minutes(*minute) + std::chrono::seconds(*second);
}

// Reads ".25" as 250000.
std::int64_t Microseconds(std::string_view fraction) {
  std::int64_t value = 0;
  for (std::size_t i = 1; i <= 6; ++i) {
    value = value * 10 + (i < fraction.size() ? fraction[i] - '0' : 0);
  }
  return value;
}

}  // namespace

bool IsRfc3339(std::string_view text) {
  return Rfc3339Microseconds(text).has_value();
}

std::optional<std::int64_t> Rfc3339Microseconds(std::string_view text) {
  if (text.size() < 20 || text.size() > kMaxText || (text[10] | 0x20) != 't') return std::nullopt;
  const auto date = Date(text);
  const auto time = TimeOfDay(text.substr(11));
  if (!date || !time) return std::nullopt;
  std::string_view offset = text.substr(19), fraction;
  if (offset.front() == '.') {
    const std::size_t end = offset.find_first_not_of("0123456789", 1);
    if (end == 1 || end == std::string_view::npos) return std::nullopt;
    fraction = offset.substr(0, end);
    offset = offset.substr(end);
  }
  const auto minutes = OffsetMinutes(offset);
  if (!minutes) return std::nullopt;
  const std::chrono::seconds moment =
      date->time_since_epoch() + *time - std::chrono::minutes(*minutes);
  if (moment < kFirst || moment >= kEnd) return std::nullopt;
  return moment.count() * 1'000'000 + Microseconds(fraction);
}

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
