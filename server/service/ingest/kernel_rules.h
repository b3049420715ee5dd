// Judges the kernels of results from a key without scope admin. It does not judge imports: they
// compete as AITER lets them.
#pragma once

#include "core/family/families.h"
#include "server/service/ingest/submission.h"

namespace tunehub::service {

// Rejects the rows that name another family's kernel, as kernel_of_another_family, and demotes
// those whose kernel or libtype nobody lists (core/row/known_kernel.h). Garbled rows stay as they
// are: nobody can say which kernel they name.
void JudgeKernels(const core::Families& families, const core::Family& family,
                  Submission& submission);

}  // namespace tunehub::service
