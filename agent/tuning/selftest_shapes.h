// What the self-test computes: shapes small enough for the float64 reference, odd enough for tiles.
#pragma once

#include <string_view>
#include <vector>

#include "agent/tuning/device/candidate.h"

namespace tunehub::agent::tuning {

// Of a family, in every format that its key can name: aligned, ending within tiles each way, one
// row, and so few tiles that K is split. `large`: also more tiles than a GPU has processors, in
// parts, so that every order of blocks turns over. Empty: no kernel of tunehub's own is of the
// family.
std::vector<Columns> SelftestShapes(std::string_view family, bool large);

}  // namespace tunehub::agent::tuning
