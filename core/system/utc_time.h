// A moment as RFC 3339 writes it, in UTC.
#pragma once

#include <chrono>
#include <string>

namespace tunehub::core {

std::string UtcText(std::chrono::system_clock::time_point time);  // "2026-08-22T10:11:12.123456Z"

}  // namespace tunehub::core
