// Random inputs of a problem, as a model would hold them: quantised, and with their scales.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/buffer.h"
#include "kernels/problem.h"

namespace tunehub::kernels {

// Each token's experts and their weights, which add up to one.
struct Routing {
  std::vector<int> experts;  // [tokens][topk]; all experts of a token differ
  std::vector<float> weights;
};

// All batches, or all experts, one behind the other; each matrix is row-major.
struct Operands {
  Buffer a, a_scale;  // [batch][m][k]; scales as cpu::GemmOperands says
  Buffer w, w_scale;  // [batch][n][k]; scales as cpu::RawWeights says
  // For "fmoe", where a is [tokens][model_dim] and w is [experts][2 * inter_dim][model_dim], gate
  // above up:
  Buffer down, down_scale;  // [experts][model_dim][inter_dim]
  Routing routing;
};

// Values are normal and signed, and reach every code of the format; scales keep products around
// one. For "fmoe" the weights are smaller, so that sums are around one and the activation matters.
// The same seed gives the same bytes.
Operands MakeOperands(const Problem& problem, std::uint64_t seed);

// How many scales a matrix with `rows` rows has (rows of A, or columns of the output), and the
// bytes of one scale.
std::size_t ScaleCount(Scaling scaling, bool of_weights, int rows, int k);
std::size_t ScaleBytes(Scaling scaling);

}  // namespace tunehub::kernels
