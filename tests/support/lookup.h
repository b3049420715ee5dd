// AITER's rule for the padded M, written again from its description; and shapes to look up.
#pragma once

#include <cstdint>
#include <vector>

#include "core/lookup/table.h"
#include "core/shapes/shape.h"
#include "core/table/tuned_table.h"
#include "tests/support/shipped.h"

namespace tunehub::test {

// AITER's getPaddedM(M, N, K, gl).
std::int64_t PaddedM(std::int64_t m, std::int64_t n, int gl);

// Throws if the cells are not a shape of the family.
core::FamilyShape ShapeOf(const core::Family& family, const CellList& cells);

// The rows of the table that a server would serve. `table` must outlive them.
std::vector<lookup::TableRow> ServedRows(const core::TunedTable& table);

}  // namespace tunehub::test
