// What is said of the tuned rows that a family's misses have.
#pragma once

#include <iosfwd>

#include "agent/commands/explain/explanation.h"

namespace tunehub::agent {

// What they need, where they are although none is found, and what is missing.
void PrintRows(std::ostream& out, const core::Targets& targets, const FamilyPart& part);

}  // namespace tunehub::agent
