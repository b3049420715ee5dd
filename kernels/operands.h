// Random inputs of a problem, as a model would hold them: quantised, with their scales.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/buffer.h"
#include "kernels/problem.h"

namespace tunehub::kernels {

// Each token's experts and their weights, which add up to one.
struct Routing {
  std::vector<int> experts;  // [tokens][topk], all of a token's different
  std::vector<float> weights;
};

// All batches, or experts, behind one another, each matrix row-major.
struct Operands {
  Buffer a, a_scale;  // [batch][m][k]; scales as cpu::GemmOperands says
  Buffer w, w_scale;  // [batch][n][k]; scales as cpu::RawWeights says
  // For "fmoe", where a is [tokens][model_dim] and w is [experts][2 * inter_dim][model_dim], gate
  // above up:
  Buffer down, down_scale;  // [experts][model_dim][inter_dim]
  Routing routing;
};

// Values are normal and signed and reach every code of the format; scales keep products around one.
// For "fmoe" the weights are smaller: sums are around one, so that the activation matters. The same
// seed gives the same bytes.
Operands MakeOperands(const Problem& problem, std::uint64_t seed);

// The number of scales per matrix for `rows` rows (of A, or columns of the output), and the bytes
// of one.
std::size_t ScaleCount(Scaling scaling, bool of_weights, int rows, int k);
std::size_t ScaleBytes(Scaling scaling);

}  // namespace tunehub::kernels
