// SIGTERM and SIGINT as a question: has somebody asked this process to end?
#pragma once

#include <functional>

namespace tunehub::core {

enum class SecondSignal { kEndsProcess, kIgnored };

// From here on the first of the two signals only makes the answer true. The process must have no
// other thread yet, and no answer of before: threads inherit that both signals are blocked.
std::function<bool()> CatchStopSignals(SecondSignal second = SecondSignal::kEndsProcess);

}  // namespace tunehub::core
