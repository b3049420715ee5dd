// What a problem's output is: slow, obvious, in float64, sharing no code with the kernels but the
// scalar decoders of kernels/format.h.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/operands.h"
#include "kernels/problem.h"

namespace tunehub::kernels {

struct Reference {
  std::vector<std::int64_t> rows;  // of the output, all batches behind one another; ascending
  std::vector<double> values;      // rows.size() x n
};

// All rows where that costs at most `work` multiply-adds; else the first, the last and rows drawn
// at random, as many as `work` pays for, at least four.
Reference MakeReference(const Problem& problem, const Operands& operands, std::uint64_t work,
                        std::uint64_t seed, int threads);

}  // namespace tunehub::kernels
