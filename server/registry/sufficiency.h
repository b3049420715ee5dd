// Whether a row's own evidence is enough for it to compete (docs/trust.md).
#pragma once

#include <string_view>

#include "core/row/row.h"

namespace tunehub::registry {

// Evidence says so of the time of AITER's whole operator: no kernel's time can be held against it.
inline constexpr std::string_view kOperatorTiming = "operator";

// A competing row is unfinished where its evidence, a JSON object or "", has a status other than
// "ok", or samples and fewer than core::kLeastSamples. Else it is compared where its timing is
// kOperatorTiming, and so is a default that names no kernel.
void JudgeEvidence(std::string_view evidence, bool is_default, core::Row& row);

}  // namespace tunehub::registry
