// The coverage of a model by all tables that an engine reads for it.
#pragma once

#include <ostream>

#include "agent/tables/command_coverage.h"

namespace tunehub::agent {

// Writes the answer, and gives the exit code. Errors: bad_engine, unknown_model, bad_model, those
// of reading tables and of analysis::ReadsOf.
core::Result<int> CoverServed(const Configuration& configuration, const CoverageOptions& options,
                              std::ostream& out, std::ostream& err);

}  // namespace tunehub::agent
