// Reads and writes moments in the format of RFC 3339.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tunehub::core {

// True for a date, time and offset of RFC 3339 within the UTC years 1 to 9999:
// "2026-01-31T12:00:00Z", "2026-01-31T12:00:00.25+02:00". PostgreSQL accepts each such text.
bool IsRfc3339(std::string_view text);

// Returns the moment in microseconds since 1970, rounded down; nullopt if not IsRfc3339.
std::optional<std::int64_t> Rfc3339Microseconds(std::string_view text);

std::string UtcText(std::chrono::system_clock::time_point time);  // "2026-08-22T10:11:12.123456Z"

}  // namespace tunehub::core
