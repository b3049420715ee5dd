// Which rows a table of padded M can do without: those in whose place the lookup would find the
// same kernel at a padded M.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/family/family.h"

namespace tunehub::lookup {

// One flag per line (core::Row::line): true where it must stay. Without the others every lookup, of
// every M, runs the candidate that it ran before (libtype, kernel name, split-K: what identifies a
// candidate), by the runtime's rule and by that of tables that are compiled in. All stay where the
// family's lookup does not pad M.
std::vector<bool> NeededRows(const core::Family& family, std::span<const std::string_view> lines);

}  // namespace tunehub::lookup
