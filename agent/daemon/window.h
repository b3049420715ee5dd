// The hours in which a node may tune: "01:00-05:00", local time, over midnight where the end is
// before the beginning.
#pragma once

#include <string_view>

#include "core/base/result.h"

namespace tunehub::agent::daemon {

struct Window {
  int begin = 0, end = 24 * 60;  // minutes of the day; the end is outside

  bool Contains(int minute_of_day) const;
};

// Errors: bad_window.
core::Result<Window> ParseWindow(std::string_view text);

// Of the local clock now.
int MinuteOfDay();

}  // namespace tunehub::agent::daemon
