// One of AITER's scripts, from its start to its end.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "agent/aiter/tuners/aiter_output.h"
#include "agent/aiter/tuners/aiter_results.h"
#include "agent/aiter/tuners/script_command.h"
#include "core/base/result.h"

namespace tunehub::agent::tuners {

// Called from Run and the benches, in this thread.
struct AiterObserver {
  std::function<void(const AiterProgress&)> progress = [](const AiterProgress&) {};
  std::function<void(std::string_view)> line = [](std::string_view) {};  // all that it prints
  std::function<void(const std::string&)> note = [](const std::string&) {};
  std::function<bool()> stop = [] { return false; };  // asked several times a second
};

// Starts the command, once more after a signal, gives `line` what it prints, and notes in `report`
// how it went. Errors: tuner_unstartable, file_unwritable (its log).
core::Status RunScript(const AiterCommand& command, const AiterOptions& options,
                       const AiterObserver& observer,
                       const std::function<void(std::string_view)>& line, AiterReport& report);

}  // namespace tunehub::agent::tuners
