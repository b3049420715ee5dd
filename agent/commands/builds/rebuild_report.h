// What was built again, said.
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <span>

#include "agent/aiter/install/module_builder.h"

namespace tunehub::agent {

// One line for each module; with `all` also the rows of its lookup table that differ.
void PrintBuilt(std::span<const BuiltModule> modules, bool all, std::ostream& out);

// [{"module", "built", "why", "lookup": {"rows", "added", "removed", "changed", ...}}]
nlohmann::ordered_json ToJson(std::span<const BuiltModule> modules);

}  // namespace tunehub::agent
