// Random inputs of a problem, as a model would hold them: quantised, with their scales.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/buffer.h"
#include "kernels/problem.h"

namespace tunehub::kernels {

// All batches behind one another, each matrix row-major.
struct Operands {
  Buffer a, a_scale;  // [batch][m][k]; scales as cpu::GemmOperands says
  Buffer w, w_scale;  // [batch][n][k]; scales as cpu::RawWeights says
};

// Values are normal and signed, with every code of the format reachable; scales are such that
// products are around one. The same seed gives the same bytes.
Operands MakeOperands(const Problem& problem, std::uint64_t seed);

// Elements that the scales of `rows` rows (of A, or columns of the output) take per matrix, and
// their bytes.
std::size_t ScaleCount(Scaling scaling, bool of_weights, int rows, int k);
std::size_t ScaleBytes(Scaling scaling);

}  // namespace tunehub::kernels
