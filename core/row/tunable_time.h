// TunableOp's milliseconds as microseconds and back, exactly: the decimal point moves, no digit is
// rounded.
#pragma once

#include <string>
#include <string_view>

namespace tunehub::core {

// "0.0119901" -> "11.9901", "1e-3" -> "1". "" where the text is no time above 0: PyTorch reads what
// is no number as 0, and no tuner has ever measured 0.
std::string MicrosecondsOf(std::string_view ms);
// "11.9901" -> "0.0119901"; "" likewise.
std::string MillisecondsOf(std::string_view us);

}  // namespace tunehub::core
