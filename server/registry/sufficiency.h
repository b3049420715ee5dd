// Whether a row's own evidence is enough for it to compete (docs/trust.md).
#pragma once

#include <string_view>

#include "core/row/row.h"

namespace tunehub::registry {

// A competing row is unfinished where its evidence, a JSON object or "", has a status other than
// "ok", or samples and fewer than core::kLeastSamples.
void JudgeEvidence(std::string_view evidence, core::Row& row);

}  // namespace tunehub::registry
