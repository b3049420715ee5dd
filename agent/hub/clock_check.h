// Whether this host's clock goes as the hub's, by the Date of an answer. It is said and changes
// nothing: a hub may lie.
#pragma once

#include <chrono>
#include <string>

#include "agent/http/message.h"

namespace tunehub::agent {

// A difference below it is none: clocks are set now and then, and a Date has whole seconds.
inline constexpr std::chrono::seconds kClockPatience{60};

// "this host's clock is 5 min behind the hub's: ...". "": it goes as the hub's within the time from
// the request to the end of the answer, or nobody can tell (no Date, or an old one from a cache).
std::string ClockDifference(const Answer& answer, std::chrono::system_clock::time_point sent,
                            std::chrono::system_clock::time_point received);

}  // namespace tunehub::agent
