// A coverage on the terminal.
#pragma once

#include <ostream>

#include "core/analysis/coverage.h"

namespace tunehub::agent {

// A line for each bucket: how its shapes are answered.
void PrintCoverage(std::ostream& out, const analysis::Coverage& coverage);
void PrintShare(std::ostream& out, const analysis::BucketShare& share);

// kFinding where a shape has no measured row.
int CodeOf(const analysis::Counts& counts);

}  // namespace tunehub::agent
