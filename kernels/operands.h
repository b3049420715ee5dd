// Makes random inputs of a problem like those of a model: quantised, with scales.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/buffer.h"
#include "kernels/problem.h"

namespace tunehub::kernels {

// Each token's experts and their weights. A token's weights add up to one.
struct Routing {
  std::vector<int> experts;  // [tokens][topk]; all experts of a token differ
  std::vector<float> weights;
};

// All batches or all experts, one after another. Each matrix is row-major.
struct Operands {
  Buffer a, a_scale;  // [batch][m][k]; scales as in cpu::GemmOperands
  Buffer w, w_scale;  // [batch][n][k]; scales as in cpu::RawWeights
  // For "fmoe", a is [tokens][model_dim] and w is [experts][2 * inter_dim][model_dim]: gate, then
  // up.
  Buffer down, down_scale;  // [experts][model_dim][inter_dim]
  Routing routing;
};

// Values have a normal distribution around zero and use every code of the format. Scales are such
// that products of A and W are around one. For "fmoe" the weights are smaller, so that sums are
// around one and the activation affects the result. The same seed gives the same
// bytes with any number of threads.
Operands MakeOperands(const Problem& problem, std::uint64_t seed, int threads = 1);

// ScaleCount: the number of scales of a matrix with `rows` rows (rows of A, or columns of the
// output). ScaleBytes: the bytes of one scale.
std::size_t ScaleCount(Scaling scaling, bool of_weights, int rows, int k);
std::size_t ScaleBytes(Scaling scaling);

}  // namespace tunehub::kernels
