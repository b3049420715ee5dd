// The hashes by which the database knows a row's key and its candidate.
#pragma once

#include "core/family/family.h"
#include "core/row/row.h"

namespace tunehub::core {

// Sets Row::key and Row::candidate. `cells` in canonical text.
void Identify(const Family& family, const Cells& cells, Row& row);

}  // namespace tunehub::core
