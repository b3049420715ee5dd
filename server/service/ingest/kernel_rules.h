// Judges the kernels of what comes from a key without scope admin: results, and imports that are
// not upstream's own, which compete as AITER lets them.
#pragma once

#include <cstddef>
#include <vector>

#include "core/family/families.h"
#include "core/table/tuned_table.h"

namespace tunehub::service {

// Rejects the rows that name another family's kernel, as kernel_of_another_family, and demotes
// those whose kernel or libtype nobody lists (core/row/known_kernel.h). Garbled rows stay as they
// are: nobody can say which kernel they name. Answers the places that the rows left had before.
std::vector<std::size_t> JudgeKernels(const core::Families& families, const core::Family& family,
                                      core::TunedTable& table);

}  // namespace tunehub::service
